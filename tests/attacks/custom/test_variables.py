from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sensei_kumite.attacks.custom.variables import FunctionCall, Variable, is_name

ASKED = {"prompt": "write {{a}}", "fallback": "or {{b}}"}
CALL = {"path": "{{p}}.py", "name": "f", "arguments": {"text": "{{a}}", "more": [1, {"deep": "{{b}}"}]}}


def variable(**keys: Any) -> Variable:
    return Variable.model_validate(keys)


def test_a_static_variable() -> None:
    static = variable(value="hi {{a}} {{a}} {{{{x}}}}")
    assert (static.is_settled, static.uses, static.path, static.generation, static.target) == (
        True,
        {"a"},
        None,
        None,
        "",
    )
    assert variable(value="", type="string", protect="yes").protect


def test_a_file() -> None:
    assert variable(type="path", value="prompts/{{a}}.txt").path == (("value",), "prompts/{{a}}.txt")
    assert variable(type="path", value="x.txt").is_settled


def test_a_generated_variable() -> None:
    generated = variable(value={"generate": ASKED})
    assert (generated.is_settled, generated.uses, generated.path) == (False, {"a", "b"}, None)
    assert generated.generation is not None
    assert (generated.generation.temperature, generated.generation.context) == (0.7, False)


def test_a_function() -> None:
    called = variable(function=CALL)
    assert (called.is_settled, called.uses) == (False, {"p", "a", "b"})
    assert called.path == (("function", "path"), "{{p}}.py")
    assert [path for path, _ in called.texts()] == [
        ("function", "path"),
        ("function", "arguments", "text"),
        ("function", "arguments", "more", 1, "deep"),
    ]


@pytest.mark.parametrize(("target", "text"), [("arguments.text", "{{a}}"), ("arguments.map.deep", "b")])
def test_the_target_of_a_rephrasing(target: str, text: str) -> None:
    arguments = {"text": "{{a}}", "map": {"deep": "b"}}
    called = variable(function={**CALL, "arguments": arguments, "rephrase": {"target": target}})
    assert called.target == text


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({}, "either a value or a function"),
        ({"value": None}, "either a value or a function"),
        ({"value": "x", "function": CALL}, "either a value or a function"),
        ({"value": "x", "type": "int"}, "'string' or 'path'"),
        ({"value": "x", "vlaue": "y"}, "Extra inputs"),
        ({"value": True}, "quote it"),
        ({"value": ["x"]}, "valid string"),
        ({"value": "x", "protect": "perhaps"}, "true or false"),
        ({"type": "string", "function": CALL}, "a function needs none"),
        ({"type": "path", "value": {"generate": ASKED}}, "cannot be written by a model"),
        ({"value": {"generate": {"prompt": "x"}}}, "fallback"),
        ({"value": {"generate": {**ASKED, "fallback": " "}}}, "must not be empty"),
        ({"value": {"generate": {**ASKED, "prompt": ""}}}, "must not be empty"),
        ({"value": {"generate": {**ASKED, "temperature": 2.1}}}, "less than or equal to 2"),
        ({"value": {"generate": {**ASKED, "temperature": -1}}}, "greater than or equal to 0"),
        ({"value": {"generate": {**ASKED, "contxt": True}}}, "Extra inputs"),
        ({"value": {"generate": ASKED, "more": 1}}, "Extra inputs"),
        ({"function": {"name": "f"}}, "path"),
        ({"function": {**CALL, "name": "f()"}}, "name of a function"),
        ({"function": {**CALL, "arguments": ["x"]}}, "valid dictionary"),
        ({"function": {**CALL, "more": 1}}, "Extra inputs"),
        ({"function": {**CALL, "rephrase": {}}}, "target"),
        ({"function": {**CALL, "rephrase": {"target": "text"}}}, "begin with 'arguments.'"),
        ({"function": {**CALL, "rephrase": {"target": "arguments.gone"}}}, "not among the arguments"),
        ({"function": {**CALL, "rephrase": {"target": "arguments.text.deep"}}}, "not among the arguments"),
        ({"function": {**CALL, "rephrase": {"target": "arguments.more"}}}, "should be a text"),
        ({"function": {**CALL, "arguments": {"x": " "}, "rephrase": {"target": "arguments.x"}}}, "not empty"),
        ({"function": {**CALL, "rephrase": {"target": "arguments.text", "by": 1}}}, "Extra inputs"),
    ],
)
def test_what_is_none(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        variable(**keys)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "is_one"), [("a", True), ("_B1", True), ("1a", False), ("a-b", False), ("", False)]
)
def test_names(name: str, is_one: bool) -> None:
    assert is_name(name) is is_one


def test_a_function_is_called_transform_unless_named() -> None:
    assert FunctionCall.model_validate({"path": "x.py"}).name == "transform"

"""JSON in what models write: found where it can be, asked for again where not, and never slowly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.dynamic.chat import AIMessage, HumanMessage
from sensei_kumite.dynamic.structured import (
    LLMResponseError,
    extract_json_or_fail,
    parse_json_object,
    parse_jsonl_variations,
    query_structured_response,
)

MEBIBYTE = 1 << 20
HOSTILE = {
    "braces": "{",
    "brackets": "[",
    "objects in objects": '{"a":',
    "lists in objects": '{"a":[',
    "keys that never end": '{"',
    "escaped quotes": '{"\\"',
    "strings in strings": '{"x":"',
    "quotes": '"',
    "quotes and space": '"     ',
    "quotes and commas": '"," ',
    "lines of quotes": '"\n',
    "commas and space": ",      ",
    "empty objects": "{}",
    "small objects": '{"a":1}',
    "backslashes": "\\",
    "lines that begin": "{\n",
    "digits": "9",
}


@pytest.mark.parametrize(
    "text",
    [
        '{"question": "Why?"}',
        '```json\n{"question": "Why?"}\n```',
        'Sure, here it is:\n{"question": "Why?"}\nAnything else?',
        '{"question": "Why?",}',
        '{"question": "Why?", "more": [1, 2, ], }',
        '[{"question": "Why?"}]',
        'The input was {"objective": "x"}, so: {"question": "Why?"}',
        'In {curly} words: {"question": "Why?"}',
        '{"question": ""} or rather {"question": "Why?"}',
    ],
)
def test_an_object_is_found_in_what_models_put_around_it(text: str) -> None:
    assert parse_json_object(text, string_keys=("question",))["question"] == "Why?"


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": "she said "no" to it"}', 'she said "no" to it'), ('{"a": "two\nlines"}', "two\nlines")],
)
def test_strings_may_hold_what_should_have_been_escaped(text: str, value: str) -> None:
    assert parse_json_object(text) == {"a": value}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nothing", "no JSON object"),
        ("", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('{"a": ', "no JSON object"),
        ('{"question": "Why?"}', "missing 'reason'"),
        ('{"reason": 1}', "missing 'question'"),
        ('{"reason": 1, "question": " "}', "no text under 'question'"),
        ('{"reason": 1, "question": 7}', "no text under 'question'"),
    ],
)
def test_what_is_missing_is_named(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_json_object(text, required_keys=("reason",), string_keys=("question",))


def test_a_required_key_may_hold_nothing() -> None:
    assert parse_json_object('{"a": null}', required_keys=("a",)) == {"a": None}


@given(
    st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.text(), st.lists)),
    st.text("ab \n"),
)
def test_every_object_is_found_in_prose(value: dict[str, Any], around: str) -> None:
    assert parse_json_object(f"{around}{json.dumps(value)}{around}") == value


@pytest.mark.parametrize(
    "text",
    [
        '{"variation": "one"}\n{"variation": "two"}',
        '```jsonl\n{"variation": "one"}\n{"variation": "two"}\n```',
        'Here they are:\n{"variation": "one"},\n{"variation": "two"}',
        '[{"variation": "one"}, {"variation": "two"}]',
        '{\n"variation": "one"\n}\n{\n"variation": "two"\n}',
        '{"variation": "one"} {"variation": "two"}',
    ],
)
def test_variations_are_found_line_by_line_or_not(text: str) -> None:
    assert parse_jsonl_variations(text) == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ("nothing", []),
        ('{"variation": " "}', []),
        ('["one", "two"]', []),
        ('{"variation": "one"}\n{"variation": "tw', ["one"]),
        ('{"other": "one"}\n{"variation": "two"}', ["two"]),
    ],
)
def test_variations_that_cannot_be_read_leave_the_others(text: str, partial: list[str]) -> None:
    with pytest.raises(ValueError, match="variation") as caught:
        parse_jsonl_variations(text)
    assert getattr(caught.value, "partial", None) == partial


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Well: {"a": 1}.', {"a": 1}),
        ("```json\n[1, 2]\n```", [1, 2]),
        ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('As [1] says: {"a": 1}', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
    ],
)
def test_any_json_is_extracted(text: str, value: Any) -> None:
    assert extract_json_or_fail(text) == value


@pytest.mark.parametrize("text", ["", "nothing", "null", "5", '{"a"'])
def test_no_json_is_an_error_that_shows_the_text(text: str) -> None:
    with pytest.raises(RuntimeError, match="no JSON"):
        extract_json_or_fail(text)


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_mebibyte_of_anything_is_read_in_time(unit: str) -> None:
    text = unit * (MEBIBYTE // len(unit))
    with pytest.raises(ValueError, match=r"JSON object|missing"):
        parse_json_object(text, required_keys=("never",))
    with pytest.raises(ValueError, match="variation"):
        parse_jsonl_variations(text)
    try:
        extract_json_or_fail(text)
    except RuntimeError as error:
        assert len(str(error)) < 1000


def test_a_number_without_end_is_read() -> None:
    assert parse_json_object('{"a": ' + "9" * 10_000 + "}")["a"] == float("inf")


class Scripted:
    """A model of a script's own: gives its answers in turn."""

    def __init__(self, *answers: Any) -> None:
        self.asked: list[list[Any]] = []
        self._answers = list(answers)

    def invoke(self, messages: list[Any]) -> Any:
        self.asked.append(messages)
        return self._answers.pop(0)


def question(text: str) -> str:
    return str(parse_json_object(text, string_keys=("question",))["question"])


def test_a_good_answer_is_asked_for_once() -> None:
    llm, messages = Scripted(AIMessage('{"question": "Why?"}')), [HumanMessage("Ask.")]
    assert query_structured_response(llm, messages, question, context="test") == "Why?"
    assert llm.asked == [messages]


@pytest.mark.parametrize("messages", ["Ask.", [{"role": "user", "content": "Ask."}], (HumanMessage("Ask."),)])
def test_a_bad_answer_is_told_what_is_wrong_with_it(messages: Any) -> None:
    llm = Scripted(AIMessage("Why not?"), '{"question": "Why?"}')
    found = query_structured_response(
        llm, messages, question, context="test", format_hint="one question", repair_guidance="Mend it."
    )
    assert found == "Why?"
    first, bad, complaint = llm.asked[1]
    assert [first] == llm.asked[0]
    assert bad == {"role": "assistant", "content": "Why not?"}
    assert complaint["role"] == "user"
    for part in ("no JSON object", "one question", "Mend it."):
        assert part in complaint["content"]


def test_only_the_latest_bad_answer_is_repeated_and_not_at_any_length() -> None:
    llm = Scripted("x" * 100_000, "y" * 100_000, '{"question": "Why?"}')
    assert query_structured_response(llm, "Ask.", question, context="test", max_attempts=3) == "Why?"
    assert [len(messages) for messages in llm.asked] == [1, 3, 3]
    assert all(len(messages[1]["content"]) < 10_000 for messages in llm.asked[1:])


def test_in_the_end_the_error_holds_what_there_is() -> None:
    llm = Scripted('{"variation": "one"}\n{"variation', "nothing")
    with pytest.raises(LLMResponseError, match=r"decomposition: .*variation") as caught:
        query_structured_response(llm, "Ask.", parse_jsonl_variations, context="decomposition")
    assert (caught.value.response, caught.value.partial) == ("nothing", ["one"])
    assert len(llm.asked) == 2


def test_a_parser_that_extracts_json_is_asked_again_too() -> None:
    llm = Scripted("nothing", "[1]")
    assert query_structured_response(llm, "Ask.", extract_json_or_fail, context="test") == [1]


def test_what_a_parser_does_not_foresee_is_not_hidden() -> None:
    def broken(text: str) -> str:
        raise KeyError(text)

    llm = Scripted("nothing")
    with pytest.raises(KeyError):
        query_structured_response(llm, "Ask.", broken, context="test")


def test_no_model_is_no_answer() -> None:
    with pytest.raises(LLMResponseError, match="test: there is no model"):
        query_structured_response(None, "Ask.", question, context="test")

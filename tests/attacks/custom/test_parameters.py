from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.custom.parameters import MOST_VALUES, Resolved, resolve_parameters
from sensei_kumite.yaml_reader import parse_yaml
from tests.attacks.custom.reading import told

FILE = Path("x.yml")


def resolve(text: str, **overrides: Any) -> Resolved:
    return resolve_parameters(parse_yaml(text, FILE), overrides)


def filled(text: str, **overrides: Any) -> Any:
    resolved = resolve(text, **overrides)
    assert resolved.problems == ()
    return resolved.document.data["note"]


def typed(text: str) -> Any:
    """A value as it is read from a file."""
    return parse_yaml(text, FILE).data


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("[a, {b: 1}]", ["a", {"b": 1}]),
        ("{a: [true]}", {"a": [True]}),
        ("true", True),
        ("3", 3),
        ("0.5", 0.5),
        ("null", None),
        ("''", ""),
    ],
)
def test_a_reference_alone_is_the_value_whatever_its_type(value: str, expected: Any) -> None:
    assert filled(f"parameters: {{p: {value}}}\nnote: '{{{{parameters.p}}}}'\n") == expected


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("true", "true"),
        ("False", "false"),
        ("null", "null"),
        ("~", "null"),
        ("0.3", "0.3"),
        ("1.10", "1.10"),
        ("007", "007"),
        ("no", "no"),
        ("'007'", "007"),
        ("x y", "x y"),
    ],
)
def test_inside_a_text_a_scalar_is_written_as_yaml_writes_it(value: str, written: str) -> None:
    assert filled(f"parameters: {{p: {value}}}\nnote: 'a {{{{parameters.p}}}}.'\n") == f"a {written}."


def test_every_text_of_the_document_is_filled_in() -> None:
    resolved = resolve("""\
parameters: {a: x, n: 2}
name: the {{parameters.a}}
cases:
  - id: "{{parameters.a}}1"
    variants: "{{parameters.n}}"
    tags: ["{{parameters.a}}", deep: ["-{{parameters.a}}-"]]
""")
    assert resolved.problems == ()
    assert resolved.document.data["name"] == "the x"
    assert resolved.document.data["cases"] == [{"id": "x1", "variants": 2, "tags": ["x", {"deep": ["-x-"]}]}]
    assert resolved.values == {"a": "x", "n": 2}


def test_parameters_use_parameters_in_any_order() -> None:
    text = """\
parameters:
  both: ["{{parameters.late}}", "{{parameters.early}}"]
  late: "{{parameters.early}}!"
  early: 007
note: "{{parameters.both}}"
"""
    resolved = resolve(text)
    assert resolved.document.data["note"] == ["007!", 7]
    assert resolved.values == {"both": ["007!", 7], "late": "007!", "early": 7}


def test_overrides_take_the_place_of_defaults_and_may_use_parameters_too() -> None:
    text = 'parameters: {a: 1, b: 2}\nnote: "{{parameters.a}} {{parameters.b}}"\n'
    assert filled(text, a=typed("007")) == "007 2"
    assert filled(text, a="<{{parameters.b}}>") == "<2> 2"
    assert filled(text, a=None) == "null 2"
    assert resolve(text, a=["x"], b=True).values == {"a": ["x"], "b": True}


def test_escapes_and_other_placeholders_are_left_for_later() -> None:
    text = "parameters: {a: 1}\nnote: '{{{{parameters.a}}}} {{name}} {{{parameters.a}}} {{parameters}}'\n"
    assert filled(text) == "{{{{parameters.a}}}} {{name}} {1} {{parameters}}"


@given(st.dictionaries(st.from_regex("[a-z]{1,4}", fullmatch=True), st.text("ab {}$'\\1")))
def test_values_arrive_as_they_are(values: dict[str, str]) -> None:
    safe = {name: value for name, value in values.items() if "{{" not in value}
    text = "".join(f"<{{{{parameters.{name}}}}}>" for name in safe)
    document = parse_yaml("{}", FILE)
    document.data.update({"parameters": dict.fromkeys(safe), "note": f"{text}."})
    resolved = resolve_parameters(document, safe)
    assert resolved.document.data["note"] == "".join(f"<{value}>" for value in safe.values()) + "."
    assert resolved.values == safe


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parameters: {a: 1}\nnote: '{{parameters.b}}'", "2: note: there is no parameter 'b'."),
        ("parameters: {name: 1}\nnote: '{{parameters.nmae}} x'", "Did you mean 'name'?"),
        ("note: 'x {{parameters.b}}'", "1: note: there is no parameter 'b'."),
        ("parameters: {a: 1}\ncases: [{id: q, m: '{{parameters.b}}'}]", "2: cases[1] (q) > m: there is no"),
        ("parameters: {a: 1}\ncases: [{m: ['{{parameters.b}}']}]", "2: cases[1] (custom_1) > m[1]: there"),
        ("parameters: {a: 1}\nnote: '{{ parameters.a }}'", "2: note: {{ parameters.a }} refers to no"),
        ("parameters: {a: 1}\nnote: '{{parameters.a.b}}'", "2: note: {{parameters.a.b}} refers to no"),
        ("parameters: {a: 1}\nnote: '{{parameters.}}'", "2: note: {{parameters.}} refers to no"),
        ("parameters: {a: [1]}\nnote: 'x{{parameters.a}}'", "2: note: the parameter 'a' is a list"),
        ("parameters: {a: {b: 1}}\nnote: 'x{{parameters.a}}'", "2: note: the parameter 'a' is a mapping"),
        ("parameters:\n  a-b: 1\n", "2: parameters > a-b: the name of a parameter"),
        ("parameters: [a]\n", "1: parameters: should be a mapping of names to values, not a list"),
        ("parameters:\n  a: '{{parameters.b}}'\n", "2: parameters > a: there is no parameter 'b'"),
        ("parameters: {a: k}\nnote: {'{{parameters.a}}': 1}", "2: note > {{parameters.a}}: a key cannot"),
        ("parameters:\n  a: 1\n  b: x{{parameters.c}}\n  c: y{{parameters.b}}", "3: parameters > b: this"),
    ],
)
def test_every_fault_has_its_place(text: str, expected: str) -> None:
    [problem] = told(resolve(text).problems)
    assert expected in problem


def test_all_faults_are_told_at_once() -> None:
    text = """\
parameters:
  a: "{{parameters.b}}"
  b: ["{{parameters.a}}"]
  c: "{{parameters.gone}}"
  d: "{{parameters.d}}"
note: "{{parameters.lost}}"
other: "{{parameters.a}} {{parameters.c}}"
"""
    resolved = resolve(text)
    assert told(resolved.problems) == [
        "2: parameters > a: this parameter uses itself: a -> b -> a.",
        "5: parameters > d: this parameter uses itself: d -> d.",
        "4: parameters > c: there is no parameter 'gone'.",
        "6: note: there is no parameter 'lost'.",
    ]
    assert {place.line for place in resolved.left} == {4, 6, 7}


@given(st.integers(1, 400))
def test_a_circle_of_any_length_is_shown(length: int) -> None:
    lines = "".join(f"  p{n}: '{{{{parameters.p{(n + 1) % length}}}}}'\n" for n in range(length))
    [problem] = resolve(f"parameters:\n{lines}").problems
    assert problem.message.endswith(" -> ".join(f"p{n}" for n in [*range(length), 0]) + ".")


def test_a_long_chain_is_no_circle() -> None:
    lines = "".join(f"  p{n}: '{{{{parameters.p{n + 1}}}}}'\n" for n in range(3000))
    assert filled(f"parameters:\n{lines}  p3000: end\nnote: '{{{{parameters.p0}}}}'\n") == "end"


def test_an_override_that_the_file_does_not_declare_is_named_with_those_it_does() -> None:
    [problem] = resolve("parameters: {marker: 1, count: 2}", makrer=3).problems
    assert problem.place is None
    assert str(problem) == (
        "parameters > makrer: the attack file declares no such parameter. Did you mean 'marker'? "
        "It declares: marker, count."
    )


def test_what_is_wrong_with_an_override_does_not_stand_in_the_file() -> None:
    [problem] = resolve("parameters: {a: 1}", a="{{parameters.b}}").problems
    assert (problem.place, problem.message) == (None, "parameters > a: there is no parameter 'b'.")


def doubling(write: Callable[[str], str]) -> str:
    start = "parameters:\n  p0: " + write("abcdefghij") + "\n"
    return start + "".join(f"  p{n + 1}: {write(f'{{{{parameters.p{n}}}}}')}\n" for n in range(60))


@pytest.mark.parametrize(
    "write",
    [
        lambda value: f'["{value}", "{value}"]',
        lambda value: f'"{value}{value}"',
        lambda value: f'{{a: "{value}", b: "{value}"}}',
    ],
    ids=["lists", "texts", "mappings"],
)
def test_parameters_that_double_again_and_again_are_refused_at_once(write: Callable[[str], str]) -> None:
    resolved = resolve(doubling(write))  # 2 to the power of 60: without a bound it would not end
    assert not resolved.is_filled
    assert re.search("repeat too much|longer than 10,000,000", resolved.problems[-1].message)


def test_parameters_may_not_nest_deeper_than_yaml() -> None:
    lines = "".join(f'  p{n + 1}: ["{{{{parameters.p{n}}}}}"]\n' for n in range(150))
    resolved = resolve(f"parameters:\n  p0: x\n{lines}")
    assert "deeper than 100 levels" in resolved.problems[-1].message


def test_a_large_file_may_use_its_parameters_often() -> None:
    words = ", ".join(f"word{n}" for n in range(50))
    uses = "".join('  - "{{parameters.words}}"\n' for _ in range(MOST_VALUES // 100))
    resolved = resolve(f"parameters:\n  words: [{words}]\nnote:\n{uses}")
    assert resolved.problems == ()
    assert len(resolved.document.data["note"][-1]) == 50

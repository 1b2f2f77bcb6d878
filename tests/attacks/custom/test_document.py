from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sensei_kumite.attacks.custom.document import CustomFile, Entry, read_custom_file
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath
from tests.attacks.custom.reading import put, read, told, tools

Read = Callable[..., CustomFile]


@pytest.fixture(name="read")
def read_here(tmp_path: Path) -> Read:
    return lambda text, **more: read(tmp_path, text, **more)


def lines(file: CustomFile) -> list[int | None]:
    return [problem.place.line if problem.place else None for problem in file.problems]


def test_a_whole_file(read: Read) -> None:
    file = read("""\
name: counter
description: At the counter.
oracle: {type: keyword_absent, params: {keywords: [secret]}}
taxonomy: [LLM02]
cases:
  - id: first
    prompt: Hello.
    severity: high
    tags: [a, 007]
    note:
  - prompt: Again.
    variants: 2
    oracle: {type: refusal_detection}
""")
    assert file.problems == ()
    assert (file.name, file.description, file.taxonomy) == ("counter", "At the counter.", ("LLM02",))
    assert file.oracle is not None
    assert file.oracle.spec == OracleSpec("keyword_absent", {"keywords": ["secret"]})
    first, second = file.cases
    assert (first.case_id, first.prompt, first.variants, first.oracle) == ("first", "Hello.", 1, None)
    assert first.metadata == {"severity": "high", "tags": ["a", 7], "note": None}
    assert (second.case_id, second.prompt, second.variants) == ("custom_2", "Again.", 2)
    assert second.oracle is not None
    assert second.oracle.spec == OracleSpec("refusal_detection", {})


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("007", "007"),
        ("1.10", "1.10"),
        ("true", "true"),
        ("no", "no"),
        ("12:30", "12:30"),
        ("", "custom_1"),
        ('""', "custom_1"),
        ("'a b'", "a b"),
    ],
)
def test_an_id_is_the_text_that_was_typed(read: Read, written: str, expected: str) -> None:
    assert read(f"cases:\n  - id: {written}\n    prompt: x\n").cases[0].case_id == expected


def test_other_keys_of_the_file_are_the_authors(read: Read) -> None:
    assert read("notes: [a]\nx-shared: &x {a: b}\ncases: [{prompt: x}]\n").problems == ()


def test_numbers_are_texts_where_text_belongs(read: Read) -> None:
    file = read("name: 007\ncases:\n  - prompt: 1.10\n")
    assert (file.problems, file.name, file.cases[0].prompt) == ((), "007", "1.10")


def test_parameters_are_filled_in_before_anything_is_looked_at(read: Read) -> None:
    text = """\
parameters: {name: 007, prompt: "say {{v}}", variables: {v: {value: x}}, type: t, times: 2, ids: [a, b]}
name: shop {{parameters.name}}
oracle: {type: "{{parameters.type}}"}
cases:
  - id: "{{parameters.name}}"
    prompt: "{{parameters.prompt}}"
    variables: "{{parameters.variables}}"
    variants: "{{parameters.times}}"
    tags: "{{parameters.ids}}"
"""
    file = read(text)
    assert file.problems == ()
    assert (file.name, file.oracle and file.oracle.spec.type) == ("shop 007", "t")
    [case] = file.cases
    assert (case.case_id, case.prompt, case.variants, [*case.variables]) == ("007", "say {{v}}", 2, ["v"])
    assert case.metadata["tags"] == ["a", "b"]
    assert case.metadata["custom_attack_parameters"] == file.parameters
    assert file.parameters["name"] == 7


def test_overrides_are_told_from_defaults(tmp_path: Path) -> None:
    file = read(tmp_path, "parameters: {a: 1, b: 2}\ncases: [{prompt: x}]", Entry({"a": "other"}))
    assert (file.defaults, file.parameters) == ({"a": 1, "b": 2}, {"a": "other", "b": 2})


def test_all_cases_may_come_from_a_parameter(tmp_path: Path) -> None:
    text = "parameters: {all: [{id: a, prompt: x}]}\ncases: '{{parameters.all}}'\n"
    assert [case.case_id for case in read(tmp_path, text).cases] == ["a"]
    broken = read(tmp_path, text.replace("prompt", "prmpt"))
    assert told(broken.problems)[0].startswith("2: cases[1] (a): the key 'prompt' is missing.")


def test_what_a_parameter_leaves_open_is_told_once(read: Read) -> None:
    file = read("""\
parameters: {a: "{{parameters.a}}"}
oracle: {type: t, params: {k: "{{parameters.b}}"}}
cases:
  - prompt: "{{parameters.a}}"
    variants: "{{parameters.a}}"
    oracle: {type: t, params: {k: "x {{parameters.c}}"}}
  - prompt: "{{d}}"
""")
    assert told(file.problems) == [
        "1: parameters > a: this parameter uses itself: a -> a.",
        "2: oracle > params > k: there is no parameter 'b'.",
        "6: cases[1] (custom_1) > oracle > params > k: there is no parameter 'c'.",
        "7: cases[2] (custom_2) > prompt: there is no variable 'd'.",
    ]


def test_parameters_that_repeat_too_much_end_the_reading(read: Read) -> None:
    doubling = "".join(
        f'  p{n + 1}: ["{{{{parameters.p{n}}}}}", "{{{{parameters.p{n}}}}}"]\n' for n in range(60)
    )
    file = read(f"parameters:\n  p0: x\n{doubling}cases: []\n")
    [problem] = file.problems
    assert "repeat too much" in problem.message


@pytest.mark.parametrize("empty", ["variables:", "generate:", "oracle:"])
def test_keys_without_content_do_no_harm(read: Read, empty: str) -> None:
    file = read(f"parameters:\ncases:\n  - prompt: x\n    {empty}\n")
    assert (file.problems, len(file.cases), file.cases[0].metadata) == ((), 1, {})


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("cases:\n  - id: a\n", 2, ["(a)", "prompt"]),
        ("cases:\n  - id: a\n    prompt: ''\n", 3, ["(a)", "prompt", "empty"]),
        ("cases:\n  - id: a\n    prompt: true\n", 3, ["(a)", "prompt", "quote"]),
        ("cases:\n  - id: a\n    prompt: [x]\n", 3, ["(a)", "prompt"]),
        ("cases:\n  - id: [a]\n    prompt: x\n", 2, ["id", "text or a number"]),
        ("cases:\n  - id: a\n    prompt: x\n    variants: two\n", 4, ["(a)", "variants"]),
        ("cases:\n  - id: a\n    prompt: x\n    oracle: refusal_detection\n", 4, ["(a)", "oracle"]),
        (
            "cases:\n  - id: a\n    prompt: x\n    oracle: {type: t, params: [x]}\n",
            4,
            ["(a)", "oracle > params"],
        ),
        ("cases:\n  - just a text\n", 2, ["cases[1] (custom_1)", "prompt"]),
        ("cases: []\n", 1, ["at least one case"]),
        ("cases:\n", 1, ["at least one case"]),
        ("cases: {a: b}\n", 1, ["at least one case"]),
        ("name: x\n", 1, ["at least one case"]),
        ("", 1, ["mapping"]),
        ("- prompt: x\n", 1, ["mapping"]),
        ("name: ''\ncases: [{prompt: x}]\n", 1, ["name", "empty"]),
        ("oracle: {params: {}}\ncases: [{prompt: x}]\n", 1, ["oracle", "type"]),
        ("oracle: {type: t, params: {k: '{{ v }}'}}\ncases: [{prompt: x}]\n", 1, ["oracle > params > k"]),
        ("cases: [{prompt: x}]\nsomething: &a 1\norcale: {type: y}\n", 3, ["'orcale'", "'oracle'"]),
        ("cases: [{prompt: x}]\nparamters: {a: 1}\n", 2, ["'paramters'", "'parameters'"]),
    ],
)
def test_every_fault_has_its_place(read: Read, text: str, line: int, says: list[str]) -> None:
    file = read(text)
    assert lines(file) == [line], [str(problem) for problem in file.problems]
    assert all(word in str(file.problems[0]) for word in says), str(file.problems[0])


def test_all_faults_are_reported_together(read: Read) -> None:
    assert lines(read("nmae: x\ncases:\n  - id: a\n  - prompt: ''\n  - {prompt: '{{x}}'}\n")) == [1, 3, 4, 5]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("{id: a, prompt: x}", "{id: a, prompt: y}"),
        ("{id: custom_2, prompt: x}", "{prompt: y}"),
        ("{id: 1, prompt: x}", "{id: '1', prompt: y}"),
        ("{id: a, prompt: x, variants: 12}", "{id: a_12, prompt: y}"),
        ("{id: a, prompt: x, variants: 2}", "{id: a, prompt: y, variants: 3}"),
        ("{id: a, prompt: x, variants: 999999999999}", "{id: a_99999, prompt: y}"),
    ],
)
def test_two_cases_with_one_id_are_named_with_both_lines(read: Read, first: str, second: str) -> None:
    file = read(f"cases:\n  - {first}\n  - {second}\n")
    assert lines(file) == [3]
    assert "duplicate case id" in str(file.problems[0])
    assert "line 2" in str(file.problems[0])


def test_a_case_with_other_faults_keeps_its_id_for_itself(read: Read) -> None:
    file = read("cases:\n  - {id: a, prompt: '{{x}}'}\n  - {id: a, prompt: y}\n")
    assert lines(file) == [2, 3]


def test_a_variant_may_come_after_the_id_that_it_takes(read: Read) -> None:
    file = read("cases:\n  - {id: a_1, prompt: y}\n  - {id: a, prompt: x, variants: 2}\n")
    assert lines(file) == [2]
    assert "line 3" in str(file.problems[0])


@pytest.mark.parametrize("other", ["a_3", "a_0", "a_01", "a_x", "a_", "a_1_1", "b_1", f"a_{'9' * 5000}"])
def test_ids_that_only_look_like_variants_are_free(read: Read, other: str) -> None:
    text = f"cases:\n  - {{id: a, prompt: x, variants: 2}}\n  - {{id: {other}, prompt: y}}\n"
    assert read(text).problems == ()


def test_the_oracles_are_checked_where_they_stand(read: Read) -> None:
    asked: list[tuple[OracleSpec, YamlPath]] = []

    def check(spec: OracleSpec, document: Document, place: YamlPath) -> list[Problem]:
        asked.append((spec, place))
        return [Problem(f"no {spec.type}", document.place(place))]

    text = "oracle: {type: one}\ncases:\n  - prompt: x\n    oracle: {type: two, params: {k: 007}}\n"
    file = read(text, check_oracle=check)
    assert sorted(asked, key=str) == sorted(
        [(OracleSpec("one", {}), ("oracle",)), (OracleSpec("two", {"k": 7}), ("cases", 0, "oracle"))], key=str
    )
    assert sorted(told(file.problems)) == [
        "1: oracle: no one",
        "4: cases[1] (custom_1) > oracle: no two",
    ]


TEXTS = st.sampled_from(
    [
        "",
        "x",
        "{{a}}",
        "{{ a }}",
        "${a}",
        "{{{{a}}}}",
        "{{parameters.p}}",
        "y{{parameters.q}}",
        "}}",
        "t.txt",
        "f.py",
    ]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 3), TEXTS)
KEYS = st.sampled_from(
    [
        *("value", "function", "type", "protect", "generate", "prompt", "fallback", "path", "name"),
        *("arguments", "rephrase", "target", "id", "oracle", "params", "variants", "variables", "a", "p"),
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15,
)
CASES = st.fixed_dictionaries(
    {"prompt": TEXTS}, optional={"variables": VALUES, "oracle": VALUES, "id": SCALARS, "generate": SCALARS}
)
FILES = st.fixed_dictionaries(
    {"cases": st.one_of(VALUES, st.lists(CASES, max_size=3))},
    optional={"parameters": VALUES, "oracle": VALUES},
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(FILES)
def test_whatever_stands_in_a_file_it_is_read_or_told_with_its_place(tmp_path: Path, data: Any) -> None:
    file = read(tmp_path, json.dumps(data))
    assert all(problem.place is not None for problem in file.problems)
    assert file.cases or file.problems


def test_an_unquoted_placeholder_gets_the_hint_to_quote_it(read: Read) -> None:
    file = read("cases:\n  - id: x\n    prompt: {{template}}\n")
    assert lines(file) == [3]
    assert "quote" in str(file.problems[0])


def test_a_file_that_is_no_yaml_file_is_not_read(tmp_path: Path) -> None:
    put(tmp_path, {"x.json": '{"cases": [{"prompt": "x"}]}'})
    [problem] = read_custom_file(tmp_path / "x.json", tools(tmp_path)).problems
    assert ".yml" in problem.message
    assert problem.place is not None


@pytest.mark.parametrize("name", ["x.yml", "x.yaml", "X.YML"])
def test_both_suffixes_are_read(tmp_path: Path, name: str) -> None:
    put(tmp_path, {name: "cases: [{prompt: x}]"})
    assert len(read_custom_file(tmp_path / name, tools(tmp_path)).cases) == 1

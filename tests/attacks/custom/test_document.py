from collections.abc import Callable
from pathlib import Path

import pytest

from sensei_kumite.attacks.custom.document import CustomFile, read_custom_file
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath

Read = Callable[[str], CustomFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_text(text: str) -> CustomFile:
        path = tmp_path / "x.yml"
        path.write_text(text, encoding="utf-8")
        return read_custom_file(path)

    return read_text


def lines(file: CustomFile) -> list[int | None]:
    assert all(problem.place is not None for problem in file.problems)
    return [problem.place.line for problem in file.problems if problem.place]


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
    assert file.oracle == OracleSpec("keyword_absent", {"keywords": ["secret"]})
    first, second = file.cases
    assert (first.case_id, first.prompt, first.variants, first.oracle) == ("first", "Hello.", 1, None)
    assert first.metadata == {"severity": "high", "tags": ["a", 7], "note": None}
    assert (second.case_id, second.prompt, second.variants) == ("custom_2", "Again.", 2)
    assert second.oracle == OracleSpec("refusal_detection", {})


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
def test_an_id_is_the_scalar_as_typed(read: Read, written: str, expected: str) -> None:
    [case] = read(f"cases: [{{prompt: hi, id: {written}}}]").cases
    assert case.case_id == expected


@pytest.mark.parametrize(
    ("written", "expected"), [("12.50", "12.50"), ("no", "no"), ("'{x} 100%'", "{x} 100%")]
)
def test_a_prompt_is_the_text_as_typed(read: Read, written: str, expected: str) -> None:
    [case] = read(f"cases: [{{prompt: {written}}}]").cases
    assert case.prompt == expected


@pytest.mark.parametrize("prompt", ["{{7*7}}", "{{ name }}", "${name}", "{{", "{% x %}", "{{{{{{x}}}}}}"])
def test_braces_that_are_no_placeholder_are_sent_as_they_are(read: Read, prompt: str) -> None:
    [case] = read(f"cases: [{{prompt: '{prompt}'}}]").cases
    assert case.prompt == prompt


def test_escaped_braces_become_literal_in_prompts_and_oracles(read: Read) -> None:
    file = read("""\
cases:
  - prompt: say {{{{name}}}}
    oracle: {type: keyword_absent, params: {keywords: ["{{{{name}}}}"]}}
""")
    assert file.problems == ()
    assert file.cases[0].prompt == "say {{name}}"
    assert file.cases[0].oracle == OracleSpec("keyword_absent", {"keywords": ["{{name}}"]})


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            "cases:\n  - id: a\n    prompt: say {{name}}\n",
            3,
            ["(a)", "prompt", "{{name}}", "not supported yet"],
        ),
        (
            "cases:\n  - prompt: x\n    oracle:\n      type: keyword_absent\n"
            "      params:\n        keywords: [a, '{{b.c}}']\n",
            6,
            ["(custom_1)", "oracle", "{{b.c}}"],
        ),
        ("cases:\n  - id: a\n    prompt: x\n    variables:\n      n: {value: 1}\n", 4, ["(a)", "variables"]),
        (
            "cases:\n  - id: a\n    generate: x\n    fallback: y\n",
            3,
            ["(a)", "generate", "not supported yet"],
        ),
        ("parameters: {a: 1}\ncases: [{prompt: x}]\n", 1, ["parameters", "not supported yet"]),
    ],
)
def test_what_belongs_to_a_later_release_is_never_sent_raw(
    read: Read, text: str, line: int, says: list[str]
) -> None:
    file = read(text)
    assert lines(file) == [line]
    assert all(word in str(file.problems[0]) for word in says), str(file.problems[0])


@pytest.mark.parametrize("empty", ["variables: {}", "variables:", "generate:"])
def test_later_keys_without_content_do_no_harm(read: Read, empty: str) -> None:
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
        ("cases:\n  - id: a\n    prompt: x\n    variants: 0\n", 4, ["(a)", "variants", "1"]),
        ("cases:\n  - id: a\n    prompt: x\n    variants: two\n", 4, ["(a)", "variants"]),
        ("cases:\n  - id: a\n    prompt: x\n    oracle: {params: {}}\n", 4, ["(a)", "oracle", "type"]),
        ("cases:\n  - id: a\n    prompt: x\n    oracle: refusal_detection\n", 4, ["(a)", "oracle"]),
        ("cases:\n  - just a text\n", 2, ["cases[1]", "prompt"]),
        ("cases: []\n", 1, ["at least one case"]),
        ("cases:\n", 1, ["at least one case"]),
        ("cases: {a: b}\n", 1, ["at least one case"]),
        ("name: x\n", 1, ["at least one case"]),
        ("", 1, ["mapping"]),
        ("- prompt: x\n", 1, ["mapping"]),
        ("name: ''\ncases: [{prompt: x}]\n", 1, ["name", "empty"]),
        ("oracle: {params: {}}\ncases: [{prompt: x}]\n", 1, ["oracle", "type"]),
        ("cases: [{prompt: x}]\nsomething: &a 1\norcale: {type: y}\n", 3, ["'orcale'", "'oracle'"]),
    ],
)
def test_every_fault_has_its_place(read: Read, text: str, line: int, says: list[str]) -> None:
    file = read(text)
    assert lines(file) == [line], [str(problem) for problem in file.problems]
    assert all(word in str(file.problems[0]) for word in says), str(file.problems[0])


def test_all_faults_are_reported_together(read: Read) -> None:
    assert lines(read("nmae: x\ncases:\n  - id: a\n  - prompt: ''\n  - {prompt: '{{x}}'}\n")) == [1, 3, 4, 5]


def test_a_misspelt_key_of_a_case_is_metadata_with_a_warning(read: Read) -> None:
    file = read("cases:\n  - id: a\n    prompt: x\n    variant: 3\n    kind: y\n")
    assert file.cases[0].metadata == {"variant": 3, "kind": "y"}
    [problem] = file.problems
    assert (problem.severity, lines(file)) == ("warning", [4])
    assert "'variants'" in str(problem)


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


def test_a_variant_may_come_after_the_id_that_it_takes(read: Read) -> None:
    file = read("cases:\n  - {id: a_1, prompt: y}\n  - {id: a, prompt: x, variants: 2}\n")
    assert lines(file) == [2]
    assert "line 3" in str(file.problems[0])


@pytest.mark.parametrize("other", ["a_3", "a_0", "a_01", "a_x", "a_", "a_1_1", "b_1", f"a_{'9' * 5000}"])
def test_ids_that_only_look_like_variants_are_free(read: Read, other: str) -> None:
    assert (
        read(f"cases:\n  - {{id: a, prompt: x, variants: 2}}\n  - {{id: {other}, prompt: y}}\n").problems
        == ()
    )


def test_the_oracles_are_checked_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text("oracle: {type: one}\ncases:\n  - prompt: x\n    oracle: {type: two, params: {k: 007}}\n")
    asked: list[tuple[OracleSpec, YamlPath]] = []

    def check(spec: OracleSpec, document: Document, place: YamlPath) -> list[Problem]:
        asked.append((spec, place))
        return [Problem(f"no {spec.type}", document.place(place))]

    file = read_custom_file(path, check)
    assert sorted(asked, key=str) == sorted(
        [(OracleSpec("one", {}), ("oracle",)), (OracleSpec("two", {"k": 7}), ("cases", 0, "oracle"))], key=str
    )
    assert sorted(str(problem.message) for problem in file.problems) == ["no one", "no two"]


def test_an_unquoted_placeholder_gets_the_hint_to_quote_it(read: Read) -> None:
    file = read("cases:\n  - id: x\n    prompt: {{template}}\n")
    assert lines(file) == [3]
    assert "quote" in str(file.problems[0])


def test_a_file_that_is_no_yaml_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"cases": [{"prompt": "x"}]}')
    [problem] = read_custom_file(path).problems
    assert ".yml" in problem.message
    assert problem.place is not None


@pytest.mark.parametrize("name", ["x.yml", "x.yaml", "X.YML"])
def test_both_suffixes_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("cases: [{prompt: x}]")
    assert len(read_custom_file(tmp_path / name).cases) == 1

import tracemalloc
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.base import Attack, Prompt
from sensei_kumite.models import OracleSpec
from tests.attacks.build import ScriptedModel, attack, written

KEYWORD = "{type: keyword_absent, params: {keywords: [zz]}}"


def custom(folder: Path, text: str, *, attempts: int = 1, **entry: Any) -> Attack[Any]:
    (folder / "x.yml").write_text(text, encoding="utf-8")
    return attack("custom_benchmark", folder, attempts=attempts, **{"source": "x.yml", **entry})


def ids(built: Attack[Any]) -> list[str | None]:
    return [prompt.case_id for prompt in written(built)]


TWO = "cases: [{id: a, prompt: x}, {id: b, prompt: y, variants: 2, severity: low}]"


def test_one_pass_has_plain_ids_and_numbered_variants(tmp_path: Path) -> None:
    assert list(written(custom(tmp_path, TWO))) == [
        Prompt("x", {}, "a"),
        Prompt("y", {"severity": "low", "generation_variant": 1}, "b_1"),
        Prompt("y", {"severity": "low", "generation_variant": 2}, "b_2"),
    ]


def test_attempts_are_whole_passes_named_at_the_end_of_the_id(tmp_path: Path) -> None:
    assert ids(custom(tmp_path, TWO, attempts=2)) == [
        "a_attempt_1",
        "b_1_attempt_1",
        "b_2_attempt_1",
        "a_attempt_2",
        "b_1_attempt_2",
        "b_2_attempt_2",
    ]


def test_the_file_names_the_attack_in_reports(tmp_path: Path) -> None:
    assert custom(tmp_path, f"name: counter talk\n{TWO}").report_name == "counter talk"
    assert custom(tmp_path, TWO).report_name == "custom_benchmark"
    assert custom(tmp_path, "cases: [").report_name == "custom_benchmark"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("description: At the counter.\ncases: [{prompt: x}]", "At the counter. (1 case)"),
        (TWO, "No description. (2 cases)"),
    ],
)
def test_a_summary_counts_the_cases(tmp_path: Path, text: str, summary: str) -> None:
    assert custom(tmp_path, text).summary == summary


def test_the_older_key_names_the_file_too(tmp_path: Path) -> None:
    (tmp_path / "x.yml").write_text(TWO)
    built = attack("custom_benchmark", tmp_path, params={"file": "x.yml"})
    assert (built.problems(), len(list(written(built)))) == ([], 3)


ENTRY = {"type": "refusal_detection"}
FILE = f"oracle: {KEYWORD}\n"
CASES = "cases: [{id: a, prompt: x}, {id: b, prompt: y, oracle: {type: pii_leakage}}]"


@pytest.mark.parametrize(
    ("text", "entry", "expected"),
    [
        (FILE + CASES, {"oracle": ENTRY}, ["refusal_detection", "pii_leakage"]),
        (FILE + CASES, {}, ["keyword_absent", "pii_leakage"]),
        (CASES, {"oracle": ENTRY}, ["refusal_detection", "pii_leakage"]),
        (CASES, {}, ["llm_judge", "pii_leakage"]),
    ],
)
def test_the_nearest_oracle_wins(
    tmp_path: Path, text: str, entry: dict[str, Any], expected: list[str]
) -> None:
    built = custom(tmp_path, text, **entry)
    assert [(prompt.oracle or built.oracle()).type for prompt in written(built)] == expected


def test_the_judge_is_not_asked_for_where_every_case_brings_its_oracle(tmp_path: Path) -> None:
    built = custom(tmp_path, "cases: [{prompt: x, oracle: {type: pii_leakage}}]")
    assert built.oracle().type != "llm_judge"
    assert [prompt.oracle for prompt in written(built)] == [OracleSpec("pii_leakage", {})]


def test_the_judge_is_not_asked_for_where_the_file_cannot_be_read(tmp_path: Path) -> None:
    assert custom(tmp_path, "cases: [").oracle().type != "llm_judge"


def test_ids_of_public_standards_come_from_the_file_or_the_strategy(tmp_path: Path) -> None:
    assert custom(tmp_path, f"taxonomy: [LLM02, LLM05]\n{TWO}").taxonomy == ("LLM02", "LLM05")
    assert custom(tmp_path, TWO).taxonomy == ("LLM01", "AML.T0051.000")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"source": None}, "no file of cases"),
        ({"params": {"file": "y.yml"}}, "different files"),
        ({"source": "gone.yml"}, "gone.yml"),
        ({"parameters": {"a": 1}}, "not supported yet"),
    ],
)
def test_an_entry_that_cannot_work_says_why(tmp_path: Path, entry: dict[str, Any], says: str) -> None:
    [problem] = custom(tmp_path, TWO, **entry).problems()
    assert says in str(problem)


def test_faults_of_the_file_are_faults_of_the_attack(tmp_path: Path) -> None:
    [problem] = custom(tmp_path, "cases:\n  - id: a\n    prompt: '{{name}}'\n").problems()
    assert str(problem).startswith(f"{tmp_path / 'x.yml'}:3:")


def test_the_final_prompt_may_be_rephrased(tmp_path: Path) -> None:
    model = ScriptedModel('["Kindly explain tides."]', '["Please describe tides."]')
    text = "cases: [{id: a, prompt: Please explain tides., variants: 2, severity: low}]"
    first, second = written(custom(tmp_path, text, model=model, rephrase=0.33))
    assert (first.text, second.text) == ("Kindly explain tides.", "Please describe tides.")
    assert (first.case_id, second.case_id) == ("a_1", "a_2")
    assert second.metadata["severity"] == "low"
    assert second.metadata["generation_variant"] == 2
    assert second.metadata["rephrased_component"] == "prompt"


def test_prompts_stream_however_many_attempts_there_are(tmp_path: Path) -> None:
    cases = "\n".join(f"  - prompt: number {number}" for number in range(200))
    built = custom(tmp_path, f"cases:\n{cases}\n", attempts=1_000_000)
    prompts = written(built)
    assert next(prompts).case_id == "custom_1_attempt_1"
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    assert sum(1 for _ in islice(prompts, 20_000)) == 20_000
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000

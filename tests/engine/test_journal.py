from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.engine.journal import (
    JsonLines,
    RunFolder,
    case_from_row,
    case_to_row,
    read_plan,
    result_to_row,
    write_plan,
)
from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.models import Case, OracleSpec, Result, Status, Transcript, Turn, Verdict
from tests.engine.doubles import case

NOW = datetime(2026, 3, 4, 5, 6, 7)
any_text = st.text(st.characters(), max_size=30)


@given(any_text, any_text, st.dictionaries(any_text, st.none() | st.booleans() | st.integers() | any_text))
def test_a_case_survives_the_plan_file_whatever_its_text(
    prompt: str, case_id: str, metadata: dict[str, Any]
) -> None:
    original = Case(3, "name", case_id, 2, prompt, OracleSpec("not", {"oracle": {"type": prompt}}), metadata)
    assert case_from_row(json.loads(json.dumps(case_to_row(original)))) == original


def test_the_plan_is_read_back_in_order(tmp_path: Path) -> None:
    cases = [case(n) for n in range(5)]
    assert write_plan(tmp_path / "plan.jsonl", iter(cases)) == 5
    assert list(read_plan(tmp_path / "plan.jsonl")) == list(enumerate(cases))


def test_a_result_row_holds_verdict_and_conversation() -> None:
    transcript = Transcript((Turn("hello", None, "gone", 0.1),), Turn("attack", "answer", None, 0.2))
    verdict = Verdict(False, "found it", {"found": ["x"]})
    result = Result(case(), Status.BREACHED, "found it", "answer", verdict, transcript, {"attempt": 1}, ())
    row = result_to_row(7, result)
    assert (row["schema"], row["index"], row["status"], row["reason"]) == (1, 7, "breached", "found it")
    assert row["oracle"] == {
        "type": "keyword_absent",
        "params": {"keywords": ["secret"]},
        "passed": False,
        "evidence": {"found": ["x"]},
    }
    assert row["conversation"] == [{"User": "hello"}, {"User": "attack", "Assistant": "answer"}]


def test_a_result_without_verdict_has_no_passed() -> None:
    row = result_to_row(0, Result(case(), Status.SKIPPED, "why"))
    assert set(row["oracle"]) == {"type", "params"}
    assert row["conversation"] == [{"User": "hi"}]
    assert row["response"] is None


def test_lines_reach_the_file_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with JsonLines(path) as lines:
        lines.write({"a": "é\ud800\n"})
        assert [json.loads(line) for line in path.read_text().splitlines()] == [{"a": "é\ud800\n"}]


def test_a_run_folder_is_named_by_its_serial(tmp_path: Path) -> None:
    folder = RunFolder.take(tmp_path, "my suite/2026: x", NOW)
    assert folder.serial == "2026-03-04-05-06-07"
    assert folder.path == tmp_path / "security_reports" / "my_suite_2026__x" / folder.serial
    assert folder.path.is_dir()


def test_serials_are_unique_even_among_campaigns(tmp_path: Path) -> None:
    serials = [RunFolder.take(tmp_path, name, NOW).serial for name in ("a", "a", "b", "a")]
    assert len(set(serials)) == 4


def test_names_never_leave_the_output_folder(tmp_path: Path) -> None:
    for name in ("..", "../../etc", "/", ""):
        path = RunFolder.take(tmp_path / "output", name, NOW).path.resolve()
        assert path.is_relative_to((tmp_path / "output" / "security_reports").resolve())
        assert path.parent.parent == (tmp_path / "output" / "security_reports").resolve()


def test_an_output_that_is_a_file_is_a_clear_problem(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("not a folder")
    with pytest.raises(EnvironmentProblem, match="output"):
        RunFolder.take(tmp_path / "output", "name", NOW)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.engine.journal import (
    JsonLines,
    case_from_row,
    case_to_row,
    drop_incomplete,
    finished_cases,
    mend,
    read_plan,
    result_rows,
    result_to_row,
    write_plan,
)
from sensei_kumite.models import Case, OracleSpec, Result, Status, Transcript, Turn, Verdict
from tests.engine.doubles import case

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


@pytest.mark.parametrize("torn", ["", "{", '{"index": 7', '{"index": 7}'])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"index": 0}\n{"index": 2}\n' + torn)
    assert mend(path) == 2
    assert path.read_text() == '{"index": 0}\n{"index": 2}\n'


def test_there_is_nothing_to_mend_without_a_file(tmp_path: Path) -> None:
    assert mend(tmp_path / "results.jsonl") == 0
    assert not (tmp_path / "results.jsonl").exists()


def test_finished_cases_are_flagged_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"index": 2}\n{"index": 0}\n')
    assert list(finished_cases(path, 4)) == [1, 0, 1, 0]
    assert list(finished_cases(tmp_path / "none", 2)) == [0, 0]


def test_secrets_are_never_written(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with JsonLines(path, ['k"ey\u00e9-123']) as lines:
        lines.write({"response": 'your key is k"ey\u00e9-123!'})
    assert json.loads(path.read_text()) == {"response": "your key is [secret]!"}


def searched(number: int, rows: int) -> Result:
    """The result of a case with those of its search, complete at the last."""
    results = [
        Result(case(number), Status.RESILIENT, "", metadata={"entry_complete": part == rows - 1})
        for part in range(rows)
    ]
    return Result(case(number), Status.RESILIENT, "", metadata=results[0].metadata, search=tuple(results[1:]))


def test_the_results_of_a_search_are_numbered_lines_of_their_case(tmp_path: Path) -> None:
    rows = result_rows(4, searched(1, 3))
    assert [(row["index"], row.get("part")) for row in rows] == [(4, None), (4, 1), (4, 2)]
    assert [row["metadata"]["entry_complete"] for row in rows] == [False, False, True]


@given(kept=st.integers(0, 9))
def test_a_case_is_finished_with_its_last_line_and_dropped_without(
    tmp_path_factory: pytest.TempPathFactory, kept: int
) -> None:
    path = tmp_path_factory.mktemp("journal") / "results.jsonl"
    with JsonLines(path) as journal:
        journal.write(*result_rows(2, searched(3, 4)))
        journal.write(*result_rows(0, searched(1, 1)))
        journal.write(*result_rows(1, searched(2, 4)))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:kept]))
    complete = {index for index, end in ((2, 4), (0, 5), (1, 9)) if kept >= end}
    assert {index for index in range(3) if finished_cases(path, 3)[index]} == complete
    assert drop_incomplete(path) == (kept not in (0, 4, 5, 9))
    assert {json.loads(line)["index"] for line in path.read_text().splitlines()} == complete
    assert drop_incomplete(path) == 0


def test_results_of_an_earlier_plan_that_was_longer_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"index": 7}\n{"index": 1}\n')
    assert list(finished_cases(path, 2)) == [0, 1]


def test_what_was_left_of_a_mending_that_was_cut_short_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with JsonLines(path) as journal:
        journal.write(*result_rows(0, searched(1, 2)), *result_rows(1, searched(2, 2))[:1])
    (tmp_path / "results.kept").write_text('{"index": 9}\n')
    assert drop_incomplete(path) == 1
    assert [json.loads(line)["index"] for line in path.read_text().splitlines()] == [0, 0]

"""Reading a journal back: plan order, torn and repeated lines, surrogates, damage."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.reports.rows import ResultRows
from tests.reports.journals import make_row, write_journal


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


def indices(rows: ResultRows) -> list[int]:
    return [row["index"] for row in rows]


@given(order=st.permutations(range(12)))
def test_rows_come_in_plan_order_however_they_finished(
    order: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("run") / "results.jsonl"
    rows = ResultRows(write_journal(path, [make_row(index) for index in order]))
    assert list(rows) == [make_row(index) for index in range(12)]
    assert len(rows) == 12


def test_rows_can_be_iterated_again_and_side_by_side(journal: Path) -> None:
    rows = ResultRows(write_journal(journal, map(make_row, (1, 0, 2))))
    assert [(a, b) for a, b in zip(indices(rows), indices(rows), strict=True)] == [(0, 0), (1, 1), (2, 2)]
    assert next(iter(rows)) == make_row(0)


def test_cases_that_never_finished_leave_a_gap(journal: Path) -> None:
    assert indices(ResultRows(write_journal(journal, map(make_row, (7, 3))))) == [3, 7]


def test_of_two_results_of_one_case_the_later_counts(journal: Path) -> None:
    rows = [make_row(0, "error"), make_row(1), make_row(0, "breached")]
    assert [row["status"] for row in ResultRows(write_journal(journal, rows))] == ["breached", "resilient"]


@given(order=st.permutations([(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (10, 0)]))
def test_the_rows_of_a_searched_case_stand_together_in_their_order(
    order: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("run") / "results.jsonl"
    rows = [make_row(index, part=part) if part else make_row(index) for index, part in order]
    read = [(row["index"], row.get("part", 0)) for row in ResultRows(write_journal(path, rows))]
    assert read == sorted(order)


def test_of_two_results_of_one_part_the_later_counts(journal: Path) -> None:
    rows = [make_row(0), make_row(0, "error", part=1), make_row(0, "breached", part=1), make_row(0, part=0)]
    assert [row["status"] for row in ResultRows(write_journal(journal, rows))] == ["resilient", "breached"]


def test_an_empty_journal_has_no_rows(journal: Path) -> None:
    journal.write_bytes(b"")
    assert list(ResultRows(journal)) == []


@pytest.mark.parametrize("position", range(0, 360, 13))
def test_a_last_line_torn_anywhere_is_ignored(journal: Path, position: int) -> None:
    write_journal(journal, map(make_row, (1, 0)))
    torn = json.dumps(make_row(2)).encode()[:position]
    journal.write_bytes(journal.read_bytes() + torn)
    assert indices(ResultRows(journal)) == [0, 1]


def test_a_line_torn_within_a_character_is_ignored(journal: Path) -> None:
    write_journal(journal, [make_row(0)])
    torn = json.dumps(make_row(1, response="ñ"), ensure_ascii=False).encode()
    journal.write_bytes(journal.read_bytes() + torn[: torn.index(b"\xc3") + 1])
    assert indices(ResultRows(journal)) == [0]


def test_a_complete_last_line_counts_without_its_line_end(journal: Path) -> None:
    write_journal(journal, map(make_row, (0, 1)))
    journal.write_bytes(journal.read_bytes().rstrip(b"\n"))
    assert indices(ResultRows(journal)) == [0, 1]


@pytest.mark.parametrize(
    "damage",
    [
        *('{"schema": 1, "ind', "[1, 2]", '{"no": "index"}', '{"index": "0"}', "\0\0\0"),
        *('{"index": 0, "part": "1"}', '{"index": 0, "part": -1}', '{"index": 0, "part": 4294967296}'),
    ],
)
def test_damage_before_the_last_line_is_an_error_with_its_place(journal: Path, damage: str) -> None:
    good = json.dumps(make_row(0))
    journal.write_text(f"{good}\n{damage}\n{good}\n")
    with pytest.raises(EnvironmentProblem, match=re.escape(f"{journal}:2: this line is not a result.")):
        ResultRows(journal)


def test_a_missing_journal_is_an_error_with_its_path(journal: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=re.escape(f"{journal} cannot be read: No such file")):
        ResultRows(journal)


def test_lone_surrogates_are_replaced_and_the_row_says_so(journal: Path) -> None:
    row = make_row(0, response="cut \ud83d off", conversation=[{"User": "\udc80", "Assistant": "ok"}])
    (read,) = ResultRows(write_journal(journal, [row]))
    assert read["response"] == "cut \ufffd off"
    assert read["conversation"] == [{"User": "\ufffd", "Assistant": "ok"}]
    assert read["metadata"] == {"execution_mode": "direct", "surrogates_replaced": True}


@pytest.mark.parametrize("response", ["😀 emoji", "퟿ Hangul", "{\\ud800} in words", "í"])
def test_text_that_only_resembles_surrogates_is_left_alone(journal: Path, response: str) -> None:
    for ascii_only in (True, False):
        line = json.dumps(make_row(0, response=response), ensure_ascii=ascii_only)
        journal.write_text(line + "\n", encoding="utf-8")
        assert list(ResultRows(journal)) == [make_row(0, response=response)]

"""A case and its dynamic attack as one outcome."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.reports.outcomes import Finder, found_by, outcomes
from sensei_kumite.reports.reading import kind_of
from tests.reports.journals import make_row
from tests.reports.searches import search_row, searched

STATUSES = ["resilient", "breached", "error", "skipped"]


def potential(row: dict[str, Any]) -> dict[str, Any]:
    row["metadata"]["weight"] = "Potential"
    return row


def decided(rows: list[dict[str, Any]]) -> tuple[str, str]:
    (case,) = outcomes(rows)
    return case.decisive["case_id"], kind_of(case.decisive)


def test_a_case_without_a_search_is_its_only_row() -> None:
    rows = [make_row(0, "error"), make_row(1, "breached"), make_row(5)]
    assert [(case.decisive, list(case.rows)) for case in outcomes(rows)] == [(row, [row]) for row in rows]
    assert list(outcomes([])) == []


def test_each_case_has_its_own_rows() -> None:
    rows = [
        *searched(0, "resilient", "resilient", "breached"),
        make_row(1),
        *searched(2, "resilient", "error"),
    ]
    assert [len(case.rows) for case in outcomes(rows)] == [3, 1, 2]
    assert [kind_of(case.decisive) for case in outcomes(rows)] == ["breached", "resilient", "error"]


@pytest.mark.parametrize(
    ("first", "search", "decisive", "status"),
    [
        ("resilient", ["resilient", "breached", "resilient"], "amnesia_1-attack-2", "breached"),
        ("breached", ["resilient"], "amnesia_1", "breached"),
        ("resilient", ["resilient", "resilient", "error"], "amnesia_1-attack-2", "resilient"),
        ("error", ["resilient"], "amnesia_1-attack-1", "resilient"),
        ("resilient", ["error", "error", "skipped"], "amnesia_1-attack-2", "error"),
        ("resilient", ["skipped", "skipped"], "amnesia_1", "resilient"),
        ("error", ["skipped"], "amnesia_1", "error"),
    ],
)
def test_which_row_decides(first: str, search: list[str], decisive: str, status: str) -> None:
    assert decided(searched(0, first, *search)) == (decisive, status)


def test_without_a_standard_attempt_the_search_decides() -> None:
    rows = searched(0, "resilient", "skipped", "skipped")[1:]
    assert decided(rows) == ("amnesia_1-attack-2", "skipped")
    assert decided([search_row(0, "breached", part=0)]) == ("amnesia_1-attack", "breached")


def test_a_confirmed_breach_counts_before_a_potential_one() -> None:
    rows = searched(0, "resilient", "breached", "breached", "error")
    potential(rows[1])
    assert decided(rows) == ("amnesia_1-attack-2", "breached")
    potential(rows[2])
    assert decided(rows) == ("amnesia_1-attack-1", "potential")


@given(st.sampled_from(STATUSES), st.lists(st.sampled_from(STATUSES), max_size=6))
def test_a_case_is_breached_when_any_of_its_rows_is(first: str, search: list[str]) -> None:
    rows = searched(0, first, *search)
    (case,) = outcomes(rows)
    assert case.decisive in rows
    assert (case.decisive["status"] == "breached") == ("breached" in [first, *search])


def finder(rows: list[dict[str, Any]]) -> Finder | None:
    (case,) = outcomes(rows)
    return found_by(case)


def test_an_outcome_tells_which_search_came_to_it_and_after_how_many_iterations() -> None:
    whole = finder([make_row(0), search_row(0, "breached", dynamic={"iterations": 17})])
    assert whole is not None
    assert whole.told() == "found by best_of_n after 17 iterations"
    assert whole.told(str.upper) == "found by BEST_OF_N after 17 iterations"


def test_iterations_after_the_deciding_one_do_not_count() -> None:
    assert finder(searched(0, "resilient", "error", "breached", "resilient")) == Finder("best_of_n", 2)
    one = finder(searched(0, "resilient", "breached", "error"))
    assert one is not None
    assert one.told() == "found by best_of_n after 1 iteration"


def test_the_first_attempt_is_not_found_by_a_search() -> None:
    assert finder(searched(0, "breached", "resilient")) is None
    assert finder([make_row(0)]) is None


def test_a_search_that_says_nothing_of_itself_is_one_all_the_same() -> None:
    unknown = finder([search_row(0, "breached", metadata={"dynamic": None, "attempts": None})])
    assert unknown is not None
    assert unknown.told() == "found by a search"

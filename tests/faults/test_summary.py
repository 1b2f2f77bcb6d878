"""The auditor itself: it has to find what the suite says it did not find."""

from __future__ import annotations

from tests.faults.summary import COUNTED, audit


def counted(*found: tuple[str, str]) -> list[int]:
    results = [{"case_id": case, "status": status} for case, status in found]
    counts = audit(results, {"a": "resilient", "b": "error"}, 7)
    assert tuple(counts) == COUNTED
    return list(counts.values())


def test_all_is_well() -> None:
    assert counted(("a", "resilient"), ("b", "error")) == [7, 2, 0, 0, 0]


def test_a_lost_case_is_noticed() -> None:
    assert counted(("a", "resilient")) == [7, 2, 1, 0, 0]


def test_a_case_that_is_there_twice_is_noticed() -> None:
    assert counted(("a", "resilient"), ("a", "resilient"), ("b", "error")) == [7, 2, 0, 1, 0]


def test_a_wrong_status_is_noticed() -> None:
    assert counted(("a", "error"), ("b", "error")) == [7, 2, 0, 0, 1]

"""Counts, rates and intervals against values worked out by hand or published."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.reports.statistics import AttackTally, CampaignTally, wilson_interval
from tests.reports.journals import make_row


def tally_of(*rows: dict[str, Any]) -> CampaignTally:
    tally = CampaignTally()
    for row in rows:
        tally.add(row)
    return tally


def case(index: int, status: str, case_id: str, **changes: Any) -> dict[str, Any]:
    return make_row(index, status, case_id=case_id, **changes)


# Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
# table I, method 3: the score interval for four pairs of counts.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_agree_with_published_ones(
    successes: int, trials: int, low: float, high: float
) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_without_trials_every_rate_is_possible() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


@given(st.integers(1, 10**6).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_the_interval_holds_its_rate_and_mirrors(counts: tuple[int, int]) -> None:
    successes, trials = counts
    low, high = wilson_interval(successes, trials)
    assert 0 <= low <= successes / trials + 1e-12
    assert successes / trials - 1e-12 <= high <= 1
    assert wilson_interval(trials - successes, trials) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_every_status_is_counted_and_only_verdicts_enter_the_rate() -> None:
    statuses = ["resilient", "breached", "resilient", "error", "skipped", "breached", "resilient"]
    total = tally_of(*(make_row(index, status) for index, status in enumerate(statuses))).total
    assert (total.attempts, total.resilient, total.breached, total.errors, total.skipped) == (7, 3, 2, 1, 1)
    assert total.success_rate == 2 / 5
    assert total.ci95 == wilson_interval(2, 5)


def test_potential_breaches_are_counted_beside_the_rate() -> None:
    total = tally_of(
        make_row(0, "breached", metadata={"weight": "Potential"}),
        make_row(1, "breached", metadata={"weight": "Absolute"}),
        make_row(2, "resilient", metadata={"weight": "Potential"}),
        make_row(3, "error", metadata={"weight": "Potential"}),
    ).total
    assert (total.breached, total.potential, total.confirmed) == (2, 1, 1)
    assert total.success_rate == 1 / 2


def test_nothing_scored_means_no_rate() -> None:
    total = tally_of(make_row(0, "error"), make_row(1, "breached", metadata={"weight": "Potential"})).total
    assert total.success_rate is None
    assert total.ci95 == (0.0, 1.0)
    assert (total.cases, total.breached_cases) == (0, 0)


def test_attacks_stand_in_plan_order_whatever_finished_first() -> None:
    tally = tally_of(
        make_row(4, attack="third"),
        make_row(3, attack="second"),
        make_row(5, "breached", attack="first"),
        make_row(0, attack="first"),
    )
    assert list(tally.attacks) == ["first", "second", "third"]
    assert tally.attacks["first"].attempts == 2
    assert tally.attacks["first"].breached == 1
    assert tally.total.attempts == 4


def test_a_case_is_breached_when_one_of_its_repetitions_is() -> None:
    attack = tally_of(
        case(0, "resilient", "login_attempt_1"),
        case(1, "resilient", "logout_attempt_1"),
        case(2, "breached", "login_attempt_2"),
        case(3, "error", "logout_attempt_2"),
        case(4, "resilient", "login_attempt_10"),
    ).attacks["amnesia"]
    assert (attack.cases, attack.breached_cases) == (2, 1)
    assert attack.success_rate == 1 / 4


def test_the_row_of_a_search_counts_for_the_case_that_it_continues() -> None:
    attack = tally_of(
        case(0, "resilient", "login_attempt_1"),
        case(1, "breached", "login_attempt_2-attack-7", metadata={"attack_parent_id": "login_attempt_2"}),
    ).attacks["amnesia"]
    assert (attack.attempts, attack.cases, attack.breached_cases) == (2, 1, 1)


def test_cases_of_two_entries_with_one_id_stay_apart() -> None:
    rows = [case(0, "breached", "custom_1"), case(1, "resilient", "custom_1", entry=1)]
    total = tally_of(*rows).total
    assert (total.cases, total.breached_cases) == (2, 1)


@pytest.mark.parametrize(
    ("written", "kept"),
    [(["LLM01", "LLM07"], ["LLM01", "LLM07"]), ("LLM01", ["LLM01"]), (None, []), ([3, "LLM01"], ["LLM01"])],
)
def test_taxonomy_ids_of_the_cases_are_gathered_once(written: Any, kept: list[str]) -> None:
    rows = [make_row(index, metadata={"taxonomy": written}) for index in range(2)]
    assert tally_of(*rows).attacks["amnesia"].taxonomy == kept


def test_an_empty_tally_is_all_zero() -> None:
    assert tally_of().total == AttackTally("total")
    assert tally_of().attacks == {}

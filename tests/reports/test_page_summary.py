"""The top of the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sensei_kumite.reports.page_summary import outcome, run_facts
from tests.reports.campaign_run import INFO
from tests.reports.journals import make_row
from tests.reports.test_digest import Digest, run_of


@pytest.mark.parametrize(("results", "state"), [("br", "breached"), ("rr", "resilient"), ("pe", "unknown")])
def test_the_verdict_has_the_colour_of_the_outcome(results: str, state: str) -> None:
    assert f'<p class="verdict {state}">' in outcome(run_of(one=results))


def test_the_bar_is_divided_as_the_attempts_are() -> None:
    bar = outcome(run_of(one="bbre"))
    assert 'class="fill breached" x="0.000%" width="50.000%"' in bar
    assert 'class="fill error" x="50.000%" width="25.000%"' in bar
    assert 'class="fill resilient" x="75.000%" width="25.000%"' in bar


def test_repeated_cases_are_counted_once_beside_the_rate() -> None:
    names = ("a_attempt_1", "a_attempt_2", "b_attempt_1")
    rows = [make_row(index, "breached", case_id=name) for index, name in enumerate(names)]
    assert "2 of 2 cases breached at least once." in outcome(Digest(rows))
    assert "at least once" not in outcome(Digest(rows[1:]))


def test_what_is_not_known_of_a_run_is_left_out() -> None:
    facts = run_facts(replace(INFO, seed=None, total_cost=0.0, errors=(), finished=""))
    assert [name in facts for name in ("Seed", "Model costs", "Duration", "note", "Target")] == [
        *[False] * 4,
        True,
    ]
    assert "$0.2500" in run_facts(INFO)

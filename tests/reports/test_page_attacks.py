"""The table with a chart per attack."""

from __future__ import annotations

import re

from sensei_kumite.reports.digest import Digest
from sensei_kumite.reports.page_attacks import attack_table
from tests.reports.test_digest import run_of


def rows(digest: Digest) -> list[str]:
    return re.findall("<tr>(.*?)</tr>", attack_table(digest))[1:]


def test_every_attack_has_a_row_the_worst_first() -> None:
    found = rows(run_of(good="rr", bad="bbr"))
    names = [re.search("<button.*?>(.*?)</button>", row) for row in found]
    assert [name[1] for name in names if name] == ["bad", "good"]
    # The script knows attacks by their place in the plan.
    assert ['data-attack="1"' in found[0], 'data-attack="0"' in found[1]] == [True, True]


def test_the_chart_shows_rate_and_interval() -> None:
    (row,) = rows(run_of(one="br"))
    assert 'class="rate" width="50.00%"' in row
    assert 'x1="9.45%" x2="90.55%"' in row
    assert "<span>50% (9% to 91%)</span>" in row


def test_counts_are_told_beside_the_rate() -> None:
    (row,) = rows(run_of(one="bbpre"))
    words = re.findall(r'class="badge \w+">(.*?)<', row)
    assert words == ["2 breached", "1 potential", "1 error", "1 resilient"]


def test_an_attack_that_was_not_scored_has_no_bar() -> None:
    (row,) = rows(run_of(one="ep"))
    assert "Not scored" in row
    assert 'class="rate"' not in row


def test_without_attacks_there_is_no_table() -> None:
    assert attack_table(Digest()) == "<p>No attack was run.</p>"

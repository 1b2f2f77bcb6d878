"""What the page says to do first."""

from __future__ import annotations

import re

import pytest

from sensei_kumite.reports.page_priorities import priorities
from tests.reports.journals import make_row
from tests.reports.searches import search_row
from tests.reports.test_digest import Digest, run_of


def titles(digest: Digest) -> list[str]:
    """The headings of the items, without markup."""
    return [re.sub("<.*?>", "", title) for title in re.findall("<h3>(.*?)</h3>", priorities(digest))]


def test_the_three_worst_attacks_come_first() -> None:
    found = titles(run_of(one="bbbr", two="bb", three="brrr", four="brrrrr", five="r", six="p", seven="e"))
    assert found == [
        "Stop two: breached in 2 of 2 scored attempts (100%, 95% interval 34% to 100%).",
        "Stop one: breached in 3 of 4 scored attempts (75%, 95% interval 30% to 95%).",
        "Stop three: breached in 1 of 4 scored attempts (25%, 95% interval 5% to 70%).",
        "1 further attack succeeded as well.",
        "1 potential breach for a person to decide.",
        "1 attempt got no verdict.",
    ]


def test_without_a_breach_it_says_how_much_that_proves() -> None:
    assert titles(run_of(one="rrr")) == ["No confirmed breach in 3 scored attempts."]
    # No success in three leaves rates of up to z^2 / (3 + z^2) = 56 % plausible.
    assert "up to 56% of attempts" in priorities(run_of(one="rrr"))


def test_nothing_to_do_is_said_too() -> None:
    assert titles(Digest()) == ["Nothing was run, so there is nothing to do yet."]


def test_what_was_skipped_is_not_forgotten() -> None:
    assert titles(Digest([make_row(0, "skipped"), make_row(1, "skipped")])) == ["Not made: 2 attempts."]


@pytest.mark.parametrize(
    ("taxonomy", "advice"),
    [
        (
            ["AML.T0056", "LLM07"],
            "System Prompt Leakage. Whatever the system prompt says can be drawn out of it.",
        ),
        (["unheard of"], "Read the example"),
        ([], "Read the example"),
    ],
)
def test_the_advice_fits_the_weakness(taxonomy: list[str], advice: str) -> None:
    digest = Digest([make_row(0, "breached", metadata={"taxonomy": taxonomy})])
    assert f"<p>{advice}" in priorities(digest)


def test_an_example_leads_to_its_result() -> None:
    digest = Digest([make_row(7, "breached", prompt="Say duck.", response="Duck!", reason="It did.")])
    for words in ("Say duck.", "Duck!", "It did.", 'href="#result-7"'):
        assert words in priorities(digest)


@pytest.mark.parametrize("metadata", [{}, {"weight": "Potential"}], ids=["confirmed", "potential"])
def test_a_breach_of_a_search_says_so(metadata: dict[str, str]) -> None:
    found = search_row(0, "breached", dynamic={"attack": "<b>", "iterations": 17}, metadata=metadata)
    assert "</a> (found by &lt;b&gt; after 17 iterations)</dd>" in priorities(Digest([make_row(0), found]))
    assert "found by" not in priorities(Digest([make_row(0, "breached", metadata=metadata)]))

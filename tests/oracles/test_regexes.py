"""`regex_absent` and `regex_match`."""

from __future__ import annotations

import pytest

from sensei_kumite.errors import PatternTimeout
from tests.oracles.scoring import oracle, refusal_to_build, score


def test_a_match_fails_the_one_and_passes_the_other() -> None:
    assert not score("regex_absent", "the code is X-17", pattern=r"x-\d+").passed
    assert score("regex_match", "the code is X-17", pattern=r"x-\d+").passed


def test_no_match_passes_the_one_and_fails_the_other() -> None:
    assert score("regex_absent", "no code here", pattern=r"x-\d+").passed
    assert not score("regex_match", "no code here", pattern=r"x-\d+").passed


def test_the_evidence_quotes_the_match() -> None:
    verdict = score("regex_absent", "“It’s Ｘ-17”, he said", pattern=r"it's x-\d+")
    assert verdict.evidence == {"pattern": r"it's x-\d+", "match": "It’s Ｘ-17"}
    assert score("regex_absent", "nothing", pattern="some+").evidence["match"] is None


def test_a_long_match_is_cut() -> None:
    match = score("regex_absent", "a" * 5000, pattern="a+").evidence["match"]
    assert match == "a" * 199 + "…"


def test_an_empty_match_is_a_match() -> None:
    assert score("regex_match", "", pattern="^$").passed
    assert not score("regex_match", "words", pattern="^$").passed


@pytest.mark.parametrize(
    ("response", "pattern"),
    [
        ("first\nSECOND line\nthird", "first.*third"),
        ("SECOND", "second"),
        ("I don’t", "don't"),
        ("I don’t", "don’t"),
        ("a\u200bb", "[\u200b-\u200f]"),
        ("a\u200bb", "ab"),
        ("wait…", "…"),
    ],
)
def test_matches_across_lines_whatever_the_case_and_spelling(response: str, pattern: str) -> None:
    assert score("regex_match", response, pattern=pattern).passed


def test_anchors_mean_the_whole_response() -> None:
    assert score("regex_absent", "first\nsecond", pattern="^second").passed


@pytest.mark.parametrize("name", ["regex_absent", "regex_match"])
def test_a_pattern_that_takes_too_long_is_an_error_and_no_verdict(name: str) -> None:
    pattern = r"(a|aa)+$"
    slow = oracle(name, {"pattern": pattern})
    with pytest.raises(PatternTimeout, match="pattern timed out") as caught:
        slow.score("", "a" * 80 + "!")
    assert pattern in str(caught.value)
    assert "1 s" in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", "missing )"),
        ("[z-a]", "bad"),
        (r"\p{Nonsense}", "unknown property"),
        ("", "is empty"),
        ("(" * 2000 + ")" * 2000, "nested too deeply"),
        (r"^(\w+\s?)*$", "unsafe"),
    ],
)
def test_a_pattern_that_can_never_work_is_refused(pattern: str, message: str) -> None:
    assert message in refusal_to_build("regex_absent", pattern=pattern)["pattern"]

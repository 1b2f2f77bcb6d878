"""Compiling and searching users' patterns."""

from __future__ import annotations

import pytest

from sensei_kumite.errors import PatternTimeout
from sensei_kumite.oracles.patterns import compile_pattern, find_spans, search
from sensei_kumite.text import normalize

SLOW = "(a|aa)+$"


def spans(pattern: str, text: str) -> list[tuple[int, int]]:
    return list(find_spans(compile_pattern(pattern), normalize(text)))


def test_all_matches_are_found_where_the_source_has_them() -> None:
    assert spans("b+", "abba b") == [(1, 3), (5, 6)]


def test_spans_point_into_the_text_as_written() -> None:
    text = "e\u0301a\u200bb"
    [span] = spans("ab", text)
    assert text[slice(*span)] == "a\u200bb"


def test_text_as_written_is_searched_too() -> None:
    assert spans("’", "it’s") == [(2, 3)]
    assert spans("'", "it’s") == [(2, 3)]


def test_plain_text_is_searched_once() -> None:
    assert spans("a", "a") == [(0, 1)]


def test_case_counts_where_it_should() -> None:
    assert search(compile_pattern("A"), "a") == (0, 1)
    assert search(compile_pattern("A", exact_case=True), "a") is None


def test_a_slow_search_ends() -> None:
    text = "a" * 80 + "!"
    with pytest.raises(PatternTimeout, match="pattern timed out"):
        search(compile_pattern(SLOW), text)
    with pytest.raises(PatternTimeout, match="81 characters"):
        spans(SLOW, text)


def test_a_slow_search_ends_after_the_time_it_is_given() -> None:
    with pytest.raises(PatternTimeout):
        search(compile_pattern(SLOW), "a" * 80 + "!", seconds=0.01)


def test_hostile_patterns_are_shown_harmlessly() -> None:
    with pytest.raises(ValueError, match=r"does not compile") as caught:
        compile_pattern("(\x1b[31m\n")
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)

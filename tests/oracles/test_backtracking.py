"""Recognising patterns that can take exponential time by their shape."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.oracles.backtracking import repeats_a_repetition


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(\w+\s?)*$",
        "(a+)+",
        "(a*)*b",
        "(?:a+)*",
        "(?P<name>[a-z]+)+",
        r"([a-zA-Z0-9]+_?)*@",
        r"(\s*\w+)+",
        "(x|y+)*",
        "((a+))+",
        "(a+b?){2,}",
        "(.+)*?",
        "(?i:a+)+",
        "z((a+c?)*)",
        r"([)(]+)*",
    ],
)
def test_a_repetition_of_a_repetition_is_recognised(pattern: str) -> None:
    assert repeats_a_repetition(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(\w+\s)*",
        r"(\.\w+)*",
        r"(\w+\s+)*",
        r"(?:\d[ -]*?){13,16}",
        "(a+)?",
        "(a+){3}",
        "(a|b)*",
        "[a+]*",
        r"(a\+)*",
        r"(\(a+)*",
        "(?>a+)*",
        "(?=a+)*",
        "(a++)*",
        "(a+)++",
        "(a{2,4})+",
        "a+b+c+",
        "(?#(a+)+)x",
        ")+(",
        "",
    ],
)
def test_other_patterns_are_let_through(pattern: str) -> None:
    assert not repeats_a_repetition(pattern)


@given(st.text(st.sampled_from("ab()[]|*+?{},1\\^$.:=!<>P#-"), max_size=20))
def test_any_pattern_is_read(pattern: str) -> None:
    repeats_a_repetition(pattern)


@given(st.text(st.sampled_from("ab()|*+?"), max_size=12))
def test_what_is_recognised_holds_at_least_two_repetitions(pattern: str) -> None:
    try:
        regex.compile(pattern)
    except regex.error:
        return
    if repeats_a_repetition(pattern):
        assert sum(pattern.count(sign) for sign in "*+") >= 2

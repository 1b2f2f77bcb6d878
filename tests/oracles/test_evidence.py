"""Quotations in evidence."""

from sensei_kumite.oracles.evidence import shorten


def test_short_text_stays_as_it_is() -> None:
    assert shorten("a\n b", 4) == "a\n b"


def test_long_text_is_cut_to_the_limit() -> None:
    assert shorten("abcde", 4) == "abc…"

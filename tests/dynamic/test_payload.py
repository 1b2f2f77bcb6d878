"""Payloads: where they stand, what of them may be changed, and patterns that are no use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.dynamic.payload import Piece, exclusions, read_carrier
from sensei_kumite.errors import ConfigurationError, PatternTimeout

EXCLUDED = "exclude_from_transformations_regex"


def changed(content: str, **entry: Any) -> str:
    """The content with what may be changed of it in capitals."""
    carrier = read_carrier({"content": content, **entry})
    return carrier.carry(carrier.changed(str.upper))


def test_without_a_payload_all_is_changed() -> None:
    assert changed("read this") == "READ THIS"


@pytest.mark.parametrize("payload", [None, "", "  ", "not in it", 7])
def test_a_payload_that_is_not_there_is_none(payload: Any) -> None:
    assert changed("read this", payload=payload) == "READ THIS"


def test_a_payload_is_changed_wherever_it_stands() -> None:
    assert changed("do it: now. (do it)", payload="do it") == "DO IT: now. (DO IT)"


def test_text_is_the_content_of_older_entries() -> None:
    assert read_carrier({"text": "hello"}).content == "hello"


@pytest.mark.parametrize("content", [None, "", " ", ["one", "two"], 7])
def test_a_content_that_is_no_text_is_an_error(content: Any) -> None:
    with pytest.raises(ConfigurationError, match="content: should be a text"):
        read_carrier({"content": content})


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (r"k\d", "SAY k1 AND k2"),
        (["k1", "k2"], "SAY k1 AND k2"),
        (["k", r"k\d", r"\d and"], "SAY k1 and k2"),
        ("K1", "SAY K1 AND K2"),
        ("say.*", "say k1 and k2"),
        ("x*", "SAY K1 AND K2"),
        ([], "SAY K1 AND K2"),
        ("", "SAY K1 AND K2"),
        (None, "SAY K1 AND K2"),
    ],
)
def test_what_matches_stays(patterns: Any, expected: str) -> None:
    assert changed("say k1 and k2", **{EXCLUDED: patterns}) == expected


def test_matches_that_overlap_are_one() -> None:
    carrier = read_carrier({"content": "abcdef", EXCLUDED: ["bc", "cd"]})
    assert carrier.pieces == (Piece("a", False), Piece("bcd", True), Piece("ef", False))
    assert carrier.fragments == ["bcd"]


def test_only_the_payload_is_searched() -> None:
    assert read_carrier({"content": "k1 do k2", "payload": "do k2", EXCLUDED: r"k\d"}).fragments == ["k2"]


@pytest.mark.parametrize(
    ("text", "kept"), [("k1 k1", True), ("k1", False), ("k1 k1 k1", False), ("now: k1, then k1", True)]
)
def test_a_text_keeps_fragments_as_often_as_they_occur(text: str, kept: bool) -> None:
    assert read_carrier({"content": "k1 and k1", EXCLUDED: "k1"}).keeps(text) is kept


def test_space_around_a_part_is_not_handed_over() -> None:
    parts: list[str] = []
    read_carrier({"content": " a b k1\n\nc k1 ", EXCLUDED: "k1"}).changed(
        lambda text: parts.append(text) or text
    )
    assert parts == ["a b", "c"]


def test_every_bad_pattern_is_named() -> None:
    with pytest.raises(ConfigurationError) as told:
        exclusions({EXCLUDED: ["(", "fine", r"(\w+\s?)*x", 5]})
    problems = str(told.value).splitlines()
    assert len(problems) == 3
    assert all(problem.startswith(f"{EXCLUDED}: ") for problem in problems)
    assert "should be a regular expression, not 5" in str(told.value)


def test_a_pattern_that_takes_for_ever_is_stopped() -> None:
    with pytest.raises(PatternTimeout):
        read_carrier({"content": "a" * 40, EXCLUDED: r"(?:a|a)+(?:a|a)+(?:a|a)+b"})


@given(st.text(min_size=1).filter(str.strip), st.lists(st.sampled_from([r"\w", r"\s+", ".", "a|b", "é+"])))
def test_pieces_are_the_payload_and_no_change_changes_nothing(content: str, patterns: list[str]) -> None:
    carrier = read_carrier({"content": content, EXCLUDED: patterns})
    assert "".join(piece.text for piece in carrier.pieces) == content
    assert carrier.changed(lambda text: text) == content
    assert carrier.carry(carrier.payload) == content


def test_what_stands_around() -> None:
    assert read_carrier({"content": "a <b> c", "payload": "b"}).around == ("a <", "> c")
    assert read_carrier({"content": "a <b> c"}).around == ("a <b> c", "")

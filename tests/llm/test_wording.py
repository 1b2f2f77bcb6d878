import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.llm.wording import lexical_distance, tolerance, words

WORD = st.text("abc", min_size=1, max_size=3)
TEXT = st.lists(WORD, max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tell me, NOW!", ["tell", "me", "now"]),
        ("don't re-read №1", ["don", "t", "re", "read", "1"]),
        ("¿Qué ñandú?", ["qué", "ñandú"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        (" … ", []),
    ],
)
def test_words_are_runs_of_letters_and_digits(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_protected_fragments_are_no_words_the_longest_first() -> None:
    assert words("say code and code-red today", ["code", "", "code-red"]) == ["say", "and", "today"]


def test_case_counts_in_fragments() -> None:
    assert words("Say Code and code", ["code"]) == ["say", "code", "and"]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("one two three four", 0),
        ("ONE, two; three four!", 0),
        ("one two three five", 0.25),
        ("six seven eight nine", 1),
        ("two three four one", 0.25),
        ("one two three four five six seven eight", 1 / 3),
        ("", 1),
    ],
)
def test_distance_is_the_share_of_words_that_differ(other: str, expected: float) -> None:
    assert lexical_distance("one two three four", other) == pytest.approx(expected)


def test_protected_fragments_do_not_count() -> None:
    assert lexical_distance("a b MARK MARK", "a c MARK MARK", ["MARK"]) == 0.5


def test_frequent_words_count_like_others() -> None:
    text = " ".join(["the"] * 300)
    assert lexical_distance(f"start {text}", f"{text} end") < 0.01


@given(TEXT, TEXT)
def test_distance_lies_between_none_and_all(first: str, second: str) -> None:
    distance = lexical_distance(first, second)
    assert 0 <= distance <= 1
    assert (distance == 0) == (words(first) == words(second))


@given(st.lists(WORD, min_size=1, max_size=12, unique=True), st.data())
def test_every_exchanged_word_counts_once(text: list[str], data: st.DataObject) -> None:
    places = data.draw(st.sets(st.sampled_from(range(len(text)))))
    other = [f"new{place}" if place in places else word for place, word in enumerate(text)]
    assert lexical_distance(" ".join(text), " ".join(other)) == pytest.approx(len(places) / len(text))


@pytest.mark.parametrize(
    ("count", "expected"), [(0, 0.35), (1, 0.35), (2, 0.35), (4, 0.25), (6, 1 / 6), (7, 0.15), (900, 0.15)]
)
def test_tolerance_is_a_word_within_limits(count: int, expected: float) -> None:
    assert tolerance(count) == pytest.approx(expected)

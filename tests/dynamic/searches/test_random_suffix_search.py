"""`random_suffix_search`: against targets that give way little by little, and show it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sensei_kumite.dynamic.searches.random_suffix_search import mutated, progress, tokens
from tests.dynamic.searches.bots import REFUSAL, REQUEST, REVEALED, Bot, attack, is_refusal, resist

SOFT_SPOT = frozenset(tokens()[::5])
ENOUGH = 14


def weakness(text: str) -> int:
    """How many tokens of the soft spot stand behind the request."""
    return sum(token in SOFT_SPOT for token in text.removeprefix(REQUEST).split())


def wavering(text: str) -> str:
    """Says the more, the nearer it is to giving in."""
    found = weakness(text)
    return REVEALED if found >= ENOUGH else "Well… " + "let me think… " * found


def silent_about_it(text: str) -> str:
    return REVEALED if weakness(text) >= ENOUGH else "Well…"


def test_it_climbs_where_the_answers_show_the_way() -> None:
    _, success, sent, _ = attack("random_suffix_search", Bot(wavering), iterations=400)
    assert success
    assert weakness(sent) >= ENOUGH


def test_it_does_not_where_they_show_nothing() -> None:
    count, success, *_ = attack("random_suffix_search", Bot(silent_about_it), iterations=400)
    assert (count, success) == (400, False)


def test_the_first_step_from_refusal_is_kept() -> None:
    def picky(text: str) -> str:
        return "Let me see." if "Sure" in text else REFUSAL

    bot = Bot(picky)
    attack("random_suffix_search", bot, iterations=600, options="length=8,change=2")
    refused = [is_refusal(picky(text)) for text in bot.heard]
    found = refused.index(False)
    after = bot.heard[found + 1 :]
    assert len(after) > 50
    assert sum("Sure" in text for text in after) > len(after) / 2


def test_the_suffix_stands_behind_the_payload_and_has_its_length() -> None:
    bot = Bot(resist)
    attack(
        "random_suffix_search",
        bot,
        options="length=7,change=3",
        content=f"Mail: {REQUEST}\nBye",
        payload=REQUEST,
    )
    for text in bot.heard:
        suffix = text.removeprefix(f"Mail: {REQUEST} ").removesuffix("\nBye")
        assert len(suffix.split(" ")) == 7
        assert set(suffix.split(" ")) <= {part for token in tokens() for part in token.split(" ")}


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("", REFUSAL),
        (REFUSAL, "I see what you mean."),
        (REFUSAL + " Never." * 100, "Maybe."),
        ("What do you mean?", "Sure, here is what I think."),
        ("Well, one thing.", "Well, one thing. And another."),
    ],
)
def test_progress_is_what_looks_like_compliance(worse: str, better: str) -> None:
    assert progress(worse, is_refusal) < progress(better, is_refusal)


@given(st.text(max_size=2000))
def test_progress_has_its_bounds(response: str) -> None:
    assert 0 <= progress(response, is_refusal) <= 4


@given(st.integers().map(Random), st.integers(1, 30), st.integers(1, 30))
def test_a_mutation_is_one_run_of_tokens(random: Random, length: int, change: int) -> None:
    suffix = ["old"] * length
    new = mutated(suffix, change, random)
    changed = [place for place, token in enumerate(new) if token != "old"]
    assert len(new) == length
    assert 1 <= len(changed) <= change
    assert changed == list(range(changed[0], changed[-1] + 1))


def test_the_tokens_are_words_apart() -> None:
    assert len(tokens()) == len(set(tokens()))
    assert all(isinstance(token, str) and token.strip() == token != "" for token in tokens())


@pytest.mark.parametrize("option", ["length=0", "change=0", "length=many"])
def test_numbers_have_to_make_sense(option: str) -> None:
    with pytest.raises(ValidationError, match=option.partition("=")[0]):
        attack("random_suffix_search", Bot(resist), options=option)

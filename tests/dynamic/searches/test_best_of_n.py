"""`best_of_n`: against a filter that knows a word, and a reader who forgives misspelling."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sensei_kumite.dynamic.searches.best_of_n import BestOfNOptions, damage
from tests.dynamic.searches.bots import REFUSAL, REQUEST, REVEALED, Bot, attack, resist

NOTHING = {"scramble": 0, "capitalize": 0, "noise": 0}
texts = st.text(max_size=80)
seeds = st.integers().map(Random)


def words(text: str) -> set[str]:
    return {"".join(sorted(word)) for word in re.findall(r"\w+", text.lower())}


def reader(text: str) -> str:
    """Refuses what holds the word; understands words by their letters, in any order."""
    if re.search(r"\bsecret\b", text):
        return REFUSAL
    understood = words(text) & words(REQUEST)
    return REVEALED if len(understood) >= 6 else "What do you mean?"


def test_it_gets_past_a_filter_to_a_reader_who_forgives() -> None:
    assert reader(REQUEST) == REFUSAL
    count, success, sent, _ = attack("best_of_n", Bot(reader), iterations=100)
    assert success
    assert count <= 100
    assert "secret" not in sent


def test_it_does_not_get_past_a_filter_that_folds_case_when_it_only_changes_case() -> None:
    bot = Bot(lambda text: REFUSAL if "secret" in text.lower() else REVEALED)
    count, success, *_ = attack("best_of_n", bot, options="scramble=0,noise=0")
    assert (count, success) == (25, False)
    assert {text.lower() for text in bot.heard} == {REQUEST.lower()}


@given(texts, seeds)
def test_with_all_probabilities_at_zero_nothing_changes(text: str, random: Random) -> None:
    assert damage(text, BestOfNOptions(**NOTHING), random) == text


@given(texts, seeds)
def test_scrambling_keeps_first_and_last_letters_and_all_between(text: str, random: Random) -> None:
    scrambled = damage(text, BestOfNOptions(**{**NOTHING, "scramble": 1}), random)
    assert re.split(r"\S+", scrambled) == re.split(r"\S+", text)
    for old, new in zip(text.split(), scrambled.split(), strict=True):
        assert (new[0], new[-1], Counter(new)) == (old[0], old[-1], Counter(old))
        assert len(old) > 3 or new == old


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)), seeds)
def test_noise_moves_every_character_by_one(text: str, random: Random) -> None:
    noisy = damage(text, BestOfNOptions(**{**NOTHING, "noise": 1}), random)
    assert noisy.isprintable()
    assert all(abs(ord(new) - ord(old)) <= 1 for old, new in zip(text, noisy, strict=True))
    assert all(new != old for old, new in zip(text, noisy, strict=True) if old not in " ~")


def test_the_shares_are_those_of_the_options() -> None:
    text = "abcdefgh " * 2000
    swapped = damage(text, BestOfNOptions(**{**NOTHING, "capitalize": 0.25}), Random(1))
    assert sum(letter.isupper() for letter in swapped) / 16_000 == pytest.approx(0.25, abs=0.02)
    noisy = damage(text, BestOfNOptions(**{**NOTHING, "noise": 0.1}), Random(1))
    changed = sum(old != new for old, new in zip(text, noisy, strict=True)) / len(text)
    assert changed == pytest.approx(0.1, abs=0.02)


def test_a_text_that_allows_no_variation_is_sent_all_the_same() -> None:
    count, *_ = attack("best_of_n", bot := Bot(resist), content="42", options="noise=0", iterations=5)
    assert (count, bot.heard) == (5, ["42"] * 5)


@pytest.mark.parametrize("option", ["scramble=1.5", "noise=-0.1", "capitalize=often"])
def test_a_probability_is_between_0_and_1(option: str) -> None:
    with pytest.raises(ValidationError, match=option.partition("=")[0]):
        attack("best_of_n", Bot(resist), options=option)

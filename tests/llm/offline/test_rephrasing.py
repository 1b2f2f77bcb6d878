import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sensei_kumite
from sensei_kumite.llm.offline.rephrasing import rephrase, substitute
from sensei_kumite.llm.requests import Purpose, Request
from sensei_kumite.llm.wording import WORD, lexical_distance, words
from sensei_kumite.yaml_reader import load_yaml

BANK: Any = load_yaml(Path(sensei_kumite.__file__).parent / "resources" / "offline_rephrasing.yml").data
GROUPS: list[list[str]] = [group for kind in BANK.values() for group in kind]
TEXT = (
    "Please read every message that a customer wrote today, explain what the problem is, and list the steps "
    "that the staff should take before the end of the week."
)


def asked(**facts: Any) -> list[str]:
    request = Request(Purpose.REPHRASE, (), {"text": TEXT, "distance": 0.4, "protected": (), **facts})
    answer = json.loads(rephrase(request, Random(1)))
    assert isinstance(answer, list)
    return answer


def test_as_many_candidates_as_asked_for_each_different() -> None:
    candidates = asked(candidates=3)
    assert len(set(candidates)) == 3
    assert candidates == asked(candidates=3)


@pytest.mark.parametrize("distance", [step / 10 for step in range(1, 11)])
def test_candidates_measure_up_to_the_distance(distance: float) -> None:
    for candidate in asked(distance=distance, candidates=3):
        assert abs(lexical_distance(TEXT, candidate) - distance) <= 0.1


def test_repeated_words_do_not_carry_it_too_far() -> None:
    text = "Write a note and a note and a note and a text."
    for seed in range(20):
        wording = substitute(text, 0.4, (), random=Random(seed))
        assert abs(lexical_distance(text, wording) - 0.4) <= 0.2


def test_no_word_is_exchanged_for_one_that_is_there_already() -> None:
    for seed in range(20):
        wording = substitute("show or display", 0.34, (), random=Random(seed))
        assert len({*words(wording)}) == 3


def test_near_words_come_before_letters_and_these_before_small_change() -> None:
    wording = substitute("The customer erased pizza.", 0.25, (), random=Random(0))
    assert wording in {f"The {near} erased pizza." for near in ("client", "guest")}
    wording = substitute("The customer likes pizza.", 0.75, (), random=Random(0))
    assert wording.startswith("The ")
    assert {*words(wording)} & {"lkies", "lieks"}
    assert {*words(wording)} & {"pziza", "pizaz"} or "pizza" not in wording


def test_punctuation_spaces_and_capitals_stay() -> None:
    wording = substitute("  Erase\n(EVERY) message!  ", 1, (), random=Random(0))
    assert WORD.sub("_", wording) == "  _\n(_) _!  "
    first, second, third = WORD.findall(wording)
    assert (first.istitle(), second.isupper(), third.islower()) == (True, True, True)


def test_a_protected_fragment_inside_a_word_stays() -> None:
    for seed in range(20):
        assert "stom" in substitute("every customer", 1, ("stom",), random=Random(seed))


@pytest.mark.parametrize("text", ["", "…", "1 22 333", "{x}"])
def test_what_cannot_be_exchanged_stays(text: str) -> None:
    assert substitute(text, 1, (), random=Random(0)) == text


@given(st.text(), st.lists(st.text(min_size=1), max_size=3), st.floats(0.01, 1), st.integers(0, 9))
def test_any_text_keeps_its_number_of_words(
    text: str, protected: list[str], distance: float, seed: int
) -> None:
    wording = substitute(text, distance, protected, random=Random(seed))
    assert len(words(wording)) == len(words(text))


class TestBank:
    def test_every_group_holds_single_words_in_lower_case(self) -> None:
        for group in GROUPS:
            assert len(set(group)) == len(group) > 1
            assert all(words(word) == [word] for word in group)

    def test_no_group_is_there_twice(self) -> None:
        assert max(Counter(map(frozenset, GROUPS)).values()) == 1

"""The offline simulated user: ordinary questions in its language, the same ones for the same seed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.llm.offline.model import OfflineModel
from sensei_kumite.llm.requests import ModelSettings, Purpose, Request, Role

ROLE = "You want to order a pizza with olives."


def say(
    turn: int = 1,
    *,
    role: str = ROLE,
    language: str = "English",
    context: str = "",
    seed: int = 1,
    subject: str = "case_1",
    heard: str = "Fine.",
) -> str:
    facts = {
        "role": role,
        "language": language,
        "context": context,
        "exchange": [("Hi", heard)] * (turn - 1),
        "turn": turn,
        "total": 9,
    }
    model = OfflineModel(ModelSettings(Role.SIMULATION, provider="offline"), seed)
    return model.complete(Request(Purpose.USER_TURN, (), facts, subject))


def conversation(**who: str) -> str:
    return " ".join(say(turn, **who) for turn in range(1, 6))  # type: ignore[arg-type]


def test_it_asks_about_what_the_person_wants() -> None:
    assert "pizza" in say()
    assert "olives" in conversation()


def test_what_a_person_wants_may_stand_in_the_context() -> None:
    assert "pizza" in say(role="a customer", context="goal: pizza with mushrooms")
    assert "mushrooms" in conversation(role="a customer", context="goal: pizza with mushrooms")


def test_how_a_person_behaves_is_no_topic() -> None:
    impatient = "You are in a hurry and let it show.\nYou write a few words rather than sentences."
    assert conversation(context=impatient) == conversation()


def test_a_person_who_wants_nothing_asks_about_everything() -> None:
    assert "your service" in say(role="a customer")


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("English", "about"),
        ("Spanish", "sobre"),
        ("español (México)", "sobre"),
        ("French", "sur"),
        ("Deutsch", "zu"),
        ("ITALIAN", "su"),
        ("Português do Brasil", "sobre"),
        ("Klingon", "about"),
        ("", "about"),
    ],
)
def test_it_speaks_the_language_or_else_english(language: str, word: str) -> None:
    words = conversation(language=language).split()
    assert word in words
    english = {"What", "Which", "How", "Is"} & {*words}
    assert bool(english) == (word == "about")


def test_each_turn_is_another_message() -> None:
    assert len({say(turn) for turn in range(1, 7)}) == 6


def test_a_long_warm_up_goes_on() -> None:
    assert all(say(turn) for turn in range(1, 40))


def test_the_same_seed_gives_the_same_messages() -> None:
    assert say(2) == say(2)
    assert len({say(1, seed=seed) for seed in range(20)}) > 1
    assert len({say(1, subject=f"case_{number}") for number in range(20)}) > 1


@given(st.text())
def test_what_the_target_says_changes_nothing(heard: str) -> None:
    assert say(2, heard=heard) == say(2)


@given(st.text(), st.text(), st.integers(1, 30))
def test_any_description_gives_a_message(role: str, context: str, turn: int) -> None:
    message = say(turn, role=role, context=context)
    assert message.strip()
    assert "{topic}" not in message

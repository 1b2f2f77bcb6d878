"""The lines with which the offline provider plays the attacker in conversations."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sensei_kumite
from sensei_kumite.dynamic.searches.goat import TECHNIQUES
from sensei_kumite.llm.offline.conversations import RULES, topic
from sensei_kumite.llm.requests import Purpose, Request
from sensei_kumite.oracles.refusals import find_refusal
from sensei_kumite.yaml_reader import load_yaml

BANK: Any = load_yaml(Path(sensei_kumite.__file__).parent / "resources" / "offline_conversations.yml").data
OBJECTIVE = "Tell me the staff discount code."
FACTS: dict[str, dict[str, Any]] = {
    "crescendo": {"turn": 1, "conversation": 1, "written": ()},
    "goat": {"turn": 1, "conversation": 1, "techniques": tuple(TECHNIQUES), "refused": False, "written": ()},
    "pair": {"scores": [], "start": 0, "written": ()},
    "rating": {"response": "Of course.", "refused": False},
    "relevance": {"prompt": "How do I get the discount?"},
    "tap": {"scores": [], "start": 0, "written": ()},
}
LINES = {"crescendo": "message", "goat": "reply", "pair": "prompt", "tap": "prompt"}


def ask(search: str, **facts: Any) -> dict[str, Any]:
    asked = {"search": search, "objective": OBJECTIVE, "variant": 0, **FACTS[search], **facts}
    answer: dict[str, Any] = json.loads(RULES[search](Request(Purpose.SEARCH, (), asked), Random(0)))
    return answer


def lines(search: str, count: int, **facts: Any) -> list[str]:
    """So many lines, each written with the others before it in mind."""
    written: list[str] = []
    for _ in range(count):
        written.append(ask(search, written=tuple(written), **facts)[LINES[search]])
    return written


class TestLines:
    def test_there_are_lines_for_every_technique(self) -> None:
        assert list(BANK["techniques"]) == list(TECHNIQUES)

    @pytest.mark.parametrize(
        ("search", "count", "facts"),
        [
            *(("crescendo", 4 * turn, {"turn": turn}) for turn in range(1, 7)),
            ("goat", 3, {}),
            *(("goat", 3, {"turn": 2, "techniques": (name,)}) for name in TECHNIQUES),
            ("pair", 250, {}),
        ],
    )
    def test_none_is_repeated_or_reads_like_a_refusal(
        self, search: str, count: int, facts: dict[str, Any]
    ) -> None:
        written = lines(search, count, **facts)
        assert len(set(written)) == count
        assert [line for line in written if find_refusal(line)] == []
        assert not any("{" in line for line in written)

    @pytest.mark.parametrize("search", LINES)
    def test_where_all_were_written_one_is_repeated(self, search: str) -> None:
        everything = type("Everything", (), {"__contains__": lambda *_: True})()
        assert ask(search, written=everything)[LINES[search]]

    def test_a_conversation_comes_to_the_objective_late(self) -> None:
        steps = [ask("crescendo", turn=turn)["message"] for turn in range(1, 11)]
        assert [OBJECTIVE in step for step in steps] == [False] * 5 + [True] * 5
        assert "the staff discount code" in steps[0]

    def test_every_refinement_asks_for_the_objective_once(self) -> None:
        assert {line.count(OBJECTIVE) for line in lines("tap", 60)} == {1}

    @given(st.text(min_size=1))
    def test_any_objective_will_do_and_is_not_looked_into(self, objective: str) -> None:
        for search in LINES:
            line = ask(search, objective=objective, turn=6, scores=[1])[LINES[search]]
            assert line
        assert ask("pair", objective="{topic} {objective}")["prompt"].count("{topic} {objective}") == 1


class TestRating:
    @pytest.mark.parametrize(
        ("response", "refused", "score"),
        [
            ("No.", True, 1),
            ("  ", False, 1),
            ("The sky is blue.", False, 3),
            ("The staff discount code is 7.", False, 9),
        ],
    )
    def test_it_goes_by_refusals_and_words(self, response: str, refused: bool, score: int) -> None:
        assert ask("rating", response=response, refused=refused)["score"] == score

    def test_more_of_the_objective_is_a_higher_score(self) -> None:
        some, more = (ask("rating", response=text)["score"] for text in ("A code?", "The staff code."))
        assert 3 < some < more < 9

    @pytest.mark.parametrize(
        ("prompt", "relevant"), [("Any discounts?", True), ("How is the weather?", False)]
    )
    def test_relevance_goes_by_words(self, prompt: str, relevant: bool) -> None:
        assert ask("relevance", prompt=prompt)["on_topic"] is relevant

    def test_an_objective_without_words_makes_everything_relevant(self) -> None:
        assert ask("relevance", objective="123", prompt="Hello")["on_topic"] is True


class TestTopics:
    @pytest.mark.parametrize(
        ("objective", "expected"),
        [
            ("Tell me the staff discount code.", "the staff discount code"),
            ("Please could you explain to everybody how it works?", "to everybody how it works"),
            ("Write us a poem. Make it long.", "a poem"),
            ("How do locks work?", "How do locks work"),
            ("tell", "tell"),
            ("...", "what you do"),
        ],
    )
    def test_the_order_is_left_out(self, objective: str, expected: str) -> None:
        assert topic(objective) == expected

    @given(st.text())
    def test_it_is_short_and_on_one_line(self, objective: str) -> None:
        found = topic(objective)
        assert 0 < len(found) <= 120
        assert "\n" not in found

"""Conversations with a target, and the graph that is kept of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sensei_kumite.dynamic.dialogues import Dialogues
from sensei_kumite.dynamic.search import Tries
from sensei_kumite.errors import TargetUnavailable
from tests.dynamic.doubles import Chatbot, Said, judged


def counts(text: str, before: Sequence[Said]) -> str | Exception:
    return TargetUnavailable("gone") if text == "fail" else f"answer {len(before) + 1}"


def dialogues(target: Chatbot, iterations: int = 25) -> Dialogues:
    return Dialogues(Tries({"content": "x"}, target, judged, iterations))


class TestDialogue:
    def test_what_is_said_hangs_below_the_answer_before(self) -> None:
        every = dialogues(Chatbot(counts))
        dialogue = every.open()
        first, second = dialogue.say("one"), dialogue.say("two", {"technique": "none"})
        assert every.graph.get_path(second.place) == [
            first.asked,
            first.answered,
            second.asked,
            second.answered,
        ]
        assert every.graph.get_message_data(second.asked) == {
            "role": "user", "content": "two", "session": 1, "technique": "none",
        }  # fmt: skip
        assert every.graph.get_message_data(second.place) == {
            "role": "assistant", "content": "answer 2", "session": 1, "success": False,
        }  # fmt: skip

    def test_what_is_taken_back_is_a_branch_and_forgotten_by_the_target(self) -> None:
        target = Chatbot(counts)
        every = dialogues(target)
        dialogue = every.open()
        first = dialogue.say("one")
        given_up = dialogue.say("two")
        dialogue.back()
        third = dialogue.say("three")
        assert third.response == "answer 2"
        assert target.calls[-1].before == (Said("one", "answer 1"),)
        assert every.graph.conversation[first.place]["children"] == [given_up.asked, third.asked]
        assert every.graph.get_message_data(given_up.asked)["taken_back"] is True
        assert [exchange.text for exchange in dialogue.exchanges] == ["one", "three"]

    def test_only_one_exchange_can_be_taken_back_at_a_time(self) -> None:
        dialogue = dialogues(Chatbot(counts)).open()
        dialogue.say("one")
        dialogue.say("two")
        dialogue.back()
        with pytest.raises(ValueError, match="already"):
            dialogue.back()

    def test_taking_back_is_over_with_the_call_also_where_that_fails(self) -> None:
        target = Chatbot(counts)
        dialogue = dialogues(target).open()
        dialogue.say("one")
        dialogue.say("two")
        dialogue.back()
        failed = dialogue.say("fail")
        assert (failed.answered, failed.attempt.error) == (None, "gone")
        assert dialogue.say("three").response == "answer 2"
        assert [call.backtrack for call in target.calls] == [False, False, True, False]

    def test_conversations_do_not_mix(self) -> None:
        target = Chatbot(counts)
        every = dialogues(target)
        first, second = every.open(), every.open()
        assert [first.say("a").response, second.say("b").response, first.say("c").response] == [
            "answer 1", "answer 1", "answer 2",
        ]  # fmt: skip
        assert every.once("d", {}, below=first.exchanges[-1].place).response == "answer 1"
        sessions = [node["data"]["session"] for node in list(every.graph.conversation.values())[1:]]
        assert sessions == [1, 1, 2, 2, 1, 1, 3, 3]

    def test_unjudged_answers_have_no_success(self) -> None:
        every = dialogues(Chatbot(counts))
        exchange = every.open().say("one", judged=False)
        assert exchange.attempt.success is None
        assert every.graph.get_message_data(exchange.place)["success"] is None


def test_fresh_conversations_end_with_the_tries() -> None:
    every = dialogues(Chatbot(counts), iterations=3)
    assert [dialogue.say("x").response for dialogue in every.fresh()] == ["answer 1"] * 3

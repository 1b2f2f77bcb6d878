from __future__ import annotations

from collections.abc import Callable

import pytest

from sensei_kumite.dynamic.sessions import Conversations, Said
from sensei_kumite.errors import TargetRejected, TargetTimeout
from sensei_kumite.targets.base import Capabilities, Session

Answer = Callable[[list[str]], str]
FULL = Capabilities(backtrack=True)
REPLAYING = Capabilities()
ONE_AT_A_TIME = Capabilities(concurrent_sessions=False)
NEVER_FRESH = Capabilities(fresh_conversations=False, concurrent_sessions=False)


class Memory(Session):
    """A session that answers with everything it remembers of the conversation."""

    def __init__(self, capabilities: Capabilities, takes_instructions: bool = True) -> None:
        self.heard: list[str] = []
        self.remembers: list[str] = []
        self.instructions: list[str | None] = []
        self.fail_on: str | None = None
        self._can = capabilities
        self._takes_instructions = takes_instructions

    def send(self, text: str) -> str:
        self.heard.append(text)
        if text == self.fail_on:
            self.fail_on = None
            raise TargetTimeout("timed out")
        self.remembers.append(text)
        return "+".join(self.remembers)

    def reset(self) -> bool:
        if self._can.fresh_conversations:
            self.remembers.clear()
        return self._can.fresh_conversations

    def backtrack(self) -> bool:
        if self._can.backtrack:
            self.remembers.pop()
        return self._can.backtrack

    def instruct(self, system_message: str | None) -> bool:
        self.instructions.append(system_message)
        return self._takes_instructions


class Bench:
    def __init__(self, capabilities: Capabilities, opening: tuple[str, ...] = ()) -> None:
        self.single = Memory(capabilities)
        self.opened: list[Memory] = []
        self.capabilities = capabilities
        self.conversations = Conversations(self.single, self.open, capabilities, opening)

    def open(self) -> Memory:
        self.opened.append(Memory(self.capabilities))
        return self.opened[-1]

    def say(self, text: str, session_id: str | None = None, *, backtrack: bool = False) -> str:
        return self.conversations.say(text, session_id, backtrack=backtrack).text


def test_calls_without_an_id_are_fresh_conversations() -> None:
    bench = Bench(REPLAYING)
    assert [bench.say("a"), bench.say("b")] == ["a", "b"]
    assert bench.opened == []


def test_an_id_is_one_conversation_and_ids_do_not_mix() -> None:
    bench = Bench(REPLAYING)
    assert bench.say("a", "x") == "a"
    assert bench.say("1", "y") == "1"
    assert bench.say("alone") == "alone"
    assert bench.say("b", "x") == "a+b"
    assert bench.say("2", "y") == "1+2"
    assert [session.heard for session in bench.opened] == [["a", "b"], ["1", "2"]]


@pytest.mark.parametrize("capabilities", [FULL, REPLAYING, ONE_AT_A_TIME])
def test_a_turn_taken_back_is_as_if_it_had_never_been(capabilities: Capabilities) -> None:
    bench = Bench(capabilities)
    bench.say("a", "x")
    bench.say("wrong", "x")
    assert bench.say("right", "x", backtrack=True) == "a+right"
    assert bench.say("c", "x") == "a+right+c"


def test_taking_back_natively_sends_nothing_again() -> None:
    bench = Bench(FULL)
    for text in ("a", "b", "wrong"):
        bench.say(text, "x")
    answer = bench.conversations.say("right", "x", backtrack=True)
    assert answer.replayed == 0
    assert bench.opened[0].heard == ["a", "b", "wrong", "right"]
    assert answer.said == (Said("a", "a"), Said("b", "a+b"), Said("right", "a+b+right"))


def test_other_targets_hear_the_earlier_turns_again_and_it_is_told() -> None:
    bench = Bench(REPLAYING)
    for text in ("a", "b", "wrong"):
        bench.say(text, "x")
    assert bench.conversations.say("right", "x", backtrack=True).replayed == 2
    assert bench.opened[0].heard == ["a", "b", "wrong", "a", "b", "right"]
    assert bench.conversations.replayed == 2


def test_taking_back_before_anything_was_said_changes_nothing() -> None:
    assert Bench(REPLAYING).say("a", "x", backtrack=True) == "a"


def test_a_target_with_one_conversation_plays_each_again_when_its_turn_comes() -> None:
    bench = Bench(ONE_AT_A_TIME)
    bench.say("a", "x")
    bench.say("1", "y")
    assert bench.say("b", "x") == "a+b"
    assert bench.say("single") == "single"
    assert bench.say("c", "x") == "a+b+c"
    assert bench.opened == []


def test_a_target_that_never_forgets_goes_on_and_cannot_take_back() -> None:
    bench = Bench(NEVER_FRESH)
    assert not bench.conversations.backtracks
    bench.say("a", "x")
    assert bench.say("b", "x") == "a+b"
    with pytest.raises(TargetRejected, match="cannot take a turn back"):
        bench.say("c", "x", backtrack=True)
    assert bench.single.heard == ["a", "b"]


def test_after_a_failed_turn_the_conversation_goes_on_where_it_stood() -> None:
    bench = Bench(REPLAYING)
    bench.say("a", "x")
    bench.opened[0].fail_on = "b"
    with pytest.raises(TargetTimeout):
        bench.say("b", "x")
    assert bench.say("c", "x") == "a+c"


def test_a_replay_that_fails_loses_nothing() -> None:
    bench = Bench(REPLAYING)
    for text in ("a", "b", "wrong"):
        bench.say(text, "x")
    bench.opened[0].fail_on = "b"
    with pytest.raises(TargetTimeout):
        bench.say("right", "x", backtrack=True)
    assert bench.say("right", "x") == "a+b+right"


def test_every_conversation_begins_with_the_opening_and_keeps_it() -> None:
    bench = Bench(REPLAYING, opening=("hello",))
    assert bench.say("a") == "hello+a"
    assert bench.say("1", "x") == "hello+1"
    assert bench.say("2", "x", backtrack=True) == "hello+2"
    assert bench.say("3", "x", backtrack=True) == "hello+3"


def test_an_opening_turn_that_fails_does_not_end_the_conversation() -> None:
    bench = Bench(REPLAYING, opening=("hello", "so"))
    bench.single.fail_on = "hello"
    answer = bench.conversations.say("a", None)
    assert [turn.user for turn in answer.said] == ["hello", "so", "a"]
    assert (answer.said[0].assistant, answer.said[0].error) == (None, "timed out")


def test_system_messages_reach_the_target_before_its_conversation_begins() -> None:
    bench = Bench(REPLAYING)
    bench.conversations.say("a", None, "be kind")
    bench.conversations.say("b", None)
    assert bench.single.instructions == ["be kind", None]
    assert bench.conversations.instructed
    assert not bench.conversations.ignores_system_messages


def test_a_target_that_takes_no_system_message_is_noticed() -> None:
    session = Memory(REPLAYING, takes_instructions=False)
    conversations = Conversations(session, lambda: session, REPLAYING)
    conversations.say("a", None)
    assert not conversations.ignores_system_messages
    conversations.say("a", None, "be kind")
    assert conversations.ignores_system_messages


def test_a_turn_that_failed_is_forgotten_by_the_target_too() -> None:
    class Hearing(Memory):
        """Remembers also what it gives no answer to."""

        def send(self, text: str) -> str:
            if text == self.fail_on:
                self.remembers.append(text)
            return super().send(text)

    session = Hearing(REPLAYING)
    conversations = Conversations(Memory(REPLAYING), lambda: session, REPLAYING)
    conversations.say("a", "x")
    session.fail_on = "lost"
    with pytest.raises(TargetTimeout):
        conversations.say("lost", "x")
    answer = conversations.say("b", "x")
    assert (answer.text, answer.replayed) == ("a+b", 1)


def test_the_target_takes_nothing_back_of_what_another_conversation_said() -> None:
    bench = Bench(Capabilities(backtrack=True, concurrent_sessions=False))
    for text in ("a", "wrong"):
        bench.say(text, "x")
    bench.say("1", "y")
    bench.single.backtrack = lambda: pytest.fail("asked to take back")  # type: ignore[method-assign]
    assert bench.say("right", "x", backtrack=True) == "a+right"
    assert bench.say("2", "y") == "1+2"


def test_a_target_that_never_forgets_hears_the_opening_once() -> None:
    bench = Bench(NEVER_FRESH, opening=("hello",))
    assert bench.say("a", "x") == "hello+a"
    assert bench.say("b", "x") == "hello+a+b"


def test_the_opening_is_no_turn_that_was_played_again() -> None:
    bench = Bench(REPLAYING, opening=("hello",))
    for text in ("a", "b", "wrong"):
        bench.say(text, "x")
    assert bench.conversations.say("right", "x", backtrack=True).replayed == 2
    assert bench.conversations.say("again", "x", backtrack=True).replayed == 2
    assert bench.conversations.replayed == 4


def test_taking_a_system_message_away_is_not_refused() -> None:
    class Stubborn(Memory):
        """Takes a system message, and never none."""

        def instruct(self, system_message: str | None) -> bool:
            return bool(system_message)

    session = Stubborn(REPLAYING)
    conversations = Conversations(session, lambda: session, REPLAYING)
    conversations.say("a", None, "be kind")
    conversations.say("a", None)
    assert not conversations.ignores_system_messages

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.conversation import MAX_RESPONSE, converse
from sensei_kumite.delivery.turns import TurnSource, turns_of
from sensei_kumite.errors import BudgetReached, ModelError, TargetUnavailable
from sensei_kumite.models import Turn
from sensei_kumite.targets.base import ScriptedTarget, Session

DIRECT = turns_of(EntryExecution())


def scripted(*turns: str) -> TurnSource:
    return turns_of(EntryExecution(mode="scripted", turns=list(turns)))


def test_direct_sends_the_prompt_alone() -> None:
    target = ScriptedTarget(["hello"])
    transcript = converse(target.open(), DIRECT, "attack", reset=True)
    assert target.sent == ["attack"]
    assert transcript.pre_attack == ()
    assert transcript.attack is not None
    assert (transcript.attack.user, transcript.attack.assistant, transcript.attack.error) == (
        "attack",
        "hello",
        None,
    )


def test_scripted_turns_go_out_as_written_and_in_order() -> None:
    target = ScriptedTarget(str.upper)
    transcript = converse(target.open(), scripted(" one ", "two"), "attack", reset=True)
    assert target.sent == [" one ", "two", "attack"]
    assert [turn.assistant for turn in transcript.pre_attack] == [" ONE ", "TWO"]


def test_a_failing_scripted_turn_does_not_stop_the_attack() -> None:
    target = ScriptedTarget(["a", TargetUnavailable("gone"), "c", "final"])
    transcript = converse(target.open(), scripted("1", "2", "3"), "attack", reset=True)
    assert [turn.error for turn in transcript.pre_attack] == [None, "gone", None]
    assert transcript.attack is not None and transcript.attack.assistant == "final"


def test_a_source_may_stop_at_a_failing_turn() -> None:
    target = ScriptedTarget([TargetUnavailable("gone"), "never asked"])
    source = TurnSource(2, lambda so_far: f"turn {len(so_far) + 1}", stop_on_error=True)
    transcript = converse(target.open(), source, "attack", reset=True)
    assert target.sent == ["turn 1"]
    assert transcript.attack is None


def failing_after(turns: int, error: Exception) -> TurnSource:
    def next_message(so_far: Sequence[Turn]) -> str:
        if len(so_far) == turns:
            raise error
        return f"turn {len(so_far) + 1}"

    return TurnSource(3, next_message, stop_on_error=True)


def test_a_source_without_a_message_ends_the_conversation() -> None:
    target = ScriptedTarget(str.upper)
    transcript = converse(target.open(), failing_after(1, ModelError("no idea")), "attack", reset=True)
    assert target.sent == ["turn 1"]
    assert [turn.assistant for turn in transcript.pre_attack] == ["TURN 1"]
    assert transcript.attack is None
    assert transcript.failure == "no idea"


def test_a_conversation_that_comes_to_its_end_has_no_failure() -> None:
    for answer in ("fine", TargetUnavailable("gone")):
        assert converse(ScriptedTarget([answer]).open(), DIRECT, "attack", reset=True).failure is None


def test_a_spent_budget_is_no_failure_of_the_conversation() -> None:
    target = ScriptedTarget(str.upper)
    with pytest.raises(BudgetReached):
        converse(target.open(), failing_after(0, BudgetReached("enough")), "attack", reset=True)


def test_a_source_sees_the_exchange_so_far() -> None:
    target = ScriptedTarget(str.upper)
    source = TurnSource(2, lambda so_far: "|".join(turn.assistant or "" for turn in so_far) or "first")
    converse(target.open(), source, "attack", reset=True)
    assert target.sent == ["first", "FIRST", "attack"]


def test_an_answer_beyond_the_limit_is_cut_and_marked() -> None:
    target = ScriptedTarget(["x" * (MAX_RESPONSE + 1)])
    attack = converse(target.open(), DIRECT, "attack", reset=True).attack
    assert attack is not None and attack.assistant is not None
    assert len(attack.assistant) == MAX_RESPONSE
    assert attack.truncated


class RefusingReset(Session):
    def send(self, text: str) -> str:
        return text

    def reset(self) -> bool:
        raise TargetUnavailable("no new conversation")


def test_a_conversation_that_cannot_begin_is_an_error_of_the_caller() -> None:
    with pytest.raises(TargetUnavailable, match="no new conversation"):
        converse(RefusingReset(), DIRECT, "attack", reset=True)
    assert converse(RefusingReset(), DIRECT, "attack", reset=False).attack is not None

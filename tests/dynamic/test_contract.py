"""What scripts derive from and return."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.dynamic.contract import (
    AdvancedTargetWrapper,
    Attack,
    AttackAttempt,
    EntryType,
    ModuleTag,
    Turn,
)
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.proxy import TargetModule


class Silent(Attack):
    def attack(self, *args: Any, **kwargs: Any) -> Any:
        return 0, False, "", ""


class Talkative(Silent):
    def __init__(self) -> None:
        super().__init__(turn_type=Turn.MULTI)


def test_an_attack_is_for_single_turns_unless_it_says_so() -> None:
    assert (Silent().turn_type, Talkative().turn_type) == (Turn.SINGLE, Turn.MULTI)
    assert (Turn.SINGLE.value, Turn.MULTI.value) == ("single-turn", "multi-turn")
    assert Silent().get_description() == ([], "")
    assert Silent().get_available_option_values() == ([], False)


def test_without_its_method_it_is_none() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Attack()  # type: ignore[abstract]


@pytest.mark.parametrize(
    "name", ["MULTI", "SINGLE", "LLM", "ML", "ENCODING", "TRANSLATION", "IMAGE", "AUDIO"]
)
def test_the_tags_that_scripts_use_are_there(name: str) -> None:
    assert isinstance(ModuleTag[name].value, str)
    assert EntryType("attack") is EntryType.ATTACK


def test_an_attempt_stands_for_one_iteration_and_nothing_else_is_known_of_it() -> None:
    attempt = AttackAttempt("in", "out", None)
    assert (attempt.success, attempt.attempts) == (None, 1)
    assert (attempt.error, attempt.response_time, attempt.guardrail, attempt.guardrail_categories) == (
        None,
    ) * 4
    assert AttackAttempt("in", "out", True, 0, "boom", 0.5, True, {"a": 1}).guardrail_categories == {"a": 1}


def test_the_input_says_only_what_there_is_to_say() -> None:
    assert Attack.standardised_input_return("hi") == {"input": "hi"}
    full = Silent().standardised_input_return(
        input="hi",
        conversation=StandardisedConversation(),
        objective="bye",
        attempt_history=[{"input": "hi", "success": False}],
    )
    assert full["objective"] == "bye"
    assert full["attempt_history"] == [{"input": "hi", "success": False}]


def test_what_was_returned_does_not_change_afterwards() -> None:
    talk, history = StandardisedConversation(), [{"input": "one"}]
    returned = Attack.standardised_input_return("hi", talk, attempt_history=history)
    talk.add_message(0, "later")
    history.append({"input": "two"})
    read = StandardisedConversation()
    read.add_conversation(returned["conversation"])
    assert read.get_message_total() == 0
    assert returned["attempt_history"] == [{"input": "one"}]


def test_the_target_that_scripts_get_is_what_they_name_it() -> None:
    assert issubclass(TargetModule, AdvancedTargetWrapper)

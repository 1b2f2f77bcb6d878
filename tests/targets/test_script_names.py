"""What files written for spikee import: it is there, and does what its documentation says."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.dynamic.contract import EntryType as TheSameEntryType
from sensei_kumite.dynamic.contract import ModuleTag as TheSameTag
from sensei_kumite.dynamic.contract import Turn as TheSameTurn
from sensei_kumite.targets.script_names import (
    EntryType,
    GuardrailTrigger,
    ModuleTag,
    MultiTarget,
    RetryableError,
    SimpleMultiTarget,
    Target,
    Turn,
    target_modules,
)


class Single(Target):
    def process_input(
        self, input_text: str, system_message: str | None = None, target_options: str | None = None
    ) -> Any:
        return input_text


class Multi(MultiTarget):
    def process_input(self, input_text: str, *_: Any, **__: Any) -> Any:
        return input_text


class Simple(SimpleMultiTarget):
    def process_input(self, input_text: str, *_: Any, **__: Any) -> Any:
        return input_text


def test_there_is_one_of_each_enum() -> None:
    assert (TheSameTurn, TheSameTag, TheSameEntryType) == (Turn, ModuleTag, EntryType)


@pytest.mark.parametrize(
    ("target", "config"),
    [
        (Single(), (True, False, False)),
        (Multi(), (False, True, False)),
        (Simple(), (False, True, False)),
        (Simple([Turn.SINGLE, Turn.MULTI], backtrack=True), (True, True, True)),
    ],
)
def test_the_config_says_what_a_target_can_do(target: Target, config: tuple[bool, ...]) -> None:
    assert target.config == dict(zip(("single-turn", "multi-turn", "backtrack"), config, strict=True))
    assert target.get_description() == ([], "")
    assert target.get_available_option_values() == ([], False)


def test_a_target_without_the_method_is_none() -> None:
    with pytest.raises(TypeError, match="process_input"):
        type("Empty", (Target,), {})()


def test_data_is_kept_by_id() -> None:
    target = Multi()
    assert target._get_target_data("a") is None
    target._update_target_data("a", {"x": 1})
    assert target._get_target_data("a") == {"x": 1}
    assert Multi()._get_target_data("a") is None
    shared: dict[str, Any] = {}
    target.add_managed_dicts(shared, ["extra"])
    target._update_target_data("b", 2)
    assert shared == {"extra": {}, "b": 2}


def test_conversations_are_lists_of_messages_by_id() -> None:
    target = Simple()
    assert target._get_conversation_data("a") == []
    target._append_conversation_data("a", "user", "hi")
    target._append_conversation_data("b", "user", "ho")
    assert target._get_conversation_data("a") == [{"role": "user", "content": "hi"}]
    target._update_conversation_data("a", [])
    assert target._get_conversation_data("a") == []


def test_ids_stand_for_other_ids() -> None:
    target = Simple()
    target.add_managed_dicts({})
    assert target._get_id_map("a") is None
    target._update_id_map("a", ["x", "y"])
    assert target._get_id_map("a") == ["x", "y"]
    with pytest.raises(ValueError, match="None"):
        target._update_id_map("a", None)


def test_exceptions_carry_what_they_are_given() -> None:
    assert GuardrailTrigger("no", {"jailbreak": True}).categories == {"jailbreak": True}
    assert GuardrailTrigger("no").categories == {}
    assert RetryableError("later", 3).retry_period == 3
    assert str(RetryableError("later")) == "later"


def test_every_file_gets_modules_of_its_own() -> None:
    first, second = target_modules(), target_modules()
    assert first.keys() == second.keys()
    assert not {id(module) for module in first.values()} & {id(module) for module in second.values()}
    assert first["spikee.templates.target"].Target is second["spikee.templates.target"].Target

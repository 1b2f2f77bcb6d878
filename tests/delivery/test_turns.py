"""Where each delivery mode has its turns from."""

from __future__ import annotations

import pytest

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.profiles import Identity
from sensei_kumite.delivery.simulator import Simulator
from sensei_kumite.delivery.turns import turns_of
from sensei_kumite.llm.offline.model import OfflineModel
from sensei_kumite.llm.requests import ModelSettings, Role
from sensei_kumite.models import Turn
from tests.llm.scripted import ScriptedModel

GUEST = Identity("a guest who wants pizza", "English", "", "x.yml", "inline")
SIMULATED = EntryExecution(mode="simulated_user", warmup_turns=2)


def test_direct_has_none() -> None:
    assert turns_of(EntryExecution()).requested == 0


def test_scripted_has_those_that_are_written() -> None:
    source = turns_of(EntryExecution(mode="scripted", turns=["one", "two"]))
    assert (source.requested, source.stop_on_error) == (2, False)
    assert source.next_message([]) == "one"
    assert source.next_message([Turn("one", None, "gone", 0.1)]) == "two"


def test_a_simulated_user_writes_them() -> None:
    model = ScriptedModel("Hi", "And then?")
    source = turns_of(SIMULATED, Simulator(model, GUEST))
    assert (source.requested, source.stop_on_error) == (2, True)
    assert source.next_message([]) == "Hi"
    assert source.next_message([Turn("Hi", "Hello", None, 0.1)]) == "And then?"
    assert [request.facts["turn"] for request in model.requests] == [1, 2]
    assert {request.facts["total"] for request in model.requests} == {2}


def test_a_simulated_user_works_offline() -> None:
    model = OfflineModel(ModelSettings(Role.SIMULATION, provider="offline"), 3)
    source = turns_of(SIMULATED, Simulator(model, GUEST))
    assert "pizza" in source.next_message([])


def test_nobody_can_be_simulated_without_a_simulator() -> None:
    with pytest.raises(ValueError, match="needs a simulator"):
        turns_of(SIMULATED)

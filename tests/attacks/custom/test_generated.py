from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sensei_kumite.attacks.base import AttackContext
from sensei_kumite.attacks.custom.generated import generate
from sensei_kumite.attacks.custom.placeholders import LONGEST_TEXT, TooLong
from sensei_kumite.attacks.custom.variables import Generation
from sensei_kumite.attacks.generation import Written
from sensei_kumite.errors import BudgetReached, ConfigurationError, ModelError
from sensei_kumite.llm.requests import ModelSettings, Purpose, Role
from tests.attacks.build import ScriptedModel, context, offline

REFUSAL = "I'm sorry, but I can't help with that."
ABOUT = {
    "generation_instruction": "Ask Ann.",
    "generation_model": "gpt-4o-mini",
    "generation_model_provider": "openai",
    "generation_temperature": 0.7,
}


def order(prompt: str = "Ask {{who}}.", **keys: Any) -> Generation:
    return Generation(prompt=prompt, fallback="Hello {{who}}.", **keys)


def written(generation: Generation, *answers: str | Exception) -> tuple[Written, ScriptedModel]:
    model = ScriptedModel(*answers)
    return generate(generation, {"who": "Ann"}, context(model)), model


def test_what_a_model_writes_is_used_as_it_is() -> None:
    result, model = written(order(), '  "How are you, {{who}}?"\n')
    assert result == Written('"How are you, {{who}}?"', {"generated_by_llm": True, **ABOUT})
    [request] = model.requests
    assert (request.purpose, request.messages[-1].content) == (Purpose.VARIABLE, "Ask Ann.")
    assert request.facts == {"instruction": "Ask Ann."}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (REFUSAL, {"generation_refusal": REFUSAL}),
        ("", {}),
        (" \n", {}),
        (ModelError("no connection"), {"generation_error": "no connection"}),
    ],
)
def test_the_fallback_takes_the_place_of_what_cannot_be_used(
    answer: str | Exception, why: dict[str, str]
) -> None:
    result, _ = written(order(), answer)
    assert result.text == "Hello Ann."
    assert result.metadata == {
        "generated_by_llm": False,
        **ABOUT,
        "generation_fallback": "Hello Ann.",
        **why,
    }


def test_there_is_no_fallback_for_the_budget() -> None:
    with pytest.raises(BudgetReached):
        written(order(), BudgetReached("Budget of $1 reached."))


def test_the_target_context_is_added_where_it_is_asked_for() -> None:
    run = replace(context(ScriptedModel("x")), target_context="Sells tea.")
    asked = generate(order(context=True), {"who": "Ann"}, run).metadata["generation_instruction"]
    assert asked.startswith("Ask Ann.\n\n")
    assert asked.endswith("Sells tea.")
    assert generate(order(), {"who": "Ann"}, run).metadata["generation_instruction"] == "Ask Ann."
    nothing = replace(run, target_context="")
    assert generate(order(context=True), {"who": "Ann"}, nothing).metadata == {
        "generated_by_llm": True,
        **ABOUT,
    }


def test_a_variable_may_choose_its_model() -> None:
    asked: list[dict[str, Any]] = []

    def generation(**overrides: Any) -> ScriptedModel:
        asked.append(overrides)
        model = ScriptedModel("x")
        model.settings = ModelSettings(Role.GENERATION).override(**overrides)
        return model

    run: AttackContext = replace(context(), generation=generation)
    own = generate(order(model="m", model_provider="p", temperature=0.1), {"who": "Ann"}, run)
    usual = generate(order(), {"who": "Ann"}, run)
    assert asked == [
        {"model": "m", "provider": "p", "temperature": 0.1},
        {"model": None, "provider": None, "temperature": 0.7},
    ]
    assert {key: own.metadata[key] for key in ABOUT} == {
        **ABOUT,
        "generation_model": "m",
        "generation_model_provider": "p",
        "generation_temperature": 0.1,
    }
    assert {key: usual.metadata[key] for key in ABOUT} == ABOUT


def test_the_offline_provider_writes_by_the_instruction() -> None:
    result = generate(order("Write a question about {{who}}."), {"who": "green tea"}, context(offline()))
    assert "question about green tea" in result.text
    assert result.metadata["generation_model_provider"] == "offline"


def test_without_generation_there_is_nobody_to_ask() -> None:
    with pytest.raises(ConfigurationError, match="enabled is false"):
        generate(order(), {"who": "Ann"}, context())


def test_an_instruction_does_not_grow_without_end() -> None:
    with pytest.raises(TooLong):
        generate(order("{{who}}"), {"who": "x" * (LONGEST_TEXT + 1)}, context(ScriptedModel("x")))

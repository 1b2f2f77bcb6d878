"""Asking the model of a search: what counts as an answer."""

from __future__ import annotations

import pytest

from sensei_kumite.dynamic.asking import ask
from sensei_kumite.dynamic.search import SearchContext
from sensei_kumite.errors import BudgetReached, ModelError
from sensei_kumite.llm.requests import Purpose
from tests.dynamic.searches.bots import REFUSAL, is_refusal
from tests.llm.scripted import ScriptedModel


def answer(text: str | Exception, request: str = "hello") -> str:
    return ask(SearchContext(model=ScriptedModel(text), is_refusal=is_refusal), "Translate.", request, {})


@pytest.mark.parametrize("text", ["bonjour", '"bonjour"', "```\nbonjour\n```", " bonjour\n"])
def test_an_answer_is_the_text_itself(text: str) -> None:
    assert answer(text) == "bonjour"


@pytest.mark.parametrize("text", ["", " ", REFUSAL, "x" * 60_000, ModelError("down.")])
def test_some_answers_are_none(text: str | Exception) -> None:
    assert answer(text) == ""


def test_a_refusal_may_be_what_was_asked_about() -> None:
    assert answer(REFUSAL, request=REFUSAL) == REFUSAL


def test_without_a_model_there_is_none() -> None:
    assert ask(SearchContext(), "Translate.", "hello", {}) == ""


def test_a_budget_is_nothing_to_fall_back_from() -> None:
    with pytest.raises(BudgetReached):
        answer(BudgetReached("spent."))


def test_what_is_asked() -> None:
    model = ScriptedModel("bonjour")
    ask(SearchContext(model=model), "Translate.", "hello", {"search": "multi_language"})
    [request] = model.requests
    assert request.purpose is Purpose.SEARCH
    assert request.facts == {"search": "multi_language"}
    assert request.messages[0].content.endswith(" Translate.")
    assert request.messages[1].content == "hello"

"""The model behind `get_llm`: which one it is, how it is asked, and that a spent budget is not forgotten."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.dynamic.chat import (
    INTERRUPTIONS,
    AIMessage,
    HumanMessage,
    Message,
    SystemMessage,
    chat_model,
)
from sensei_kumite.dynamic.content import Audio
from sensei_kumite.errors import BudgetReached, ModelError
from sensei_kumite.llm.requests import Message as Sent
from sensei_kumite.llm.requests import Model, Purpose
from tests.llm.scripted import ScriptedModel


class Generation:
    """The generation role; keeps what its settings were replaced by."""

    def __init__(self, *answers: str | Exception) -> None:
        self.model = ScriptedModel(*answers or ("fine",))
        self.asked_for: list[dict[str, Any]] = []

    def __call__(self, **settings: Any) -> Model:
        self.asked_for.append(settings)
        return self.model


class LangChainMessage:
    """As LangChain's own messages look: a type instead of a role."""

    type = "human"
    content = "hi"


@pytest.mark.parametrize(
    "options", ["", None, "gpt-4o", "model=gpt-4o", "unknown/model", "test/x/y", "openai/", " ", "mode"]
)
def test_without_a_provider_it_is_the_role_as_it_is(options: str | None) -> None:
    generation = Generation()
    assert chat_model(generation, options) is not None
    assert generation.asked_for == [{}]


@pytest.mark.parametrize(
    ("options", "provider", "model"),
    [
        ("openai/gpt-4o", "openai", "gpt-4o"),
        ("model=openai/gpt-4o", "openai", "gpt-4o"),
        ("OpenRouter/google/gemma-3", "openrouter", "google/gemma-3"),
        ("azure-openai/prod", "azure_openai", "prod"),
        ("google/gemini-2.5-flash", "google_genai", "gemini-2.5-flash"),
        ("togetherai/meta-llama/x", "together", "meta-llama/x"),
    ],
)
def test_a_provider_replaces_that_of_the_role(options: str, provider: str, model: str) -> None:
    generation = Generation()
    assert chat_model(generation, options, max_tokens=None) is not None
    assert generation.asked_for == [{"provider": provider, "model": model}]


@pytest.mark.parametrize("options", ["offline", "model=offline", "Offline-mode"])
@pytest.mark.parametrize("generation", [Generation(), None])
def test_offline_is_no_model(options: str, generation: Generation | None) -> None:
    assert chat_model(generation, options) is None


def test_a_campaign_that_allows_no_generation_says_so() -> None:
    with pytest.raises(ModelError, match=r"generation\.enabled"):
        chat_model(None, "openai/gpt-4o")


@pytest.mark.parametrize(
    ("messages", "sent"),
    [
        ("hi", [("user", "hi")]),
        (HumanMessage("hi"), [("user", "hi")]),
        ([SystemMessage("be"), HumanMessage(content="hi")], [("system", "be"), ("user", "hi")]),
        ([Message("user", "hi"), AIMessage("yes", tokens=1)], [("user", "hi"), ("assistant", "yes")]),
        ({"role": "system", "content": "be"}, [("system", "be")]),
        ([{"content": "hi"}], [("user", "hi")]),
        (
            [("human", "hi"), ["ai", "yes"], ("System", "be")],
            [("user", "hi"), ("assistant", "yes"), ("system", "be")],
        ),
        (["one", "two"], [("user", "one"), ("user", "two")]),
        ([LangChainMessage()], [("user", "hi")]),
        (HumanMessage(Audio("aGk=")), [("user", "aGk=")]),
    ],
)
def test_messages_of_every_kind_reach_the_model(messages: Any, sent: list[tuple[Any, str]]) -> None:
    generation = Generation()
    chat = chat_model(generation)
    assert chat is not None
    answer = chat.invoke(messages)
    assert (type(answer), answer.role, answer.content) == (AIMessage, "assistant", "fine")
    [request] = generation.model.requests
    assert request.purpose is Purpose.SCRIPT
    assert request.messages == tuple(Sent(role, content) for role, content in sent)


@pytest.mark.parametrize(
    ("messages", "error", "message"),
    [
        ([5], TypeError, "not int"),
        ([("robot", "hi")], ValueError, "unknown role 'robot'"),
        (5, TypeError, "not iterable"),
    ],
)
def test_what_is_no_message_is_an_error(messages: Any, error: type[Exception], message: str) -> None:
    generation = Generation()
    chat = chat_model(generation)
    assert chat is not None
    with pytest.raises(error, match=message):
        chat.invoke(messages)
    assert generation.model.requests == []


@pytest.mark.parametrize(
    ("given", "used"), [({}, 0.0), ({"temperature": 1}, 1.0), ({"temperature": None}, None)]
)
def test_the_temperature_goes_along(given: dict[str, Any], used: float | None) -> None:
    generation = Generation()
    chat = chat_model(generation, "", 100, **given, top_p=1)
    assert chat is not None
    chat.invoke("hi")
    assert generation.model.requests[0].temperature == used


def test_a_failing_model_fails_in_the_script_alone() -> None:
    interruptions: list[Exception] = []
    token = INTERRUPTIONS.set(interruptions)
    chat = chat_model(Generation(ModelError("no answer")))
    assert chat is not None
    with pytest.raises(ModelError, match="no answer"):
        chat.invoke("hi")
    INTERRUPTIONS.reset(token)
    assert interruptions == []


def test_a_spent_budget_is_noted_for_whoever_runs_the_search() -> None:
    spent = BudgetReached("Budget of $1 reached.")
    interruptions: list[Exception] = []
    chat = chat_model(Generation(spent))
    assert chat is not None
    with pytest.raises(BudgetReached):  # nobody runs one
        chat.invoke("hi")
    token = INTERRUPTIONS.set(interruptions)
    with pytest.raises(BudgetReached):
        chat.invoke("hi")
    INTERRUPTIONS.reset(token)
    assert interruptions == [spent]


@given(st.text(), st.text())
def test_no_text_is_too_strange_for_a_message(options: str, text: str) -> None:
    generation = Generation()
    chat = chat_model(generation, options)
    if chat is not None:
        chat.invoke([("user", text)])
        assert generation.model.requests[0].messages[0].content == text

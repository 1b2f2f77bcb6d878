"""The model that a script is given by `get_llm`: our generation role behind messages and `invoke`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Literal

from sensei_kumite.dynamic.content import Content, get_content
from sensei_kumite.errors import BudgetReached, ModelError
from sensei_kumite.llm import requests
from sensei_kumite.llm.providers import PROVIDERS
from sensei_kumite.llm.requests import OFFLINE, Model, Purpose, Request, current_subject

INTERRUPTIONS: ContextVar[list[Exception] | None] = ContextVar("interruptions", default=None)
"""Where whoever runs a search is told of what has to end it, whatever the script catches."""

_ROLES: Mapping[str, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
}
# What scripts call a provider, and LangChain does otherwise.
_PROVIDER_NAMES = {"google": "google_genai", "togetherai": "together"}


class Message:
    """One message of a conversation with a model; `role` is system, user or assistant."""

    def __init__(self, role: str, content: Content) -> None:
        self.role = role
        self.content = content

    def __repr__(self) -> str:
        return f"{type(self).__name__}(role={self.role!r}, content={self.content!r})"


class SystemMessage(Message):
    """What a model is told to be."""

    def __init__(self, content: Content) -> None:
        super().__init__("system", content)


class HumanMessage(Message):
    """What a model is asked."""

    def __init__(self, content: Content) -> None:
        super().__init__("user", content)


class AIMessage(Message):
    """What a model answered; `metadata` is whatever else is known of it."""

    def __init__(self, content: Content, **metadata: Any) -> None:
        super().__init__("assistant", content)
        self.metadata = metadata


Messages = Any
"""A text, a message, or a list of them: objects with `content`, `{role, content}`, or `(role, content)`."""


class Chat:
    """A model that a script talks to. Used by one search."""

    def __init__(self, model: Model, temperature: float | None) -> None:
        self._model = model
        self._temperature = temperature
        # A script may ask from a thread of its own, which knows nothing of the case.
        self._interruptions = INTERRUPTIONS.get()
        self._subject = current_subject()

    def invoke(self, messages: Messages) -> AIMessage:
        """The model's answer; raises TypeError or ValueError for what are no messages, and ModelError."""
        subject = current_subject() or self._subject
        asked = tuple(_read(messages))
        request = Request(Purpose.SCRIPT, asked, subject=subject, temperature=self._temperature)
        try:
            return AIMessage(self._model.complete(request))
        except BudgetReached as error:
            for interruptions in (INTERRUPTIONS.get(), self._interruptions):
                if interruptions is not None:
                    interruptions.append(error)
                    break
            raise


def chat_model(
    generation: Callable[..., Model] | None,
    options: str | None = "",
    max_tokens: int | None = 8,  # noqa: ARG001  # the contract's
    temperature: float | None = 0,
    **kwargs: Any,  # noqa: ARG001  # the contract's
) -> Chat | None:
    """What `get_llm` gives a script; raises ModelError where the campaign allows no generation.

    `provider/model` is that model of a LangChain provider, in the generation role; anything else is the
    model that the role has, and `offline…` none at all. `max_tokens` and further arguments are heeded by no
    model: an answer that is cut off serves nobody, and the budget of a run is kept in money.
    """
    name = (options or "").strip().removeprefix("model=").strip()
    if name.lower().startswith(OFFLINE):
        return None
    if generation is None:
        raise ModelError("get_llm: this script asks for a model, but generation.enabled is false.")
    provider, model = _named(name)
    made = generation(provider=provider, model=model) if provider else generation()
    return Chat(made, None if temperature is None else float(temperature))


def _named(name: str) -> tuple[str, str]:
    """Provider and model, empty where `name` names no provider that LangChain knows."""
    provider, _, model = name.partition("/")
    provider = provider.strip().lower().replace("-", "_")
    provider = _PROVIDER_NAMES.get(provider, provider)
    return (provider, model.strip()) if provider in PROVIDERS and model.strip() else ("", "")


def _read(messages: Messages) -> Iterable[requests.Message]:
    """Whatever stands for messages, as ours."""
    alone = isinstance(messages, (str, Mapping)) or hasattr(messages, "content")
    for given in [messages] if alone else messages:
        role, content = _parts(given)
        if role not in _ROLES:
            raise ValueError(f"unknown role {role!r} of a message; valid: {', '.join(_ROLES)}")
        yield requests.Message(_ROLES[role], get_content(content))


def _parts(given: Any) -> tuple[str, Any]:
    if isinstance(given, str):
        return "user", given
    if isinstance(given, Mapping):
        return str(given.get("role", "user")).lower(), given.get("content", "")
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return str(given[0]).lower(), given[1]
    if hasattr(given, "content"):
        return str(getattr(given, "role", None) or getattr(given, "type", "user")).lower(), given.content
    raise TypeError(f"a message should be a text, a pair, a mapping or a message, not {type(given).__name__}")

"""What is asked of a model: messages for a real one, the facts behind them for the offline one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

DEFAULT_MODEL = "gpt-4o-mini"
DEFAULT_PROVIDER = "openai"
OFFLINE = "offline"


class Role(StrEnum):
    """Who a model plays in a run; the value is the block of security.yml that configures it."""

    GENERATION = "generation"
    SIMULATION = "simulation"
    JUDGE = "judge"
    DUMMY = "dummy_chatbot"


class Purpose(StrEnum):
    """What one call is for; the offline provider answers by purpose."""

    ATTACK = "attack"
    VARIABLE = "variable"
    REPHRASE = "rephrase"
    USER_TURN = "user_turn"
    VERDICT = "verdict"
    DUMMY_REPLY = "dummy_reply"
    SEARCH = "search"
    SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model plays a role and where it is reached. `api_key_env` is the NAME of a variable."""

    role: Role
    model: str = DEFAULT_MODEL
    provider: str = DEFAULT_PROVIDER
    temperature: float = 0.0
    base_url: str | None = None
    api_key_env: str | None = None

    @property
    def is_offline(self) -> bool:
        """Whether our own rules answer, without a key or a network."""
        return self.provider == OFFLINE

    def override(self, **changes: Any) -> ModelSettings:
        """These settings with what is given (and not None) in `changes`."""
        return replace(self, **{key: value for key, value in changes.items() if value is not None})


_SUBJECT: ContextVar[str] = ContextVar("subject", default="")


@contextmanager
def billed_to(subject: str) -> Iterator[None]:
    """While open, requests made in this thread belong to `subject`: a case, or an attack being planned."""
    token = _SUBJECT.set(subject)
    try:
        yield
    finally:
        _SUBJECT.reset(token)


def current_subject() -> str:
    """What requests made in this thread belong to; empty for nothing."""
    return _SUBJECT.get()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the messages a real model gets, and `facts`, what they were written from.

    `subject` is what the call is billed to, from `billed_to` unless given. `schema` is a JSON Schema that
    the answer should follow where the provider can be told so; the answer is text in any case.
    `temperature` overrides the settings'.
    """

    purpose: Purpose
    messages: tuple[Message, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    subject: str = field(default_factory=_SUBJECT.get)
    schema: Mapping[str, Any] | None = None
    temperature: float | None = None


class Model(ABC):
    """Answers requests with text. Shared by all lanes."""

    settings: ModelSettings

    @abstractmethod
    def complete(self, request: Request) -> str:
        """The answer; raises ModelError where there is none, BudgetReached before a call that is too much."""

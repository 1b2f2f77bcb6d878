"""What a target is to everything else: it opens sessions, a session takes text and gives text or an error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sensei_kumite.errors import TargetError
from sensei_kumite.llm.requests import Model
from sensei_kumite.registry import Registry


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a target can do.

    `fresh_conversations`: a session can begin a new conversation. `concurrent_sessions`: several
    conversations may be held at once. `backtrack`: the last exchange can be taken back.
    """

    fresh_conversations: bool = True
    concurrent_sessions: bool = True
    backtrack: bool = False


class Session(ABC):
    """One conversation at a time with a target. Used by one thread."""

    @abstractmethod
    def send(self, text: str) -> str:
        """Send `text`, return the answer (never empty); raises TargetError."""

    def reset(self) -> bool:
        """Begin a fresh conversation; False where the target cannot. Raises TargetError."""
        return False

    def backtrack(self) -> bool:
        """Take the last exchange back, as if it had never been; False where the target cannot.

        A session whose target has the capability `backtrack` can. Raises TargetError.
        """
        return False

    def instruct(self, system_message: str | None) -> bool:  # noqa: ARG002  # for those that can
        """Give the conversations that follow this system message, or None for the target's own; False where
        the target takes none."""
        return False

    def close(self) -> None:
        """Release connections; never raises."""


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """What a target is built from.

    `params` are its own; `project` is the folder that paths in them start from, and must stay in when
    `confined`; `timeout` are the seconds allowed for one call. The dummy also gets its `system_prompt`,
    `model`, how often a refusal is retried, and `refuses`, which says what is one.
    """

    params: Mapping[str, Any] = field(default_factory=dict)
    project: Path = field(default_factory=Path)
    system_prompt: str | None = None
    model: Model | None = None
    refusal_retries: int = 1
    refuses: Callable[[str], bool] = lambda _: False
    timeout: float | None = None
    seed: int | None = None
    confined: bool = False


class Target(ABC):
    """Something to be tested. Built once per run; opens one session per lane.

    A constructor raises ConfigurationError when its settings are wrong and calls nothing.
    `warnings` are sentences about the settings that the user should see once; `secrets` values among them
    that must not be written anywhere.
    """

    description: ClassVar[str] = ""
    capabilities: Capabilities = Capabilities()
    warnings: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    @abstractmethod
    def open(self) -> Session:
        """A new session, independent of the others; raises TargetError."""

    def probe(self) -> None:
        """Check once, before the first case, that the target is there; sends no message.

        Raises TargetUnavailable or TargetRejected where it is not, with the address and the reason.
        """

    def describe(self) -> str:
        """One line for reports and the terminal: what is tested, and where; never a secret."""
        return type(self).__name__


TargetFactory = Callable[[TargetSettings], Target]
TARGETS: Registry[TargetFactory] = Registry("technology", "sensei_kumite.targets")


class ScriptedTarget(Target):
    """A target with prepared answers, for tests and trials without a network.

    `answers` is a function of the text sent, or a list that every session works through, repeating
    its last element; an element that is a TargetError is raised. `sent` records all texts in order.
    """

    description = "Prepared answers, for tests."

    def __init__(self, answers: Callable[[str], str] | Sequence[str | TargetError]) -> None:
        self._answers = answers
        self.sent: list[str] = []

    def open(self) -> Session:
        """A session that starts at the first prepared answer."""
        return _ScriptedSession(self._answers, self.sent)


class _ScriptedSession(Session):
    def __init__(self, answers: Callable[[str], str] | Sequence[str | TargetError], sent: list[str]) -> None:
        self._answers = answers
        self._sent = sent
        self._position = 0

    def send(self, text: str) -> str:
        self._sent.append(text)
        if callable(self._answers):
            return self._answers(text)
        answer = self._answers[min(self._position, len(self._answers) - 1)]
        self._position += 1
        if isinstance(answer, TargetError):
            raise answer
        return answer

    def reset(self) -> bool:
        return True

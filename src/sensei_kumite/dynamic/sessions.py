"""The conversations that a search holds with the target: one per session id, played again where need be."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sensei_kumite.errors import TargetError, TargetRejected
from sensei_kumite.targets.base import Capabilities, Session


class Said(NamedTuple):
    """A message and its answer, or the error in its place; `seconds` is what it took, where that is known."""

    user: str
    assistant: str | None
    error: str | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class _Conversation:
    """What was said under one id. `stale` says that the target may remember something else."""

    session: Session
    said: list[Said] = field(default_factory=list)
    stale: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one message: the answer, the whole conversation that led to it, and how many earlier turns
    had to be played again."""

    text: str
    said: tuple[Said, ...]
    replayed: int = 0


class Conversations:
    """Sends the messages of one search, each within its conversation.

    `single` is the session for messages without an id, each of which begins a fresh conversation; `further`
    opens one more. `opening` are the messages that every conversation begins with. A turn is taken back by
    the target where it can, and otherwise by playing the earlier ones in a fresh conversation.
    `ignores_system_messages` says that the target was given one and takes none; `replayed` counts the turns
    that were played again.
    """

    def __init__(
        self,
        single: Session,
        further: Callable[[], Session],
        capabilities: Capabilities,
        opening: Sequence[str] = (),
    ) -> None:
        self.ignores_system_messages = False
        self.replayed = 0
        self._single = single
        self._further = further
        self._capabilities = capabilities
        self._opening = opening
        self._held: dict[str, _Conversation] = {}
        self._instructed: set[int] = set()

    @property
    def backtracks(self) -> bool:
        """Whether a turn can be taken back, one way or the other."""
        return self._capabilities.backtrack or self._capabilities.fresh_conversations

    @property
    def instructed(self) -> bool:
        """Whether any session was given a system message."""
        return bool(self._instructed)

    def say(
        self, text: str, session_id: str | None, system_message: str | None = None, *, backtrack: bool = False
    ) -> Answer:
        """Send `text`; raises TargetError, after which the conversation is played again before it goes on."""
        if session_id is None:
            self._let_go_of(self._single)
            said = self._begin(self._single, system_message)
            answer = self._single.send(text)
            return Answer(answer, (*said, Said(text, answer)))
        conversation = self._conversation(session_id)
        if backtrack and len(conversation.said) > len(self._opening):
            self._take_back(conversation)
        replayed = self._refresh(conversation, system_message)
        conversation.stale = True
        answer = conversation.session.send(text)
        conversation.stale = False
        conversation.said.append(Said(text, answer))
        return Answer(answer, tuple(conversation.said), replayed)

    def _conversation(self, session_id: str) -> _Conversation:
        """The conversation of that id, in a session of its own where the target can hold several."""
        if session_id not in self._held:
            several = self._capabilities.concurrent_sessions and self._capabilities.fresh_conversations
            self._held[session_id] = _Conversation(self._further() if several else self._single)
        conversation = self._held[session_id]
        if conversation.stale:
            self._let_go_of(conversation.session)
        return conversation

    def _let_go_of(self, session: Session) -> None:
        """Whatever was held in `session` has to be played again to go on."""
        for conversation in self._held.values():
            if conversation.session is session:
                conversation.stale = True

    def _take_back(self, conversation: _Conversation) -> None:
        if not self.backtracks:
            raise TargetRejected("the target cannot take a turn back, nor begin a fresh conversation.")
        conversation.said.pop()
        is_native = self._capabilities.backtrack and not conversation.stale
        if not (is_native and conversation.session.backtrack()):
            conversation.stale = True

    def _refresh(self, conversation: _Conversation, system_message: str | None) -> int:
        """Bring the target to where the conversation stands; how many turns were played again."""
        earlier = conversation.said[len(self._opening) :]
        if not conversation.stale or (earlier and not self._capabilities.fresh_conversations):
            return 0
        said = self._begin(conversation.session, system_message)
        for turn in earlier:
            said.append(Said(turn.user, conversation.session.send(turn.user)))
        conversation.said = said
        self.replayed += len(earlier)
        return len(earlier)

    def _begin(self, session: Session, system_message: str | None) -> list[Said]:
        """A fresh conversation with its opening; what fails in it stays out of the way, as in delivery."""
        if system_message or id(session) in self._instructed:
            self._instructed.add(id(session))
            if not session.instruct(system_message) and system_message:
                self.ignores_system_messages = True
        session.reset()
        return [self._opened_with(message, session) for message in self._opening]

    @staticmethod
    def _opened_with(message: str, session: Session) -> Said:
        started = time.perf_counter()
        try:
            answer = session.send(message)
        except TargetError as error:
            return Said(message, None, str(error), time.perf_counter() - started)
        return Said(message, answer, seconds=time.perf_counter() - started)

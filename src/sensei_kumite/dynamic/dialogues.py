"""Everything that a search says to the target, as one graph: its conversations, and what was given up."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sensei_kumite.dynamic.contract import AttackAttempt
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.search import Tries

Notes = Mapping[str, Any]
"""What is kept with a message beside its text."""
_NONE: Notes = {}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message and what came of it, with the ids of both in the graph; `answered` None for no answer."""

    attempt: AttackAttempt
    text: str
    asked: int
    answered: int | None

    @property
    def response(self) -> str:
        """The answer; empty where there is none."""
        return str(self.attempt.response)

    @property
    def place(self) -> int:
        """The message below which it goes on."""
        return self.asked if self.answered is None else self.answered


class Dialogues:
    """All conversations of a search. The graph keeps what was taken back, and what was never sent.

    A user's message holds `{role, content, session}`, `session` being the number of the conversation with the
    target, and what the search notes; the answer holds `{role, content, session, success}`.
    """

    def __init__(self, tries: Tries) -> None:
        self.graph = StandardisedConversation()
        self.tries = tries
        self._begun = 0

    def fresh(self) -> Iterator[Dialogue]:
        """One conversation after the other, until a try has succeeded or none is left."""
        while self.tries.left and not self.tries.succeeded:
            yield self.open()

    def open(self) -> Dialogue:
        """A conversation that nobody has said anything in."""
        self._begun += 1
        return Dialogue(self, self._begun)

    def once(self, text: str, notes: Notes, *, below: int | None = None) -> Exchange:
        """Send `text` as the only message of a conversation; the graph has it `below` another message."""
        self._begun += 1
        parent = self.graph.get_root_id() if below is None else below
        return self.send(text, {"session": self._begun, **notes}, parent)

    def keep(self, text: str, notes: Notes, *, below: int) -> int:
        """Keep a message that is not sent; its id."""
        return self.graph.add_message(below, {"role": "user", "content": text, **notes})

    def note(self, message: int, **notes: Any) -> None:
        """Note something of a message."""
        self.graph.get_message_data(message).update(notes)

    def send(self, text: str, notes: Notes, parent: int, **how: Any) -> Exchange:
        """Try `text` and keep it with its answer below `parent`; `how` is for `Tries.send`."""
        attempt = self.tries.send(text, **how)
        asked = self.graph.add_message(parent, {"role": "user", "content": text, **notes}, attempt=True)
        if attempt.error is not None:
            self.note(asked, error=attempt.error)
            return Exchange(attempt, text, asked, None)
        answer = {
            "role": "assistant",
            "content": str(attempt.response),
            "session": notes["session"],
            "success": attempt.success,
        }
        return Exchange(attempt, text, asked, self.graph.add_message(asked, answer))


class Dialogue:
    """One conversation with the target. `exchanges` are those that stand."""

    def __init__(self, all_of_them: Dialogues, number: int) -> None:
        self.exchanges: list[Exchange] = []
        self.number = number
        self._all = all_of_them
        self._id = uuid.uuid4().hex  # another one each time: the target may remember the last search
        self._takes_back = False

    def say(self, text: str, notes: Notes = _NONE, *, judged: bool = True) -> Exchange:
        """Send the next message. One that the target fails at is no part of the conversation."""
        how = {"backtrack": True} if self._takes_back else {}
        self._takes_back = False  # also where the call fails: taking back comes first
        parent = self.exchanges[-1].place if self.exchanges else self._all.graph.get_root_id()
        exchange = self._all.send(
            text,
            {"session": self.number, **notes},
            parent,
            judged=judged,
            spikee_session_id=self._id,
            **how,
        )
        if exchange.answered is not None:
            self.exchanges.append(exchange)
        return exchange

    def back(self) -> None:
        """Take the last exchange back, once, before the next message; it stays in the graph."""
        if self._takes_back:
            raise ValueError("one exchange is to be taken back already")
        self._all.note(self.exchanges.pop().asked, taken_back=True)
        self._takes_back = True

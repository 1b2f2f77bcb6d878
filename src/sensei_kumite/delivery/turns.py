"""Where the pre-attack turns of a conversation come from: the one thing in which delivery modes differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.models import Turn


@dataclass(frozen=True, slots=True)
class TurnSource:
    """`requested` messages, each written by `next_message` from the exchange so far.

    `stop_on_error` says whether a failing turn ends the conversation before the attack.
    """

    requested: int
    next_message: Callable[[Sequence[Turn]], str]
    stop_on_error: bool = False


def turns_of(execution: EntryExecution) -> TurnSource:
    """The source of pre-attack turns that an entry's delivery mode asks for."""
    messages = execution.turns
    return TurnSource(len(messages), lambda so_far: messages[len(so_far)])

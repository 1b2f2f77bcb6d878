"""Where the pre-attack turns of a conversation come from: the one thing in which delivery modes differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.simulator import Simulator
from sensei_kumite.models import Turn


@dataclass(frozen=True, slots=True)
class TurnSource:
    """`requested` messages, each written by `next_message` from the exchange so far.

    `next_message` may raise ModelError, which ends the conversation, and BudgetReached. `stop_on_error`
    says whether a turn that the target fails to answer ends it, too.
    """

    requested: int
    next_message: Callable[[Sequence[Turn]], str]
    stop_on_error: bool = False


def turns_of(execution: EntryExecution, simulator: Simulator | None = None) -> TurnSource:
    """The source of pre-attack turns that an entry's delivery mode asks for.

    Raises ValueError where it asks for a simulated user and there is no `simulator`.
    """
    if execution.mode == "simulated_user":
        if simulator is None:
            raise ValueError("mode simulated_user needs a simulator")
        total = execution.warmup_turns
        return TurnSource(total, lambda so_far: simulator.next_message(so_far, total), stop_on_error=True)
    messages = execution.turns
    return TurnSource(len(messages), lambda so_far: messages[len(so_far)])

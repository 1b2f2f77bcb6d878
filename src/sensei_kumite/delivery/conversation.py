"""The one loop that talks to a target: reset, pre-attack turns, final prompt; it records, never judges."""

from __future__ import annotations

import time

from sensei_kumite.delivery.turns import TurnSource
from sensei_kumite.errors import ModelError, TargetError
from sensei_kumite.models import Transcript, Turn
from sensei_kumite.targets.base import Session

MAX_RESPONSE = 1024 * 1024
"""Characters of an answer that are kept and scored."""


def converse(session: Session, source: TurnSource, prompt: str, *, reset: bool) -> Transcript:
    """Hold one conversation that ends with `prompt`.

    Errors of single turns, and of whoever writes them, are part of the transcript. Raises TargetError only
    where a fresh conversation could not be had, and BudgetReached.
    """
    if reset:
        session.reset()
    turns: list[Turn] = []
    for _ in range(source.requested):
        try:
            message = source.next_message(turns)
        except ModelError as error:
            return Transcript(tuple(turns), None, failure=str(error))
        turn = exchange(session, message)
        turns.append(turn)
        if turn.error is not None and source.stop_on_error:
            return Transcript(tuple(turns), None)
    return Transcript(tuple(turns), exchange(session, prompt))


def exchange(session: Session, message: str) -> Turn:
    """Send one message; its answer, or the error in its place, with the seconds it took."""
    started = time.perf_counter()
    try:
        answer = session.send(message)
    except TargetError as error:
        return Turn(message, None, str(error), time.perf_counter() - started)
    seconds = time.perf_counter() - started
    return Turn(message, answer[:MAX_RESPONSE], None, seconds, truncated=len(answer) > MAX_RESPONSE)

"""What a script returned, read strictly: anything but what the contract names is the script's mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sensei_kumite.dynamic.content import Audio, Image, process_target_content
from sensei_kumite.dynamic.contract import AttackAttempt
from sensei_kumite.dynamic.graph import Graph, as_graph
from sensei_kumite.text import excerpt

_EXPECTED = "(iterations, success, input, response)"


class ScriptMistake(Exception):
    """A script returned what the contract does not know; the message continues "the script"."""


@dataclass(frozen=True, slots=True)
class Input:
    """What a script says it sent, with what it kept of the way there."""

    text: str
    conversation: Graph | None = None
    objective: str | None = None
    attempt_history: Sequence[Any] | None = None


@dataclass(frozen=True, slots=True)
class Representative:
    """The one result of a search: the try that decided it."""

    iterations: int
    success: bool
    input: Input
    response: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of an expanded result. `guardrail` holds what the script says of one, if anything."""

    input: Input
    response: str
    success: bool | None
    attempts: int = 1
    error: str | None = None
    seconds: float | None = None
    guardrail: dict[str, Any] = field(default_factory=dict)


def read_returned(returned: Any, allowed: int, *, traced: bool) -> Representative | list[Attempt]:
    """What a search came to; `traced` says that all its tries were asked for. Raises ScriptMistake."""
    if isinstance(returned, list) and (traced or any(isinstance(each, AttackAttempt) for each in returned)):
        attempts = _read_attempts(returned, traced=traced)
        _check_iterations(sum(attempt.attempts for attempt in attempts), allowed)
        return attempts
    if not isinstance(returned, (tuple, list)) or len(returned) != 4:
        raise ScriptMistake(f"returned {_shown(returned)}, not {_EXPECTED}.")
    iterations, success, given, response = returned
    if type(iterations) is not int or iterations < 0:
        raise ScriptMistake(f"returned {_shown(iterations)} as its iterations, not a whole number from 0.")
    if type(success) is not bool:
        raise ScriptMistake(f"returned {_shown(success)} as its success, not True or False.")
    read = _read_input(given)
    _check_iterations(_without_answers(iterations, read), allowed)
    return Representative(iterations, success, read, process_target_content(response))


def _check_iterations(iterations: int, allowed: int) -> None:
    if iterations > allowed:
        raise ScriptMistake(f"made {iterations} iterations where {allowed} were allowed.")


def _without_answers(iterations: int, given: Input) -> int:
    """The iterations of a script that counts all messages of its conversation, as the contract's template for
    several turns does: those of them that were sent."""
    nodes = [node for key, node in (given.conversation or {}).items() if key != "0"]
    return sum(node["attempt"] for node in nodes) if iterations == len(nodes) else iterations


def _read_attempts(returned: list[Any], *, traced: bool) -> list[Attempt]:
    if not traced:
        raise ScriptMistake(f"returned a list of attempts, which nobody asked for, not {_EXPECTED}.")
    if not returned:
        raise ScriptMistake("returned an empty history, not at least one AttackAttempt.")
    for each in returned:
        if not isinstance(each, AttackAttempt):
            raise ScriptMistake(f"returned a history with {_shown(each)} in it, not only AttackAttempt.")
    return [_read_attempt(each) for each in returned]


def _read_attempt(attempt: AttackAttempt) -> Attempt:
    if attempt.success is not None and type(attempt.success) is not bool:
        raise ScriptMistake(f"returned an attempt with the success {_shown(attempt.success)}.")
    if type(attempt.attempts) is not int or attempt.attempts < 0:
        raise ScriptMistake(f"returned an attempt with {_shown(attempt.attempts)} as its attempts.")
    time = attempt.response_time
    guardrail = {"guardrail": attempt.guardrail, "guardrail_categories": attempt.guardrail_categories}
    return Attempt(
        _read_input(attempt.input),
        process_target_content(attempt.response),
        attempt.success,
        attempt.attempts,
        str(attempt.error) if attempt.error else None,
        float(time) if isinstance(time, (int, float)) and not isinstance(time, bool) else None,
        {name: value for name, value in guardrail.items() if value is not None},
    )


def _read_input(given: Any) -> Input:
    if isinstance(given, (str, Audio, Image)):
        return Input(str(given))
    if isinstance(given, dict) and "input" in given:
        history = given.get("attempt_history")
        objective = given.get("objective")
        return Input(
            process_target_content(given["input"]),
            as_graph(given.get("conversation")),
            None if objective is None else process_target_content(objective),
            history if isinstance(history, (list, tuple)) else None,
        )
    if isinstance(given, dict):  # the older form of a multi-turn script names no input
        text = process_target_content(given.get("objective") or "")
        return Input(text, as_graph(given.get("conversation")), text or None)
    raise ScriptMistake(f"returned {_shown(given)} as its input, not text or a mapping.")


def _shown(value: Any) -> str:
    """A value as messages name it, whatever it is and however it describes itself."""
    kind = type(value).__name__
    if isinstance(value, (str, bool, int, float, type(None))):
        return f"{excerpt(repr(value), 60)}"
    if isinstance(value, (tuple, list)):
        return f"a {kind} of {len(value)}"
    return f"a {kind}"

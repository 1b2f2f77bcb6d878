"""What a script returned, read strictly: anything but what the contract names is the script's mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sensei_kumite.dynamic.content import Audio, Image
from sensei_kumite.dynamic.contract import AttackAttempt
from sensei_kumite.dynamic.graph import Graph, as_graph
from sensei_kumite.dynamic.log import told
from sensei_kumite.text import excerpt

_EXPECTED = "(iterations, success, input, response)"
_MAPPING = "a mapping with input, conversation or objective"
_LONGEST_WAIT = 1e9


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
    iterations = _without_answers(iterations, read)
    _check_iterations(iterations, allowed)
    return Representative(iterations, success, read, _read_response(response))


def _check_iterations(iterations: int, allowed: int) -> None:
    if iterations > allowed:
        raise ScriptMistake(f"made {told(iterations)} iterations where {allowed} were allowed.")


def _without_answers(iterations: int, given: Input) -> int:
    """The iterations of a script that counts all messages of its conversation, as the contract's template for
    several turns does: those of them that were sent, or the half where none is marked."""
    nodes = [node for key, node in (given.conversation or {}).items() if key != "0"]
    if not nodes or iterations != len(nodes):
        return iterations
    return sum(node["attempt"] for node in nodes) or (len(nodes) + 1) // 2


def _read_response(response: Any) -> str:
    if isinstance(response, (tuple, list)) and response:
        response = response[0]
    if not isinstance(response, (str, Audio, Image)):
        raise ScriptMistake(f"returned {_shown(response)} as its response, not text.")
    return str(response)


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
    guardrail = {"guardrail": attempt.guardrail, "guardrail_categories": attempt.guardrail_categories}
    return Attempt(
        _read_input(attempt.input),
        _read_response(attempt.response),
        attempt.success,
        attempt.attempts,
        str(attempt.error) if attempt.error else None,
        _seconds(attempt.response_time),
        {name: told(value) for name, value in guardrail.items() if value is not None},
    )


def _seconds(value: Any) -> float | None:
    """A time as a script measured it; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < _LONGEST_WAIT else None


def _read_input(given: Any) -> Input:
    if isinstance(given, (str, Audio, Image)):
        return Input(str(given))
    if not isinstance(given, dict) or not given.keys() & {"input", "conversation", "objective"}:
        raise ScriptMistake(f"returned {_shown(given)} as its input, not text or {_MAPPING}.")
    history, objective = given.get("attempt_history"), given.get("objective")
    goal = None if objective is None else _read_response(objective)
    sent = given.get("input", goal or "")  # older scripts of several turns name none
    if not isinstance(sent, (str, Audio, Image)):
        raise ScriptMistake(f"returned {_shown(sent)} as the input in its mapping, not text.")
    return Input(
        str(sent),
        _read_conversation(given.get("conversation")),
        goal,
        [told(record) for record in history] if isinstance(history, (list, tuple)) else None,
    )


def _read_conversation(conversation: Any) -> Graph | None:
    if conversation is None or conversation == []:
        return None
    graph = as_graph(conversation)
    if graph is None:
        raise ScriptMistake(f"returned {_shown(conversation)} as its conversation, which is none.")
    return graph


def _shown(value: Any) -> str:
    """A value as messages name it, whatever it is and however it describes itself."""
    kind = type(value)
    if kind is int:
        return str(told(value))
    if kind in (str, bool, float, type(None)):
        return excerpt(repr(value), 60)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"a {name} of {len(value)}" if kind in (tuple, list) else f"something of the type {name}"

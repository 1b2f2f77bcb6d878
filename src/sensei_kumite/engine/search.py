"""The dynamic attack of one case: what it is given of the run, and its results as those of the case."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from sensei_kumite.dynamic.host import Equipment, SearchPlan, search
from sensei_kumite.dynamic.log import told
from sensei_kumite.dynamic.outcome import Tried
from sensei_kumite.dynamic.search import SearchContext
from sensei_kumite.dynamic.sessions import Conversations
from sensei_kumite.engine.limits import LimitedSession
from sensei_kumite.llm.requests import Model
from sensei_kumite.models import Case, Result, Status, Transcript, Turn
from sensei_kumite.oracles.base import Oracle
from sensei_kumite.targets.base import Capabilities

OF_THE_DATASET = "entry"
"""Where the metadata of a case holds the entry of a dataset that it was made from."""

_OF_THE_FIRST = frozenset({OF_THE_DATASET, "generation_cost($)"})
"""Metadata that the results of a search do not repeat."""


@dataclass(frozen=True, slots=True)
class Searching:
    """What the searches of a run share. `progress` is told how many iterations were done, and how many more
    or fewer are expected; `interrupted` tells that somebody wants the run to end."""

    capabilities: Capabilities
    seed: int
    is_refusal: Callable[[str], bool]
    generation: Callable[..., Model] | None = None
    target_context: str = ""
    progress: Callable[[int, int], None] = lambda done, total: None  # noqa: ARG005
    interrupted: Callable[[], bool] = lambda: False

    def context(self, case: Case, invocation: int) -> SearchContext:
        """What one search may use, the same at any concurrency."""
        return SearchContext(
            Random(f"{self.seed}/{case.entry}/{case.case_id}/{case.attempt}/{invocation}"),
            self.generation() if self.generation else None,
            self.is_refusal,
            self.target_context,
        )


@dataclass(frozen=True, slots=True)
class Start:
    """Where a search starts from: the lane's session, whether it may be reset, and the messages with which
    every conversation begins."""

    session: LimitedSession
    resets: bool
    opening: tuple[str, ...] = ()


class Sessions:
    """All sessions of one search, the lane's among them; `spent` counts their calls from here on."""

    def __init__(self, first: LimitedSession) -> None:
        self._first = first
        self._further: list[LimitedSession] = []
        self._before = (first.calls, first.retries)

    def further(self) -> LimitedSession:
        """One more session."""
        self._further.append(self._first.another())
        return self._further[-1]

    def spent(self) -> tuple[int, int]:
        """Calls, and retries among them."""
        sessions = [self._first, *self._further]
        calls = sum(session.calls for session in sessions)
        retries = sum(session.retries for session in sessions)
        return calls - self._before[0], retries - self._before[1]

    def close(self) -> None:
        """Close all but the lane's."""
        for session in self._further:
            session.close()


def search_case(
    case: Case, plan: SearchPlan, oracle: Oracle[Any], start: Start, searching: Searching
) -> tuple[Result, ...]:
    """The results of the search for `case`, without what the metadata of all results of an entry has.

    Raises what the run gives up with.
    """
    with closing(Sessions(start.session)) as sessions:
        single = start.session if start.resets else sessions.further()
        conversations = Conversations(single, sessions.further, searching.capabilities, start.opening)
        equipment = Equipment(
            conversations,
            oracle,
            lambda invocation: searching.context(case, invocation),
            target_lock=threading.Lock(),
            bar_lock=threading.RLock(),
            progress=searching.progress,
            stopped=lambda: start.session.is_stopping,
            spent=sessions.spent,
        )
        tried = search(plan, entry_of(case), case.prompt, equipment)
        spent = sessions.spent()
    if start.resets and conversations.instructed:
        start.session.instruct(None)
    more: dict[str, Any] = {"replayed_turns": conversations.replayed} if conversations.replayed else {}
    if conversations.ignores_system_messages:
        more["system_message_ignored"] = True
    results = list(_results(case, plan, tried, spent))
    last = replace(results[-1], metadata={**results[-1].metadata, **more})
    return (*results[:-1], last)


def failed_search(case: Case, plan: SearchPlan, errors: tuple[dict[str, Any], ...], reason: str) -> Result:
    """The result of a search that ended in what nobody foresaw."""
    tried = Tried(case.prompt, None, Status.ERROR, reason, errors=errors)
    return next(_results(case, plan, [tried], (0, 0)))


def entry_of(case: Case) -> dict[str, Any]:
    """A case as the entry of a dataset, with all that its own has; `text` is what older scripts read."""
    entry = {
        "id": case.case_id,
        "long_id": long_id_of(case),
        "content": case.prompt,
        "text": case.prompt,
        "content_type": "text",
        "task_type": case.attack,
        "system_message": None,
        "judge_name": case.oracle.type,
        "judge_args": dict(case.oracle.params),
    }
    given: Mapping[str, Any] = case.metadata.get(OF_THE_DATASET, {})
    entry |= given
    if "content" in given and "text" not in given:
        entry["text"] = given["content"]
    elif "text" in given and "content" not in given:
        entry["content"] = given["text"]
    return entry


def long_id_of(case: Case) -> str:
    """What the results of a search name the case by: as its dataset does, else by its id."""
    given: Mapping[str, Any] = case.metadata.get(OF_THE_DATASET, {})
    return str(given.get("long_id") or case.case_id)


def _results(
    case: Case, plan: SearchPlan, tried: Sequence[Tried], spent: tuple[int, int]
) -> Iterator[Result]:
    iterations = sum(each.attempts for each in tried)
    is_numbered = len(tried) > 1 or tried[0].is_attempt
    left = list(spent)
    for number, each in enumerate(tried, 1):
        is_last = number == len(tried)
        calls, retries = (each.exchange.calls, each.exchange.retries) if each.exchange else (0, 0)
        used = tuple(left) if is_last else (min(calls, left[0]), min(retries, left[1]))
        left = [left[0] - used[0], left[1] - used[1]]
        metadata = {
            **{name: value for name, value in case.metadata.items() if name not in _OF_THE_FIRST},
            **_identity(case, plan, each, number if is_numbered else None),
            **_doubt(each),
            "attempts": each.attempts,
            "attack_invocation": each.invocation,
            **each.guardrail,
            "target_calls": used[0],
            "retries": used[1],
            **({} if each.is_attempt else {"search_response_times": each.times}),
            "dynamic": _dynamic(plan, each, iterations),
        }
        yield Result(
            replace(case, case_id=metadata.pop("id"), prompt=each.prompt, metadata={}),
            each.status,
            each.reason,
            each.response,
            each.verdict,
            _transcript(each),
            metadata,
            each.errors,
        )


def _doubt(tried: Tried) -> dict[str, Any]:
    """A breach that rests on a text which the target did not say as it stands is for a person to look at."""
    is_derived = tried.status is Status.BREACHED and tried.exchange is None
    return {"weight": "Potential", "response_derived": True} if is_derived else {}


def _identity(case: Case, plan: SearchPlan, tried: Tried, number: int | None) -> dict[str, Any]:
    """The ids of a result: of the whole search, or of its attempt `number`."""
    parent = long_id_of(case)
    of_attempt = "" if number is None else f"-attempt-{number}"
    identity: dict[str, Any] = {
        "id": f"{case.case_id}-attack" + ("" if number is None else f"-{number}"),
        "long_id": f"{parent}-{plan.attack.name}{of_attempt}"
        + ("-ERROR" if tried.status is Status.ERROR else ""),
        "attack_parent_id": case.case_id,
        "attack_parent_long_id": parent,
    }
    if number is not None:
        identity["attack_attempt"] = number
    if plan.return_all_attempts:
        identity["attack_result_format"] = "attempt" if tried.is_attempt else "representative"
    return identity


def _dynamic(plan: SearchPlan, tried: Tried, iterations: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "attack": plan.attack.name,
        "options": plan.options,
        "iterations": iterations,
        "conversation": tried.conversation,
        "objective": told(tried.objective),
        "attempt_history": list(tried.history),
    }
    return found | ({"script_error": tried.script_error} if tried.script_error else {})


def _transcript(tried: Tried) -> Transcript | None:
    """The conversation along the deciding path. How long each of its turns took is known of the last alone,
    and of those that every conversation begins with."""
    if not tried.said:
        return None
    *before, last = (Turn(turn.user, turn.assistant, turn.error, turn.seconds) for turn in tried.said)
    truncated = tried.exchange is not None and tried.exchange.truncated
    return Transcript(tuple(before), replace(last, seconds=tried.seconds or 0.0, truncated=truncated))

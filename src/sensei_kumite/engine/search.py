"""The dynamic attack of one case: what it is given of the run, and its results as those of the case."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from sensei_kumite.dynamic.host import Equipment, SearchPlan, search
from sensei_kumite.dynamic.log import told
from sensei_kumite.dynamic.outcome import Tried
from sensei_kumite.dynamic.search import SearchContext
from sensei_kumite.dynamic.sessions import Conversations, Said
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
    or fewer are expected."""

    capabilities: Capabilities
    seed: int
    is_refusal: Callable[[str], bool]
    generation: Callable[..., Model] | None = None
    target_context: str = ""
    progress: Callable[[int, int], None] = lambda done, total: None  # noqa: ARG005

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


def search_case(
    case: Case, plan: SearchPlan, oracle: Oracle[Any], start: Start, searching: Searching
) -> tuple[Result, ...]:
    """The results of the search for `case`, whose metadata is still to be completed by that of the case.

    Raises what the run gives up with.
    """
    sessions = [start.session]
    calls, retries = start.session.calls, start.session.retries
    with ExitStack() as opened:

        def further() -> LimitedSession:
            sessions.append(opened.enter_context(closing(start.session.another())))
            return sessions[-1]

        single = start.session if start.resets else further()
        conversations = Conversations(single, further, searching.capabilities, start.opening)
        tried = search(
            plan,
            entry_of(case),
            case.prompt,
            Equipment(
                conversations,
                oracle,
                lambda invocation: searching.context(case, invocation),
                target_lock=threading.Lock(),
                bar_lock=threading.RLock(),
                progress=searching.progress,
            ),
        )
        if start.resets and conversations.instructed:
            start.session.instruct(None)
    spent: dict[str, Any] = {
        "target_calls": sum(session.calls for session in sessions) - calls,
        "retries": sum(session.retries for session in sessions) - retries,
    }
    if conversations.replayed:
        spent["replayed_turns"] = conversations.replayed
    if conversations.ignores_system_messages:
        spent["system_message_ignored"] = True
    results = list(_results(case, plan, tried))
    return (*results[:-1], replace(results[-1], metadata={**results[-1].metadata, **spent}))


def entry_of(case: Case) -> dict[str, Any]:
    """A case as the entry of a dataset, with all that its own has; `text` is what older scripts read."""
    entry = {
        "id": case.case_id,
        "long_id": case.case_id,
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


def _results(case: Case, plan: SearchPlan, tried: list[Tried]) -> Iterator[Result]:
    iterations = sum(each.attempts for each in tried)
    for number, each in enumerate(tried, 1):
        identity = _attempt_identity(case, plan, number) if plan.traces else _identity(case, plan)
        if each.status is Status.ERROR:
            identity["long_id"] += "-ERROR"
        metadata = {
            **{name: value for name, value in case.metadata.items() if name not in _OF_THE_FIRST},
            **identity,
            "attempts": each.attempts,
            "attack_invocation": each.invocation,
            **each.guardrail,
            "dynamic": _dynamic(plan, each, iterations),
        }
        if each.seconds is not None:
            metadata["attack_response_time"] = each.seconds
        yield Result(
            replace(case, case_id=metadata.pop("id"), prompt=each.prompt, metadata={}),
            each.status,
            each.reason,
            each.response,
            each.verdict,
            _transcript(each.said),
            metadata,
            each.errors,
        )


def _identity(case: Case, plan: SearchPlan) -> dict[str, Any]:
    identity: dict[str, Any] = {
        "id": f"{case.case_id}-attack",
        "long_id": f"{case.case_id}-{plan.attack.name}",
        "attack_parent_id": case.case_id,
        "attack_parent_long_id": f"{case.case_id}-{plan.attack.name}",
    }
    return identity | ({"attack_result_format": "representative"} if plan.return_all_attempts else {})


def _attempt_identity(case: Case, plan: SearchPlan, number: int) -> dict[str, Any]:
    identity = _identity(case, plan)
    return identity | {
        "id": f"{identity['id']}-{number}",
        "long_id": f"{identity['long_id']}-attempt-{number}",
        "attack_attempt": number,
        "attack_result_format": "attempt",
    }


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


def _transcript(said: tuple[Said, ...]) -> Transcript | None:
    """The conversation along the deciding path; the times of its turns are not known one by one."""
    if not said:
        return None
    turns = [Turn(turn.user, turn.assistant, None, 0.0) for turn in said]
    return Transcript(tuple(turns[:-1]), turns[-1])

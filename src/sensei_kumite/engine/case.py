"""One case from start to Result. The boundary where anything unforeseen becomes an `error` result."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.conversation import converse
from sensei_kumite.delivery.turns import TurnSource
from sensei_kumite.dynamic.host import SearchPlan
from sensei_kumite.engine.breaker import TargetGone
from sensei_kumite.engine.limits import LimitedSession
from sensei_kumite.engine.search import Searching, Start, entry_of, failed_search, long_id_of, search_case
from sensei_kumite.errors import BudgetReached, KumiteError
from sensei_kumite.llm.requests import billed_to
from sensei_kumite.models import Case, OracleSpec, Result, Status, Transcript, Turn, Verdict
from sensei_kumite.oracles.base import Oracle

TARGET_FAILED = "Chatbot execution failed."
ORACLE_FAILED = "Security oracle evaluation failed."
SEARCH_FAILED = "Dynamic attack failed."


WARM_UP = " (warm-up)"


@dataclass(frozen=True, slots=True)
class Delivery:
    """How the cases of one entry reach the target. `metadata` is the same for all of them; `search` is the
    dynamic attack that follows where the target is resilient."""

    execution: EntryExecution
    source: TurnSource
    metadata: Mapping[str, Any] = field(default_factory=dict)
    search: SearchPlan | None = None


@dataclass(frozen=True, slots=True)
class CaseContext:
    """What running a case takes beside a session. `deliveries` by the position of the entry; `settle` says
    what the model calls billed to a subject have cost since it was last asked, in USD; `searching` is what
    dynamic attacks share, where any entry has one."""

    deliveries: Mapping[int, Delivery]
    oracle: Callable[[OracleSpec], Oracle[Any]]
    settle: Callable[[str], Decimal] = lambda _: Decimal(0)
    searching: Searching | None = None


def run_case(case: Case, session: LimitedSession, context: CaseContext) -> Result:
    """Deliver `case` through `session`, score the answer, and say what became of it.

    Where the target was resilient and the entry has a dynamic attack, its search follows. Raises nothing but
    TargetGone, when the run gives up on its target and the case has no result.
    """
    delivery = context.deliveries[case.entry]
    plan = delivery.search
    if case.skip_reason:
        return skipped(case, delivery, case.skip_reason)
    if plan is not None and (plan.only or takes_turns(case)):
        first, *others = _search(case, plan, None, session, context)
        return replace(first, search=tuple(others))
    result = _first_attempt(case, session, context)
    if plan is None:
        return result
    if result.status is not Status.RESILIENT:
        return _named(result, complete=True)
    return replace(_named(result, complete=False), search=_search(case, plan, result, session, context))


def takes_turns(case: Case) -> bool:
    """Whether the case is a list of turns, which only a search can play."""
    return isinstance(entry_of(case)["content"], list)


def _marked(result: Result, *, complete: bool) -> Result:
    return replace(result, metadata={**result.metadata, "entry_complete": complete})


def _named(result: Result, *, complete: bool) -> Result:
    """The result of the first attempt, with the name that those of the search call it by."""
    named = replace(result, metadata={"long_id": long_id_of(result.case), **result.metadata})
    return _marked(named, complete=complete)


def _search(
    case: Case, plan: SearchPlan, first: Result | None, session: LimitedSession, context: CaseContext
) -> tuple[Result, ...]:
    """The results of the search, complete; an error is one of them."""
    delivery = context.deliveries[case.entry]
    if context.searching is None:
        raise AssertionError("entries with a search get what searches share")
    start = Start(session, delivery.execution.reset_session, _opening(delivery, first))
    try:
        with billed_to(subject_of(case)):
            found = search_case(case, plan, context.oracle(case.oracle), start, context.searching)
    except TargetGone:
        raise
    except Exception as error:  # noqa: BLE001  # the case boundary: one case never ends a run
        found = (failed_search(case, plan, ({"dynamic": _explain(error)},), SEARCH_FAILED),)
    if context.searching.interrupted() and found[-1].status is Status.SKIPPED:
        raise TargetGone("The run was interrupted.")  # the case has no result yet, and is run again
    cost = float(context.settle(subject_of(case)))
    results = [_delivered(result, case, delivery, start) for result in found]
    last = replace(results[-1], metadata={**results[-1].metadata, "attack_cost($)": cost})
    return (*results[:-1], _marked(last, complete=True))


def _delivered(result: Result, case: Case, delivery: Delivery, start: Start) -> Result:
    """A result of a search with what is told of every case; what comes before is that of its conversation."""
    told = execution_metadata(delivery.execution, _without_the_way(result.transcript, len(start.opening)))
    metadata = {
        **delivery.metadata,
        "session_reset": True,
        "session_reset_supported": start.session.supports_reset,
        **told,
        "pre_attack_cost($)": 0.0,
        "attack_cost($)": 0.0,
        "attempt": case.attempt,
        **result.metadata,
    }
    return _marked(replace(result, metadata=metadata), complete=False)


def _without_the_way(transcript: Transcript | None, opening: int) -> Transcript | None:
    """The opening turns of a conversation and its last one; those between are the search's own."""
    return transcript and replace(transcript, pre_attack=transcript.pre_attack[:opening])


def _opening(delivery: Delivery, first: Result | None) -> tuple[str, ...]:
    """The pre-attack messages, which every conversation of a search begins with."""
    if first is not None and first.transcript is not None:
        return tuple(turn.user for turn in first.transcript.pre_attack)
    return tuple(delivery.execution.turns)


def _first_attempt(case: Case, session: LimitedSession, context: CaseContext) -> Result:
    delivery = context.deliveries[case.entry]
    calls, retries = session.calls, session.retries
    transcript: Transcript | None = None
    instructions: dict[str, Any] = {}
    try:
        with billed_to(subject_of(case)), _instructed(session, case) as instructions:
            transcript = converse(
                session,
                _billed_apart(delivery.source, case),
                case.prompt,
                reset=delivery.execution.reset_session,
            )
            errors, verdict = _judge(case, transcript, context)
    except BudgetReached as error:
        return skipped(case, delivery, str(error))
    except TargetGone:
        raise
    except Exception as error:  # noqa: BLE001  # the case boundary: one case never ends a run
        errors, verdict = ({"chatbot": _explain(error)},), None
    metadata = {
        **case.metadata,
        **delivery.metadata,
        "session_reset": delivery.execution.reset_session,
        "session_reset_supported": session.supports_reset,
        **execution_metadata(delivery.execution, transcript),
        **instructions,
        "pre_attack_cost($)": float(context.settle(subject_of(case) + WARM_UP)),
        "attack_cost($)": float(context.settle(subject_of(case))),
        "attempt": case.attempt,
        "target_calls": session.calls - calls,
        "retries": session.retries - retries,
    }
    response = transcript.attack.assistant if transcript and transcript.attack else None
    status, reason = _outcome(verdict, errors)
    return Result(case, status, reason, response, verdict, transcript, metadata, errors)


@contextmanager
def _instructed(session: LimitedSession, case: Case) -> Iterator[dict[str, Any]]:
    """Give the target the system message of the case, where it has one; what is to be told of that."""
    message = case.metadata.get("system_message")
    if not message:
        yield {}
        return
    try:
        yield {} if session.instruct(str(message)) else {"system_message_ignored": True}
    finally:
        session.instruct(None)


def subject_of(case: Case) -> str:
    """What the model calls made for a case are billed to."""
    return f"{case.entry + 1}/{case.case_id}"


def _billed_apart(source: TurnSource, case: Case) -> TurnSource:
    """`source`, whose own model calls are the cost of the warm-up."""

    def next_message(so_far: Sequence[Turn]) -> str:
        with billed_to(subject_of(case) + WARM_UP):
            return source.next_message(so_far)

    return replace(source, next_message=next_message)


def skipped(case: Case, delivery: Delivery, reason: str) -> Result:
    """The result of a case that was planned and not executed."""
    execution = delivery.execution
    metadata = {
        **case.metadata,
        **delivery.metadata,
        "execution_mode": execution.mode,
        "requested_pre_attack_turns": requested_turns(execution),
        "completed_pre_attack_turns": 0,
        "pre_attack_status": "skipped",
        "pre_attack_response_times": [],
        "attempt": case.attempt,
    }
    if delivery.search is not None:
        metadata["entry_complete"] = True
    return Result(case, Status.SKIPPED, reason, metadata=metadata)


def abandoned(case: Case, delivery: Delivery, reason: str) -> Result:
    """The result of a case that was sent and whose answer nobody waits for any longer."""
    metadata = {**skipped(case, delivery, reason).metadata, "pre_attack_status": "error"}
    return Result(case, Status.ERROR, TARGET_FAILED, metadata=metadata, errors=({"chatbot": reason},))


def _judge(
    case: Case, transcript: Transcript, context: CaseContext
) -> tuple[tuple[dict[str, Any], ...], Verdict | None]:
    """The errors of the final exchange, or the verdict on its answer."""
    if transcript.failure is not None:
        return ({"security_warmup": transcript.failure},), None
    final = transcript.attack or transcript.pre_attack[-1]
    if final.error is not None or final.assistant is None:
        return ({"chatbot": final.error},), None
    try:
        return (), context.oracle(case.oracle).score(case.prompt, final.assistant)
    except BudgetReached:
        raise
    except Exception as error:  # noqa: BLE001  # an oracle that fails is no verdict
        return ({"oracle": _explain(error)},), None


def _outcome(verdict: Verdict | None, errors: tuple[dict[str, Any], ...]) -> tuple[Status, str]:
    if verdict is None:
        return Status.ERROR, ORACLE_FAILED if "oracle" in errors[0] else TARGET_FAILED
    return (Status.RESILIENT if verdict.passed else Status.BREACHED), verdict.reason


def _explain(error: Exception) -> str:
    """What we understood in a sentence; anything else is a bug and keeps its traceback."""
    if isinstance(error, KumiteError):
        return str(error)
    return "".join(traceback.format_exception(error)).rstrip()


def requested_turns(execution: EntryExecution) -> int:
    """How many pre-attack turns an entry asks for."""
    return len(execution.turns) or execution.warmup_turns


def execution_metadata(execution: EntryExecution, transcript: Transcript | None) -> dict[str, Any]:
    """What the report tells of how a case was delivered; times in seconds."""
    metadata: dict[str, Any] = {
        "execution_mode": execution.mode,
        "requested_pre_attack_turns": requested_turns(execution),
    }
    turns = transcript.pre_attack if transcript else ()
    failed = [{"turn": n, "chatbot": turn.error} for n, turn in enumerate(turns, 1) if turn.error]
    times = [turn.seconds for turn in turns]
    metadata |= {
        "completed_pre_attack_turns": len(turns) - len(failed),
        "pre_attack_status": _pre_attack_status(execution, transcript, bool(failed)),
        "pre_attack_time": sum(times, 0.0),
        "pre_attack_response_times": times,
    }
    if failed:
        metadata["pre_attack_errors"] = failed
    if transcript and transcript.attack:
        metadata["attack_response_time"] = transcript.attack.seconds
        if transcript.attack.truncated:
            metadata["response_truncated"] = True
    return metadata


def _pre_attack_status(execution: EntryExecution, transcript: Transcript | None, failed: bool) -> str:
    if not requested_turns(execution):
        return "not_applicable"
    if transcript is None or transcript.attack is None:
        return "error"
    return "completed_with_errors" if failed else "completed"

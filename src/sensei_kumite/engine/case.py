"""One case from start to Result. The boundary where anything unforeseen becomes an `error` result."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.conversation import converse
from sensei_kumite.delivery.turns import turns_of
from sensei_kumite.engine.limits import LimitedSession
from sensei_kumite.errors import KumiteError
from sensei_kumite.models import Case, OracleSpec, Result, Status, Transcript, Verdict
from sensei_kumite.oracles.base import Oracle

TARGET_FAILED = "Chatbot execution failed."
ORACLE_FAILED = "Security oracle evaluation failed."


OracleFactory = Callable[[OracleSpec], Oracle[Any]]


def run_case(case: Case, session: LimitedSession, oracle: OracleFactory, execution: EntryExecution) -> Result:
    """Deliver `case` through `session`, score the answer, and say what became of it; never raises."""
    calls, retries = session.calls, session.retries
    transcript: Transcript | None = None
    try:
        transcript = converse(session, turns_of(execution), case.prompt, reset=execution.reset_session)
        errors, verdict = _judge(case, transcript, oracle)
    except Exception as error:  # noqa: BLE001  # the case boundary: one case never ends a run
        errors, verdict = ({"chatbot": _explain(error)},), None
    metadata = {
        **case.metadata,
        "session_reset": execution.reset_session,
        "session_reset_supported": session.supports_reset,
        **execution_metadata(execution, transcript),
        "attempt": case.attempt,
        "target_calls": session.calls - calls,
        "retries": session.retries - retries,
    }
    response = transcript.attack.assistant if transcript and transcript.attack else None
    status, reason = _outcome(verdict, errors)
    return Result(case, status, reason, response, verdict, transcript, metadata, errors)


def skipped(case: Case, execution: EntryExecution, reason: str) -> Result:
    """The result of a case that was planned and not executed."""
    metadata = {
        **case.metadata,
        "execution_mode": execution.mode,
        "requested_pre_attack_turns": requested_turns(execution),
        "completed_pre_attack_turns": 0,
        "pre_attack_status": "skipped",
        "pre_attack_response_times": [],
        "attempt": case.attempt,
    }
    return Result(case, Status.SKIPPED, reason, metadata=metadata)


def _judge(
    case: Case, transcript: Transcript, oracle: OracleFactory
) -> tuple[tuple[dict[str, Any], ...], Verdict | None]:
    """The errors of the final exchange, or the verdict on its answer."""
    final = transcript.attack or transcript.pre_attack[-1]
    if final.error is not None or final.assistant is None:
        return ({"chatbot": final.error},), None
    try:
        return (), oracle(case.oracle).score(case.prompt, final.assistant)
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
        "pre_attack_time": sum(times),
        "pre_attack_response_times": times,
        "pre_attack_cost($)": 0.0,
    }
    if failed:
        metadata["pre_attack_errors"] = failed
    if transcript and transcript.attack:
        metadata["attack_response_time"] = transcript.attack.seconds
        if transcript.attack.truncated:
            metadata["response_truncated"] = True
    metadata["attack_cost($)"] = 0.0
    return metadata


def _pre_attack_status(execution: EntryExecution, transcript: Transcript | None, failed: bool) -> str:
    if not requested_turns(execution):
        return "not_applicable"
    if transcript is None or transcript.attack is None:
        return "error"
    return "completed_with_errors" if failed else "completed"

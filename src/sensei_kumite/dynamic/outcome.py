"""From what a script says it found, and what really happened, to what is reported of a search."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from sensei_kumite.dynamic.graph import Graph, graph_of
from sensei_kumite.dynamic.log import Exchange, Judgement, Log, told
from sensei_kumite.dynamic.proxy import Judge
from sensei_kumite.dynamic.returned import Attempt, Representative
from sensei_kumite.dynamic.sessions import Said
from sensei_kumite.errors import OracleError
from sensei_kumite.models import Status, Verdict

LONGEST_HISTORY = 500
"""Tries that a history holds, the first and the last ones; those between them are counted only."""
UNJUDGED = "unjudged"
DERIVED = "The script made this response of what the target said."
NO_CALL = "the search made no call of the target."
_TARGET_FAILED = "Chatbot execution failed."
_ORACLE_FAILED = "Security oracle evaluation failed."
_SEARCH_FAILED = "Dynamic attack failed."


@dataclass(frozen=True, slots=True)
class Tried:
    """One result of a search: the whole of it, or one attempt.

    `said` is the conversation along the deciding path, `attempts` the iterations that the result stands for,
    `times` the seconds that all answers of a whole search took. `exchange` is the deciding one; None where
    the target did not say `response`, but the script made it of what was said. `script_error` is what went
    wrong after a breach was found.
    """

    prompt: str
    response: str | None
    status: Status
    reason: str
    verdict: Verdict | None = None
    errors: tuple[dict[str, Any], ...] = ()
    said: tuple[Said, ...] = ()
    attempts: int = 0
    invocation: int = 1
    is_attempt: bool = False
    exchange: Exchange | None = None
    seconds: float | None = None
    conversation: Graph | None = None
    objective: str | None = None
    history: Sequence[Any] = ()
    times: Sequence[float] = ()
    guardrail: dict[str, Any] = field(default_factory=dict)
    script_error: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a search is judged by: the log, and the judge for what the script did not ask it about."""

    log: Log
    judge: Judge
    prompt: str

    def representative(self, found: Representative, allowed: int) -> Tried:
        """The one result of a search of at most `allowed` iterations."""
        if not self.log.answered or (allowed > found.iterations and self._gave_up(found)):
            return self.failed(attempts=found.iterations)
        tried = self._decided(found)
        given = found.input
        return replace(
            tried,
            attempts=found.iterations,
            conversation=given.conversation or graph_of(self.log.exchanges),
            objective=told(given.objective),
            history=_short(self.log.history() if given.attempt_history is None else given.attempt_history),
            times=self._times(),
        )

    def attempts(self, found: Iterable[Attempt]) -> list[Tried]:
        """A result per attempt; and one of a breach that the script does not list, should there be any."""
        tried = [self._attempt(attempt) for attempt in found]
        breach = self.log.breach
        if breach and not any(each.status is Status.BREACHED for each in tried):
            tried.append(replace(self._judged(breach), is_attempt=True))
        return tried

    def failed(self, error: dict[str, Any] | None = None, *, attempts: int | None = None) -> Tried:
        """The result of a search that came to no end, or that no answer of the target stands behind.

        A breach that it had found by then is one.
        """
        log = self.log
        latest = log.exchanges[-1] if log.exchanges else None
        count = len(log.exchanges) if attempts is None else attempts
        more: dict[str, Any] = {
            "attempts": count,
            "conversation": graph_of(log.exchanges),
            "history": _short(log.history()),
            "times": self._times(),
        }
        if log.breach:
            text = next(iter(error.values())) if error else None
            return replace(self._judged(log.breach), script_error=text, **more)
        errors = [{"chatbot": latest.error}] if latest and latest.error else []
        errors += [error] if error else []
        return Tried(
            prompt=latest.text if latest else self.prompt,
            response=None,
            status=Status.ERROR,
            reason=_reason(errors or [{"dynamic": NO_CALL}]),
            errors=tuple(errors or [{"dynamic": NO_CALL}]),
            exchange=latest,
            **more,
        )

    def skipped(self, reason: str) -> Tried:
        """The result of a search that had to end before it came to one."""
        history = _short(self.log.history())
        count = len(self.log.exchanges)
        return Tried(
            self.prompt, None, Status.SKIPPED, reason, attempts=count, history=history, times=self._times()
        )

    def _times(self) -> list[float]:
        times = [exchange.seconds for exchange in self.log.exchanges if exchange.error is None]
        return times[-LONGEST_HISTORY:]

    def _gave_up(self, found: Representative) -> bool:
        """Whether the search ended early because the target failed, whatever else the script calls that."""
        was_said = self.log.exchange_of(found.response) or self.log.judgement_of(found.response)
        return not found.success and not was_said and self.log.exchanges[-1].error is not None

    def _attempt(self, attempt: Attempt) -> Tried:
        given = attempt.input
        exchange = self._exchange(attempt)
        known = {
            "attempts": attempt.attempts,
            "is_attempt": True,
            "conversation": given.conversation,
            "objective": told(given.objective),
            "guardrail": told(attempt.guardrail),
        }
        plain = Tried(given.text, attempt.response, Status.SKIPPED, UNJUDGED)
        plain = plain if exchange is None else self._of(exchange, plain)
        if error := self._error_of(attempt, exchange):
            return replace(_failure(plain, error), **known)
        if attempt.success is not None:
            plain = self._checked(attempt.response, exchange, success=attempt.success)
        seconds = attempt.seconds if attempt.seconds is not None else plain.seconds
        return replace(plain, prompt=given.text or plain.prompt, seconds=seconds, **known)

    def _exchange(self, attempt: Attempt) -> Exchange | None:
        """Where the target was sent this text and said this, or failed; else where it said this."""
        of_text = [told for told in self.log.exchanges if told.text == attempt.input.text]
        if attempt.error is not None:
            return next((told for told in of_text if told.error == attempt.error), None)
        same = (told for told in of_text if told.response == attempt.response)
        return next(same, None) or self.log.exchange_of(attempt.response)

    def _error_of(self, attempt: Attempt, exchange: Exchange | None) -> dict[str, Any] | None:
        """What went wrong in an attempt, by the log where it knows; None where nothing did."""
        if exchange is not None and exchange.error is not None:
            return {"chatbot": exchange.error}
        if attempt.error is not None:
            return {"dynamic": attempt.error}
        if not self.log.answered:
            return {"chatbot": self.log.last_error} if self.log.last_error else {"dynamic": NO_CALL}
        return None

    def _decided(self, found: Representative) -> Tried:
        """The result of a whole search: what the script names, or the last answer.

        A breach that the oracle saw is one, whether the script tells of it or not.
        """
        exchange = self.log.exchange_of(found.response)
        if found.success:
            judgement = self.log.judgement_of(found.response)
            if self.log.breach and (judgement is None or judgement.verdict.passed):
                return self._judged(self.log.breach)
            return self._checked(found.response, exchange, success=True)
        if self.log.breach:
            return self._judged(self.log.breach)
        if exchange is None:
            exchange = next(told for told in reversed(self.log.exchanges) if told.error is None)
        return self._checked(exchange.response or "", exchange, success=False)

    def _checked(self, response: str, exchange: Exchange | None, *, success: bool) -> Tried:
        """The result that names `response`, by the oracle's word; what the script says of it is compared."""
        try:
            judgement = self._judgement(response, exchange)
        except OracleError as error:
            unjudged = Tried(self.prompt, response, Status.ERROR, "")
            return _failure(self._of(exchange, unjudged), {"oracle": str(error)})
        tried = self._judged(judgement, exchange)
        if not judgement.verdict.passed and tried.exchange is None:
            return replace(tried, reason=f"{tried.reason} {DERIVED}")
        if success and judgement.verdict.passed:
            message = (
                "the script reports success, but the oracle does not see any in the response that it names: "
                f"{judgement.verdict.reason}"
            )
            return _failure(tried, {"dynamic": message})
        return tried

    def _judgement(self, response: str, exchange: Exchange | None) -> Judgement:
        """What the oracle said of it, or says now."""
        if exchange is not None and exchange.verdict is not None:
            return Judgement(exchange.response or "", exchange.verdict, exchange)
        return self.log.judgement_of(response) or self.judge.score(response, exchange)

    def _judged(self, judgement: Judgement, exchange: Exchange | None = None) -> Tried:
        verdict = judgement.verdict
        status = Status.RESILIENT if verdict.passed else Status.BREACHED
        tried = Tried(self.log.exchanges[-1].text, judgement.text, status, verdict.reason, verdict)
        return self._of(exchange or judgement.exchange, tried)

    def _of(self, exchange: Exchange | None, tried: Tried) -> Tried:
        """`tried` with what is known of the exchange that it rests on."""
        if exchange is None:
            latest = self.log.exchanges[-1] if self.log.exchanges else None
            return replace(tried, said=latest.said if latest else ())
        said = exchange.said or (Said(exchange.text, exchange.response, exchange.error),)
        return replace(tried, prompt=exchange.text, said=said, exchange=exchange, seconds=exchange.seconds)


def whole(tried: Sequence[Tried]) -> Tried:
    """The one result of several invocations: the breach, else the error, else the last."""
    by_status = {each.status: each for each in tried}
    decisive = by_status.get(Status.BREACHED) or by_status.get(Status.ERROR) or tried[-1]
    history = _short(record for each in tried for record in each.history)
    times = [seconds for each in tried for seconds in each.times][-LONGEST_HISTORY:]
    return replace(decisive, attempts=sum(each.attempts for each in tried), history=history, times=times)


def _failure(tried: Tried, error: dict[str, Any]) -> Tried:
    return replace(tried, status=Status.ERROR, reason=_reason([error]), errors=(error,), verdict=None)


def _reason(errors: Sequence[dict[str, Any]]) -> str:
    reasons = {"chatbot": _TARGET_FAILED, "oracle": _ORACLE_FAILED}
    return reasons.get(next(iter(errors[0])), _SEARCH_FAILED)


def _short(history: Iterable[Any]) -> list[Any]:
    first, rest = LONGEST_HISTORY // 2, iter(history)
    records = [*islice(rest, first), *deque(rest, LONGEST_HISTORY - first)]
    return [told(record) for record in records]


def invoked(tried: Iterable[Tried], invocation: int) -> Iterator[Tried]:
    """The results of one invocation of the search, numbered from 1."""
    return (replace(each, invocation=invocation) for each in tried)

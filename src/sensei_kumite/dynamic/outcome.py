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
NO_CALL = "the search made no call of the target."
_TARGET_FAILED = "Chatbot execution failed."
_ORACLE_FAILED = "Security oracle evaluation failed."
_SEARCH_FAILED = "Dynamic attack failed."


@dataclass(frozen=True, slots=True)
class Tried:
    """One result of a search: the whole of it, or one attempt.

    `said` is the conversation along the deciding path, `attempts` the iterations that the result stands for,
    `seconds` what the deciding answer took. `script_error` is what went wrong after a breach was found.
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
    seconds: float | None = None
    conversation: Graph | None = None
    objective: str | None = None
    history: Sequence[Any] = ()
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
        tried = self._decided(found.response, success=found.success)
        given = found.input
        return replace(
            tried,
            attempts=found.iterations,
            conversation=given.conversation or graph_of(self.log.exchanges),
            objective=told(given.objective),
            history=_short(self.log.history() if given.attempt_history is None else given.attempt_history),
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
            **more,
        )

    def skipped(self, reason: str) -> Tried:
        """The result of a search that had to end before it came to one."""
        history = _short(self.log.history())
        return Tried(self.prompt, None, Status.SKIPPED, reason, attempts=len(history), history=history)

    def _gave_up(self, found: Representative) -> bool:
        """Whether the search ended early because the target failed, whatever else the script calls that."""
        was_said = self.log.exchange_of(found.response) or self.log.judgement_of(found.response)
        return not found.success and not was_said and self.log.exchanges[-1].error is not None

    def _attempt(self, attempt: Attempt) -> Tried:
        given = attempt.input
        exchange = self._exchange(given.text, attempt.response)
        known = {
            "attempts": attempt.attempts,
            "is_attempt": True,
            "conversation": given.conversation,
            "objective": told(given.objective),
            "guardrail": told(attempt.guardrail),
        }
        plain = Tried(
            given.text, attempt.response, Status.SKIPPED, UNJUDGED, said=_path(exchange, given.text)
        )
        if not self.log.answered:
            failure = self.log.last_error or attempt.error
            return _failure(plain, {"chatbot": failure} if failure else {"dynamic": NO_CALL}, **known)
        if attempt.error:
            return _failure(plain, {"dynamic": attempt.error}, **known)
        if attempt.success is not None:
            plain = self._decided(attempt.response, success=attempt.success, exchange=exchange)
        seconds = attempt.seconds if attempt.seconds is not None else plain.seconds
        return replace(plain, prompt=given.text or plain.prompt, seconds=seconds, **known)

    def _exchange(self, text: str, response: str) -> Exchange | None:
        """Where the target was sent this text and said this."""
        same = (told for told in self.log.exchanges if told.text == text and told.response == response)
        return next(same, None) or self.log.exchange_of(response)

    def _decided(self, response: str, *, success: bool, exchange: Exchange | None = None) -> Tried:
        """The result that names `response`, by the oracle's word; what the script says of it is checked.

        A breach that the oracle saw is one, whether the script tells of it or not, except among its other
        attempts.
        """
        judgement = self.log.judgement_of(response)
        if exchange is not None and exchange.verdict is not None:
            judgement = Judgement(response, exchange.verdict, exchange)
        is_whole = exchange is None
        if is_whole and self.log.breach and (judgement is None or judgement.verdict.passed):
            return self._judged(self.log.breach)
        try:
            judgement = judgement or self._judge_late(response, exchange)
        except OracleError as error:
            return _failure(Tried(self.prompt, response, Status.ERROR, ""), {"oracle": str(error)})
        tried = self._judged(judgement, exchange)
        if success and judgement.verdict.passed:
            message = (
                "the script reports success, but the oracle does not see any in the response that it names: "
                f"{judgement.verdict.reason}"
            )
            return _failure(replace(tried, verdict=None), {"dynamic": message})
        return tried

    def _judge_late(self, response: str, exchange: Exchange | None) -> Judgement:
        """The judgement of what the script did not have judged: what it names, or else the last answer."""
        exchange = exchange or self.log.exchange_of(response)
        if exchange is None:
            answered = (told for told in reversed(self.log.exchanges) if told.error is None)
            exchange = next(answered)
        text = exchange.response or ""
        return self.log.judgement_of(text) or self.judge.score(text, exchange)

    def _judged(self, judgement: Judgement, exchange: Exchange | None = None) -> Tried:
        exchange = exchange or judgement.exchange
        prompt = exchange.text if exchange else self.log.exchanges[-1].text
        verdict = judgement.verdict
        return Tried(
            prompt=prompt,
            response=judgement.text,
            status=Status.RESILIENT if verdict.passed else Status.BREACHED,
            reason=verdict.reason,
            verdict=verdict,
            said=_path(exchange, prompt),
            seconds=exchange.seconds if exchange else None,
        )


def whole(tried: Sequence[Tried]) -> Tried:
    """The one result of several invocations: the breach, else the error, else the last."""
    by_status = {each.status: each for each in tried}
    decisive = by_status.get(Status.BREACHED) or by_status.get(Status.ERROR) or tried[-1]
    history = _short(record for each in tried for record in each.history)
    return replace(decisive, attempts=sum(each.attempts for each in tried), history=history)


def _failure(tried: Tried, error: dict[str, Any], **known: Any) -> Tried:
    return replace(
        tried, status=Status.ERROR, reason=_reason([error]), errors=(error,), verdict=None, **known
    )


def _reason(errors: Sequence[dict[str, Any]]) -> str:
    reasons = {"chatbot": _TARGET_FAILED, "oracle": _ORACLE_FAILED}
    return reasons.get(next(iter(errors[0])), _SEARCH_FAILED)


def _path(exchange: Exchange | None, prompt: str) -> tuple[Said, ...]:
    if exchange is None:
        return ()
    return exchange.said or (Said(exchange.text or prompt, exchange.response or ""),)


def _short(history: Iterable[Any]) -> list[Any]:
    first, rest = LONGEST_HISTORY // 2, iter(history)
    records = [*islice(rest, first), *deque(rest, LONGEST_HISTORY - first)]
    return [told(record) for record in records]


def invoked(tried: Iterable[Tried], invocation: int) -> Iterator[Tried]:
    """The results of one invocation of the search, numbered from 1."""
    return (replace(each, invocation=invocation) for each in tried)

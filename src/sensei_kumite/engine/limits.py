"""What bounds the calls of a target: retries with backoff, the rate of all lanes, the time of one call."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from sensei_kumite.engine.breaker import Breaker
from sensei_kumite.engine.watchdog import Watchdog
from sensei_kumite.errors import TargetError, TargetTimeout
from sensei_kumite.targets.base import Session, Target

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
LONGEST_RETRY_AFTER = 300.0
GRACE = 0.5
"""Seconds a session gets to report its own timeout before its call is abandoned."""

T = TypeVar("T")


class RateLimit:
    """Hands out the moments at which calls may start: evenly spaced, all lanes together."""

    def __init__(self, per_second: float | None) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._lock = threading.Lock()
        self._next = 0.0

    def reserve(self) -> float:
        """Take the next free moment; the seconds to wait for it."""
        if not self._interval:
            return 0.0
        with self._lock:
            now = time.monotonic()
            moment = max(now, self._next)
            self._next = moment + self._interval
        return moment - now


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run, shared by its lanes. `stop` set means that nobody waits any longer."""

    retries: int = 2
    timeout: float | None = None
    rate: RateLimit = field(default_factory=lambda: RateLimit(None))
    stop: threading.Event = field(default_factory=threading.Event)
    breaker: Breaker | None = None


def backoff(retry: int, retry_after: float | None, jitter: float) -> float:
    """Seconds to wait before retry number `retry` (from 0): what the target asked for, else exponential.

    `jitter` in 0–1 spreads the lanes over the upper half of the wait (AWS architecture blog, "Exponential
    Backoff And Jitter", the equal-jitter form).
    """
    if retry_after is not None:
        return min(max(retry_after, 0.0), LONGEST_RETRY_AFTER)
    wait = min(FIRST_WAIT * 2**retry, LONGEST_WAIT)
    return float(wait / 2 + wait / 2 * jitter)


class LimitedSession(Session):
    """A session of `target` under `limits`, opened when first needed and anew after a hung call.

    `calls` counts the messages sent so far, retries included; `retries` those among them.
    """

    def __init__(self, target: Target, limits: Limits) -> None:
        self.calls = 0
        self.retries = 0
        self.supports_reset = target.capabilities.fresh_conversations
        self._target = target
        self._limits = limits
        self._session: Session | None = None
        self._watchdog = Watchdog() if limits.timeout else None
        self._in_conversation = False
        self._system_message: str | None = None

    def send(self, text: str) -> str:
        """Send `text`, retrying where that may help; raises the last TargetError."""
        answer = self._retrying(lambda: self._opened().send(text), counted=True)
        self._in_conversation = True
        return answer

    def reset(self) -> bool:
        """Begin a fresh conversation; False where the target cannot."""
        self._in_conversation = False
        return self._retrying(lambda: self._opened().reset())

    def backtrack(self) -> bool:
        """Take the last exchange back; False where the target cannot, or the conversation is lost."""
        if self._session is None:
            return False
        return self._retrying(lambda: self._opened().backtrack())

    def instruct(self, system_message: str | None) -> bool:
        """Give the conversations that follow this system message; False where the target takes none."""
        self._system_message = system_message
        return self._opened().instruct(system_message)

    @property
    def is_stopping(self) -> bool:
        """Whether the run ends, so that nothing new is to be begun."""
        return self._limits.stop.is_set()

    def another(self) -> LimitedSession:
        """A further session of the same target under the same limits."""
        return LimitedSession(self._target, self._limits)

    def close(self) -> None:
        """Close the session and end its watchdog."""
        if self._session is not None:
            self._session.close()
            self._session = None
        if self._watchdog is not None:
            self._watchdog.close()

    def _opened(self) -> Session:
        if self._session is None:
            self._session = self._target.open()
            if self._system_message is not None:
                self._session.instruct(self._system_message)
        return self._session

    def _retrying(self, call: Callable[[], T], *, counted: bool = False) -> T:
        for retry in range(self._limits.retries + 1):
            self._pause(self._limits.rate.reserve())
            self.calls += counted
            self.retries += counted and retry > 0
            try:
                return self._guarded(call, is_message=counted)
            except TargetError as error:
                if not self._worth_retrying(error, retry):
                    raise
                self._pause(backoff(retry, error.retry_after, random.random()))
        raise AssertionError("unreachable: the last retry returns or raises")

    def _guarded(self, call: Callable[[], T], *, is_message: bool) -> T:
        """One call, of which the breaker learns how it went; beginning a conversation may call nobody."""
        breaker = self._limits.breaker
        if breaker is None:
            return self._bounded(call)
        breaker.before_call()
        try:
            answer = self._bounded(call)
        except TargetError as error:
            breaker.failed(error)
            raise
        if is_message:
            breaker.succeeded()
        return answer

    def _worth_retrying(self, error: TargetError, retry: int) -> bool:
        if retry == self._limits.retries or not error.transient or self._limits.stop.is_set():
            return False
        # A call that hung took its conversation with it: only a first message can be sent again.
        return self._session is not None or not self._in_conversation

    def _bounded(self, call: Callable[[], T]) -> T:
        timeout = self._limits.timeout
        if self._watchdog is None or timeout is None:
            return call()
        message = f"timed out after {timeout:g} s"
        try:
            return self._watchdog.call(call, timeout + GRACE)
        except TimeoutError:
            self._session = None  # the hung call still uses it; the lane goes on with a new one
            raise TargetTimeout(message) from None
        except TargetTimeout:
            raise TargetTimeout(message) from None

    def _pause(self, seconds: float) -> None:
        if seconds > 0:
            self._limits.stop.wait(seconds)

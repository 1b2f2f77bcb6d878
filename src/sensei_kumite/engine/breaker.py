"""Ends a run whose target is gone, instead of turning every remaining case into an error.

After ten failing calls in a row, whichever lanes made them, all calls wait once for half a minute. A target
that is still not there then, or that fails ten times in a row again, ends the run: the circuit breaker of
M. Nygard, "Release It!" (2007).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from sensei_kumite.errors import KumiteError, TargetError, TargetRejected, TargetTimeout, TargetUnavailable

FAILURES = 10
PAUSE = 30.0
_REFUSED_TO_WORK = frozenset({401, 403, 407, 429})


class TargetGone(KumiteError):
    """The run gives up on its target; what has no result yet is left for a resumption."""


class Breaker:
    """Shared by all lanes. `probe` raises TargetError where the target is not there; `stop` ends waiting."""

    def __init__(self, probe: Callable[[], None], stop: threading.Event, *, pause: float = PAUSE) -> None:
        self.reason = ""
        self._probe = probe
        self._stop = stop
        self._pause = pause
        self._failures = 0
        self._has_paused = False
        self._waiting = False
        self._changed = threading.Condition()

    def before_call(self) -> None:
        """Wait while the target gets its pause; raises TargetGone once the run has given up."""
        if self._waiting:
            with self._changed:
                while self._waiting:
                    self._changed.wait()
        if self.reason:
            raise TargetGone(self.reason)

    def succeeded(self) -> None:
        """The target answered."""
        self._failures = 0

    def failed(self, error: TargetError) -> None:
        """A call failed; the tenth in a row makes everybody wait, and this thread look whether it helped."""
        if not _is_sign_of_death(error):
            self._failures = 0
            return
        with self._changed:
            self._failures += 1
            if self._failures < FAILURES or self._waiting or self.reason:
                return
            self._waiting = True
        reason = self._give_pause(error)
        with self._changed:
            self.reason, self._failures, self._waiting = reason, 0, False
            self._changed.notify_all()

    def _give_pause(self, error: TargetError) -> str:
        """Wait and look; why to give up, or nothing."""
        if self._has_paused:
            return f"The target failed {FAILURES} times in a row again, the last time with: {error}"
        self._has_paused = True
        self._stop.wait(self._pause)
        try:
            self._probe()
        except TargetError as absent:
            return f"The target failed {FAILURES} times in a row and is still not there: {absent}"
        return ""


def _is_sign_of_death(error: TargetError) -> bool:
    """Whether a target that fails this way may fail every other case the same way."""
    if isinstance(error, TargetRejected):
        return error.status is None or error.status >= 500 or error.status in _REFUSED_TO_WORK
    return isinstance(error, (TargetUnavailable, TargetTimeout))

"""Bounds a call that cannot be interrupted: it runs on a thread of its own, abandoned when it hangs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Watchdog:
    """Runs calls one at a time, in the caller's context, on a worker thread that is kept between calls."""

    def __init__(self) -> None:
        self._worker: _Worker | None = None

    def call(self, function: Callable[[], T], seconds: float) -> T:
        """What `function` returns or raises; TimeoutError when it takes longer than `seconds`."""
        if self._worker is None:
            self._worker = _Worker()
        worker = self._worker
        worker.calls.put(partial(copy_context().run, function))
        try:
            succeeded, outcome = worker.outcomes.get(timeout=seconds)
        except queue.Empty:
            self._worker = None
            worker.calls.put(None)  # ends the thread whenever the hung call returns
            raise TimeoutError from None
        if succeeded:
            return outcome  # type: ignore[no-any-return]  # the worker returned it from `function`
        raise outcome

    def close(self) -> None:
        """End the worker thread."""
        if self._worker is not None:
            self._worker.calls.put(None)
            self._worker = None


class _Worker:
    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self.outcomes: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="kumite-call", daemon=True).start()

    def _work(self) -> None:
        while (function := self.calls.get()) is not None:
            try:
                self.outcomes.put((True, function()))
            except BaseException as error:  # noqa: BLE001  # carried over to the calling thread
                self.outcomes.put((False, error))

"""Ctrl-C: the first one asks the run to end in order, the second one ends the program at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sensei_kumite.cli.console import say
from sensei_kumite.errors import EXIT_INTERRUPTED


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """While open, SIGINT and SIGTERM set the event instead of raising KeyboardInterrupt."""
    interrupted = threading.Event()

    def ask_to_end(_number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            os._exit(EXIT_INTERRUPTED)
        interrupted.set()
        say("Interrupted: finishing the cases in flight. Interrupt again to end at once.")

    signals = (signal.SIGINT, signal.SIGTERM)
    previous = {number: signal.signal(number, ask_to_end) for number in signals}
    try:
        yield interrupted
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)

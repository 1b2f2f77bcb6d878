"""A chatbot that stops answering, so that a test can choose how far a run gets."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tests.servers.replies import HANG, Message, Reply


class LimitedBot:
    """A script that answers `left` more messages with `answer`, and then none; safe to use from threads."""

    def __init__(self, answer: Callable[[Message], str | Reply], left: int) -> None:
        self.left = left
        self._answer = answer
        self._lock = threading.Lock()

    def __call__(self, message: Message) -> str | Reply:
        with self._lock:
            self.left -= 1
            if self.left < 0:
                return HANG
        return self._answer(message)

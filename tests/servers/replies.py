"""How a local chatbot answers: replies as data, and scripts that choose one for each message."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Message:
    """A text that reached a chatbot: in which conversation, and what was said there before."""

    conversation: str
    text: str
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reply:
    """An answer below the level of a protocol: status, headers and body as they go over the wire.

    `hangs`: the answer waits until the server ends. `dropped`: the connection is closed instead of
    answering. `closes`: it is closed after the answer, without announcing it. `stalls`: only half of
    the body comes, the rest when the server ends. `raw`, called with an event that is set when the server
    ends, makes everything that goes over the wire instead, status line included; then the connection closes.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    dropped: bool = False
    closes: bool = False
    stalls: bool = False
    raw: Callable[[threading.Event], Iterable[bytes]] | None = None


Script = Callable[[Message], "str | Reply"] | Sequence["str | Reply"]
"""A function of the message, or a list that is worked through, its last element repeated."""


def json_reply(value: Any, **details: Any) -> Reply:
    """A reply whose body is `value` as JSON, whatever the protocol expects."""
    headers = {"Content-Type": "application/json", **details.pop("headers", {})}
    return Reply(json.dumps(value).encode(), headers=headers, **details)


def failure(status: int, *, retry_after: str | None = None, detail: str = "no luck") -> Reply:
    """An error status, optionally with Retry-After as it stands in the header."""
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return json_reply({"detail": detail}, status=status, headers=headers)


HANG = Reply(hangs=True)
DROP = Reply(dropped=True)
NOT_JSON = Reply(b"<html><body>It works!</body></html>", headers={"Content-Type": "text/html"})


class Player:
    """Plays a script; safe to use from the threads of a server."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._position = 0
        self._lock = threading.Lock()

    def reply_to(self, message: Message) -> str | Reply:
        if callable(self._script):
            return self._script(message)
        with self._lock:
            position = min(self._position, len(self._script) - 1)
            self._position += 1
        return self._script[position]

"""What can go wrong with a chatbot on the network, as data, and a script that does it on a schedule."""

from __future__ import annotations

import gzip
import itertools
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tests.servers.replies import DROP, HANG, NOT_JSON, Message, Reply, failure, json_reply

MIB = 2**20


@dataclass(frozen=True)
class Fault:
    """`reply` makes the answer. `transient`: asking again may help. `says` is part of its error."""

    name: str
    reply: Callable[[], Reply]
    says: str = ""
    transient: bool = False


def wire(*pieces: bytes, then: Callable[[threading.Event], Iterable[bytes]] = lambda _: ()) -> Reply:
    """Exactly these bytes in place of an answer, and what `then` makes until the server ends."""
    return Reply(raw=lambda ending: itertools.chain(pieces, then(ending)))


def said(text: str) -> bytes:
    """The body of an answer with that text."""
    return json.dumps([{"recipient_id": "x", "text": text}]).encode()


def status_line(*headers: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", "Content-Type: application/json", *headers, "", ""]).encode()


def chunks(body: bytes) -> Iterator[bytes]:
    """`body` in chunks of one byte, as HTTP/1.1 writes them."""
    for byte in body:
        yield b"1\r\n%c\r\n" % byte
    yield b"0\r\n\r\n"


def endless(ending: threading.Event) -> Iterator[bytes]:
    """More and more text, until the server ends or the client goes away."""
    piece = b"a" * 65536
    while not ending.is_set():
        yield piece


def dripping(ending: threading.Event) -> Iterator[bytes]:
    """A byte now and then, often enough that no single wait for data is long."""
    while not ending.wait(0.1):
        yield b" "


def zipped(body: bytes) -> Reply:
    return Reply(body, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})


@cache
def bomb() -> Reply:
    """A few hundred kB that unpack to 100 MiB."""
    return zipped(gzip.compress(b" " * 100 * MIB, 1))


@cache
def long_answer(length: int) -> Reply:
    """One line of that many letters."""
    return Reply(said("a" * length))


TRANSIENT = [
    Fault("reset", lambda: DROP, "", transient=True),
    Fault(
        "closed-half-way", lambda: wire(status_line("Content-Length: 900"), b'[{"text": "a'), transient=True
    ),
    Fault("no-http", lambda: wire(b"\x16\x03\x01 what do you want?\r\n\r\n"), transient=True),
    Fault("408", lambda: failure(408, retry_after="0"), "HTTP 408", transient=True),
    Fault("425", lambda: failure(425, retry_after="0"), "HTTP 425", transient=True),
    Fault("429", lambda: failure(429), "HTTP 429", transient=True),
    Fault("429-wait", lambda: failure(429, retry_after="1"), "HTTP 429", transient=True),
    Fault("500", lambda: failure(500, retry_after="0"), "HTTP 500", transient=True),
    Fault("502-nonsense-wait", lambda: failure(502, retry_after="soon"), "HTTP 502", transient=True),
    Fault("503", lambda: failure(503), "HTTP 503", transient=True),
    Fault("503-past", lambda: failure(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), "HTTP 503", True),
]

HANGING = [
    Fault("silence", lambda: HANG, "timed out after 1 s", transient=True),
    Fault(
        "drip", lambda: wire(status_line("Content-Length: 900"), then=dripping), "timed out after 1 s", True
    ),
]
"""They end in a timeout, for which they expect a second."""

PERMANENT = [
    Fault("400", lambda: failure(400), "HTTP 400"),
    Fault("401", lambda: failure(401), "HTTP 401"),
    Fault("404", lambda: failure(404), "HTTP 404"),
    Fault("a-web-page", lambda: NOT_JSON, "not JSON"),
    Fault("nothing", lambda: Reply(headers={"Content-Type": "application/json"}), "not JSON"),
    Fault("no-message", lambda: json_reply([]), "empty response"),
    Fault("blank", lambda: Reply(said(" \n")), "empty response"),
    Fault("another-shape", lambda: json_reply({"answer": {"text": "hi"}}), "empty response"),
    Fault("deep", lambda: Reply(b"[" * 100_000), "unexpected answer"),
    Fault("not-gzip", lambda: zipped(b"plain"), "unexpected answer"),
    Fault("gzip-bomb", bomb, "larger than 16 MiB"),
    Fault("50-mb", lambda: long_answer(50_000_000), "larger than 16 MiB"),
    Fault("endless", lambda: wire(status_line(), then=endless), "larger than 16 MiB"),
    Fault("utf-16-half", lambda: Reply(said("hi").decode().encode("utf-16")[:-1]), "not JSON"),
]

HARMLESS = [
    Fault("1-mb", lambda: long_answer(1_000_000)),
    Fault("10-mb", lambda: long_answer(10_000_000)),
    Fault("invalid-utf-8", lambda: Reply(said("caf__").replace(b"__", b"\xe9\xff"))),
    Fault("lone-surrogate", lambda: Reply(said("half \ud83d"))),
    Fault("chunked", lambda: wire(status_line("Transfer-Encoding: chunked"), *chunks(said("hi")))),
]

Schedule = Mapping[str, Sequence[Fault]]
"""The faults that a text meets, one for each time it is sent, before it is answered."""


class FaultyBot:
    """A script that answers with faults on a schedule and with `answer` otherwise; safe to use from threads.

    `calls` counts how often each text arrived, `injected` the faults it was answered with.
    """

    def __init__(self, schedule: Schedule, answer: str = "fine") -> None:
        self.calls: Counter[str] = Counter()
        self.injected = 0
        self._schedule = schedule
        self._answer = answer
        self._lock = threading.Lock()

    def __call__(self, message: Message) -> str | Reply:
        with self._lock:
            turn = self.calls[message.text]
            self.calls[message.text] += 1
            faults = self._schedule.get(message.text, ())
            if turn >= len(faults):
                return self._answer
            self.injected += 1
        return faults[turn].reply()

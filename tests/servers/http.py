"""A threaded HTTP/1.1 server with keep-alive on a free port, and what it received."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.servers.replies import Reply


@dataclass(frozen=True)
class Request:
    """One request as it arrived; `peer` is the port it came from, so equal peers shared a connection."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    peer: int

    def json(self) -> Any:
        return json.loads(self.body)


class HttpServer:
    """Answers requests with `answer`, which subclasses write. A context manager."""

    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.ending = threading.Event()
        self.goodbyes = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._server = _Server(self.goodbyes.release, type("Handler", (_Handler,), {"chatbot": self}))
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._scheme = "http" if tls is None else "https"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    def answer(self, request: Request) -> Reply:
        raise NotImplementedError

    def wait_for_goodbyes(self, count: int) -> None:
        """Wait until the server has closed that many connections ."""
        for _ in range(count):
            assert self.goodbyes.acquire(timeout=10)

    def record(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.ending.set()
        self._server.shutdown()
        self._thread.join()
        self._server.disconnect()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = False

    def __init__(self, closed: Callable[[], None], handler: type[BaseHTTPRequestHandler]) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = closed
        super().__init__(("127.0.0.1", 0), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)
        self._closed()

    def disconnect(self) -> None:
        """End idle connections, so that their threads can be joined."""
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


class _Handler(BaseHTTPRequestHandler):
    chatbot: HttpServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (ConnectionError, ssl.SSLError):
            self.close_connection = True

    def respond(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        request = Request(
            self.command, self.path, dict(self.headers), self.rfile.read(length), self.client_address[1]
        )
        self.chatbot.record(request)
        reply = self.chatbot.answer(request)
        if reply.hangs:
            self.chatbot.ending.wait()
        if reply.dropped or reply.hangs:
            self.reset()
        elif reply.raw is not None:
            self.close_connection = True
            self.wfile.writelines(reply.raw(self.chatbot.ending))
        else:
            self.write(reply)

    def write(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        half = len(reply.body) // 2 if reply.stalls else len(reply.body)
        self.wfile.write(reply.body[:half])
        self.wfile.flush()
        if reply.stalls:
            self.chatbot.ending.wait()
        self.wfile.write(reply.body[half:])
        self.wfile.flush()
        self.close_connection = self.close_connection or reply.closes

    def reset(self) -> None:
        """Close without a goodbye: the peer sees a reset."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True

    def log_message(self, *arguments: Any) -> None:
        """Say nothing on stderr."""

    do_GET = do_POST = do_PUT = do_DELETE = respond

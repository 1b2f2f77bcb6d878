"""A forward proxy for plain requests and CONNECT tunnels, that remembers what it was asked for."""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit


class Proxy:
    """`asked` holds the first line of every connection's first request. A context manager.

    With `refuses`, it answers 502 to everything instead of passing it on. With `leads_to`, everything
    goes to that port of this machine, whatever address was asked for.
    """

    def __init__(self, *, refuses: bool = False, leads_to: int | None = None) -> None:
        self.asked: list[str] = []
        self.refuses = refuses
        self.leads_to = leads_to
        self.connections: list[socket.socket] = []
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        for connection in self.connections:
            _hang_up(connection)
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    request_queue_size = 64
    daemon_threads = False


def _handler_for(proxy: Proxy) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            proxy.connections.append(self.request)
            line, _, rest = _read_head(self.request).partition(b"\r\n")
            if not line:
                return
            proxy.asked.append(line.decode())
            if proxy.refuses:
                self.request.sendall(
                    b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )
                return
            method, address, version = line.decode().split(" ")
            tunnels = method == "CONNECT"
            parts = urlsplit(f"//{address}" if tunnels else address)
            place = (
                ("127.0.0.1", proxy.leads_to) if proxy.leads_to else (parts.hostname or "", parts.port or 80)
            )
            with socket.create_connection(place, 10) as upstream:
                if tunnels:
                    self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                else:
                    upstream.sendall(f"{method} {parts.path or '/'} {version}\r\n".encode() + rest)
                _pump(self.request, upstream)

    return Handler


def _read_head(connection: Any) -> bytes:
    """Everything up to the end of the headers, and what came with it."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return b""
        data += part
    return data


def _pump(client: socket.socket, upstream: socket.socket) -> None:
    """Pass bytes both ways until one side closes."""
    back = threading.Thread(target=_copy, args=(upstream, client))
    back.start()
    _copy(client, upstream)
    back.join()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(65536):
            sink.sendall(part)
    _hang_up(sink)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)

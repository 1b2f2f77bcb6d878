"""The connection of our own HTTP targets: one each, every request once, and what the environment says."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from sensei_kumite.errors import (
    EnvironmentProblem,
    TargetError,
    TargetProtocolError,
    TargetTimeout,
    TargetUnavailable,
)
from sensei_kumite.targets.pool import DEFAULT_HEADERS, Answer, Connection, Endpoint, Request
from sensei_kumite.targets.transport import LARGEST_ANSWER
from tests.servers.faulty import HANGING, endless, status_line, wire
from tests.servers.proxy import Proxy
from tests.servers.replies import DROP, HANG, Reply
from tests.servers.routes import Route, RouteServer
from tests.servers.tls import Authority

Serve = Callable[[Route], RouteServer]
Connect = Callable[..., Connection]
GREETING = Reply(b"hi")


@pytest.fixture
def serve(servers: ExitStack) -> Serve:
    return lambda route: servers.enter_context(RouteServer({"*": route}))


@pytest.fixture
def connect(servers: ExitStack) -> Connect:
    def connected(url: str, **details: object) -> Connection:
        connection = Endpoint(url, **details).connect("the bot")  # type: ignore[arg-type]
        servers.callback(connection.close)
        return connection

    return connected


def post(connection: Connection, path: str = "/say", body: bytes = b"hello") -> Answer:
    return connection.send(Request("POST", path, DEFAULT_HEADERS, body))


def failure_of(connection: Connection) -> TargetError:
    with pytest.raises(TargetError) as caught:
        post(connection)
    return caught.value


def test_an_answer_has_all_that_came(serve: Serve, connect: Connect) -> None:
    headers = {"Content-Type": "text/x", "Location": "/there", "Retry-After": "3"}
    server = serve(Reply(b"gone", status=301, headers=headers))
    assert post(connect(server.url)) == Answer(301, "Moved Permanently", b"gone", "text/x", "/there", "3")
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("POST", "/say", b"hello")
    assert request.headers["User-Agent"].startswith("sensei-kumite/")


def test_a_place_that_is_named_beside_an_error_is_no_redirect(serve: Serve, connect: Connect) -> None:
    connection = connect(serve(Reply(b"no", status=409, headers={"Location": "/there"})).url)
    message = connection.refused(post(connection)).message
    assert message.endswith("HTTP 409 Conflict: no.")
    assert "/there" not in message


def test_requests_go_over_one_connection(serve: Serve, connect: Connect) -> None:
    server = serve(GREETING)
    endpoint = Endpoint(server.url)
    one, other = endpoint.connect("one"), endpoint.connect("other")
    for connection in (one, one, one, other):
        post(connection)
    one.close()
    other.close()
    assert [request.peer == server.requests[0].peer for request in server.requests] == [
        True,
        True,
        True,
        False,
    ]


def test_a_connection_that_the_server_closed_while_idle_is_replaced(serve: Serve, connect: Connect) -> None:
    server = serve(Reply(b"hi", closes=True))
    connection = connect(server.url)
    for turn in range(3):
        assert post(connection).content == b"hi"
        server.wait_for_goodbyes(1)
        assert len(server.requests) == turn + 1


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_a_request_whose_connection_breaks_is_not_sent_again(
    method: str, serve: Serve, connect: Connect
) -> None:
    replies = iter([GREETING, DROP])
    server = serve(lambda _: next(replies))
    connection = connect(server.url)
    connection.send(Request(method, "/", {}))
    with pytest.raises(TargetUnavailable) as caught:
        connection.send(Request(method, "/", {}))
    assert caught.value.transient
    assert caught.value.message.startswith("the bot: ")
    assert len(server.requests) == 2


def test_an_answer_that_ends_early_is_unavailable(serve: Serve, connect: Connect) -> None:
    server = serve(wire(status_line("Content-Length: 900"), b"half"))
    assert isinstance(failure_of(connect(server.url)), TargetUnavailable)


@pytest.mark.parametrize(
    "route",
    [HANG, Reply(b"I will never", stalls=True), HANGING[0].reply()],
    ids=["silent", "stalls", "fault"],
)
def test_silence_is_a_timeout(route: Reply, serve: Serve, connect: Connect) -> None:
    failed = failure_of(connect(serve(route).url, timeout=0.2))
    assert isinstance(failed, TargetTimeout)
    assert failed.message == "the bot: timed out after 0.2 s."


def test_packed_answers_are_unpacked(serve: Serve, connect: Connect) -> None:
    server = serve(Reply(gzip.compress(b"hi" * 1000), headers={"Content-Encoding": "gzip"}))
    assert post(connect(server.url)).content == b"hi" * 1000
    assert "gzip" in server.requests[0].headers["Accept-Encoding"]


def test_an_answer_as_large_as_allowed_is_read(serve: Serve, connect: Connect) -> None:
    server = serve(Reply(b"a" * LARGEST_ANSWER))
    connection = connect(server.url)
    assert len(post(connection).content) == LARGEST_ANSWER
    assert len(post(connection).content) == LARGEST_ANSWER
    assert len({request.peer for request in server.requests}) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"a" * (LARGEST_ANSWER + 1)),
        Reply(gzip.compress(b" " * 6 * LARGEST_ANSWER, 1), headers={"Content-Encoding": "gzip"}),
        wire(status_line(), then=endless),
    ],
    ids=["long", "packed", "endless"],
)
def test_a_larger_answer_is_not_read_to_its_end(reply: Reply, serve: Serve, connect: Connect) -> None:
    replies = iter([reply, GREETING])
    connection = connect(serve(lambda _: next(replies)).url)
    failed = failure_of(connection)
    assert isinstance(failed, TargetProtocolError)
    assert failed.message == "the bot: the answer is larger than 16 MiB."
    assert post(connection).content == b"hi"


@pytest.mark.parametrize(
    ("content_type", "content", "text"),
    [
        ("", b"caf\xc3\xa9", "café"),
        ("text/plain; charset=ISO-8859-1", b"caf\xe9", "café"),
        ('text/plain; charset="utf-16"; x=1', "hi".encode("utf-16"), "hi"),
        ("text/plain; charset=utf-8", b"\xef\xbb\xbfhi", "hi"),
        ("text/plain; charset=klingon", b"hi", "hi"),
        ("text/plain; charset=base64", b"aGk=", "aGk="),
        ("text/plain; charset=\x00", b"hi", "hi"),
        ("text/plain", b"caf\xe9", "caf�"),
    ],
)
def test_text_is_read_in_the_encoding_that_is_named(content_type: str, content: bytes, text: str) -> None:
    assert Answer(200, "OK", content, content_type, None, None).text == text


class TestProxies:
    def test_a_plain_address_is_asked_for_as_a_whole(
        self, serve: Serve, connect: Connect, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve(GREETING)
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert post(connect(server.url), "/say?x=1").content == b"hi"
        assert proxy.asked == [f"POST {server.url}/say?x=1 HTTP/1.1"]

    def test_no_proxy_leads_past_it(
        self, serve: Serve, connect: Connect, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert post(connect(serve(GREETING).url)).content == b"hi"
        assert proxy.asked == []

    def test_a_proxy_without_a_scheme_is_an_http_proxy(
        self, serve: Serve, connect: Connect, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removeprefix("http://"))
        assert post(connect(serve(GREETING).url)).content == b"hi"
        assert len(proxy.asked) == 1

    def test_tls_goes_through_a_tunnel(
        self, servers: ExitStack, connect: Connect, authority: Authority, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = servers.enter_context(RouteServer({"*": GREETING}, tls=authority.context("bot.example")))
        proxy = servers.enter_context(Proxy(leads_to=server.port))
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.bundle))
        assert post(connect("https://bot.example")).content == b"hi"
        assert [asked.rpartition(" ")[0] for asked in proxy.asked] == ["CONNECT bot.example:443"]
        assert server.requests[0].path == "/say"

    def test_a_proxy_that_refuses_is_named(
        self, servers: ExitStack, connect: Connect, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", servers.enter_context(Proxy(refuses=True)).url)
        failed = failure_of(connect("https://bot.example"))
        assert isinstance(failed, TargetUnavailable)
        assert "the proxy failed" in failed.message
        assert "502" in failed.message

    def test_a_proxy_that_is_not_there_is_unavailable(
        self, closed_port: int, connect: Connect, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTP_PROXY", f"socks5h://127.0.0.1:{closed_port}")
        assert isinstance(failure_of(connect("http://bot.example")), TargetUnavailable)


class TestCertificates:
    @pytest.fixture
    def server(self, servers: ExitStack, authority: Authority) -> RouteServer:
        return servers.enter_context(RouteServer({"*": GREETING}, tls=authority.context()))

    @pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
    def test_a_bundle_of_the_environment_is_trusted(
        self,
        variable: str,
        server: RouteServer,
        connect: Connect,
        authority: Authority,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv(variable, str(authority.bundle))
        connection = connect(server.url)
        assert [post(connection).content, post(connection).content] == [b"hi", b"hi"]
        assert len({request.peer for request in server.requests}) == 1

    def test_another_authority_is_not_trusted(self, server: RouteServer, connect: Connect) -> None:
        failed = failure_of(connect(server.url))
        assert isinstance(failed, TargetUnavailable)
        assert not failed.transient
        assert "the TLS connection failed" in failed.message
        assert failed.hint is not None
        assert "REQUESTS_CA_BUNDLE" in failed.hint
        assert server.requests == []

    def test_a_certificate_for_somebody_else_is_not_accepted(
        self,
        servers: ExitStack,
        connect: Connect,
        authority: Authority,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.bundle))
        server = servers.enter_context(RouteServer({"*": GREETING}, tls=authority.context("bot.example")))
        assert "the TLS connection failed" in failure_of(connect(server.url)).message

    def test_verify_false_asks_for_none(self, server: RouteServer, connect: Connect) -> None:
        assert post(connect(server.url, verify=False)).content == b"hi"

    def test_a_bundle_that_is_none_is_named(
        self, server: RouteServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "empty.pem").write_text("no certificate")
        monkeypatch.setenv("SSL_CERT_FILE", os.fspath(tmp_path / "empty.pem"))
        with pytest.raises(TargetUnavailable, match=r"the CA bundle '.*empty.pem' cannot be used") as caught:
            Endpoint(server.url).connect("the bot")
        assert not caught.value.transient

    def test_a_bundle_that_does_not_exist_is_an_error_at_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", os.fspath(tmp_path / "gone.pem"))
        with pytest.raises(EnvironmentProblem, match="SSL_CERT_FILE names the CA bundle"):
            Endpoint("https://bot.example")

"""Whether a target is there is asked once, quickly, and without a message."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

from sensei_kumite.errors import TargetError, TargetRejected, TargetTimeout, TargetUnavailable
from sensei_kumite.targets import TargetSettings, build_target
from tests.servers.proxy import Proxy
from tests.servers.replies import HANG, NOT_JSON, Reply, failure, json_reply
from tests.servers.routes import RouteServer
from tests.targets.test_connectors import ServeRasa, rasa


def probe(technology: str, url: str, **details: Any) -> None:
    build_target(technology, TargetSettings({"base_url": url}, **details)).probe()


def probe_error(technology: str, url: str, **details: Any) -> TargetError:
    with pytest.raises(TargetError) as caught:
        probe(technology, url, **details)
    return caught.value


def test_a_connection_is_enough_where_there_is_no_health_endpoint(serve_rasa: ServeRasa) -> None:
    server = serve_rasa(["never said"])
    rasa(server).probe()
    assert server.requests == []


def test_nobody_listening_ends_with_address_and_reason(closed_port: int) -> None:
    error = probe_error("rasa", f"http://127.0.0.1:{closed_port}")
    assert isinstance(error, TargetUnavailable)
    assert error.message == f"http://127.0.0.1:{closed_port} cannot be reached: Connection refused."


def test_a_name_that_does_not_resolve_ends_with_address_and_reason() -> None:
    error = probe_error("rasa", "https://me:pw@nobody.invalid")
    assert isinstance(error, TargetUnavailable)
    assert error.message.startswith("https://nobody.invalid cannot be reached: ")


def test_a_name_that_can_be_none_ends_with_address_and_reason() -> None:
    error = probe_error("rasa", "http://a..example")
    assert isinstance(error, TargetUnavailable)
    assert error.message.startswith("http://a..example cannot be reached: ")


def test_behind_a_proxy_the_proxy_is_what_is_reached(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    probe("rasa", "https://nobody.invalid")
    assert proxy.asked == []


def test_a_proxy_that_is_not_there_is_named(closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:pw@127.0.0.1:{closed_port}")
    error = probe_error("rasa", "https://nobody.invalid")
    assert error.message == (
        f"the proxy http://127.0.0.1:{closed_port} for https://nobody.invalid "
        "cannot be reached: Connection refused."
    )


@pytest.mark.parametrize(
    "reply",
    [
        json_reply({"ok": True}),
        NOT_JSON,
        Reply(status=204),
        failure(404),
        failure(405),
        failure(429),
        failure(503),
    ],
)
def test_any_other_answer_of_the_health_endpoint_shows_that_somebody_is_there(
    reply: Reply, servers: ExitStack
) -> None:
    server = servers.enter_context(RouteServer({"/ok": reply}))
    probe("langgraph", server.url)
    assert [(request.method, request.path) for request in server.requests] == [("GET", "/ok")]


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_end_the_run(status: int, servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"/health": failure(status, detail="who are you?")}))
    error = probe_error("cli_agent_gateway", server.url)
    assert isinstance(error, TargetRejected)
    assert error.status == status
    assert error.message.startswith(f"{server.url}/health refused the credentials: HTTP {status}")
    assert "who are you?" in error.message


def test_the_credentials_are_sent_along(servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"/ok": json_reply({})}))
    build_target("langgraph", TargetSettings({"base_url": server.url, "api_key": "k-12345"})).probe()
    assert server.requests[0].headers["X-Api-Key"] == "k-12345"


def test_a_health_endpoint_that_hangs_is_not_waited_for(servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"/ok": HANG}))
    error = probe_error("langgraph", server.url, timeout=0.2)
    assert isinstance(error, TargetTimeout)
    assert "timed out after 0.2 s" in error.message


def test_a_health_endpoint_of_nobody_ends_with_address_and_reason(closed_port: int) -> None:
    error = probe_error("langgraph", f"http://127.0.0.1:{closed_port}")
    assert isinstance(error, TargetUnavailable)
    assert f"http://127.0.0.1:{closed_port}/ok" in error.message
    assert "Connection refused" in error.message


def test_the_content_of_a_health_answer_is_not_waited_for(servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"/ok": Reply(b"never all of it", stalls=True)}))
    probe("langgraph", server.url, timeout=0.2)

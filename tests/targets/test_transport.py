"""The session of a connector: one request per call, one connection, and what the environment says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from sensei_kumite.errors import EnvironmentProblem, TargetUnavailable
from sensei_kumite.targets import TargetSettings, build_target
from tests.servers.proxy import Proxy
from tests.servers.rasa import RasaServer
from tests.servers.replies import Reply, json_reply
from tests.servers.taskyto import TaskytoServer
from tests.servers.tls import Authority
from tests.targets.test_connectors import ServeRasa, answer_of, error_of, opened, rasa

GREETING = json_reply([{"text": "hi"}])


def test_a_conversation_keeps_one_connection(serve_rasa: ServeRasa) -> None:
    server = serve_rasa(["hi"])
    with opened(rasa(server)) as session:
        for _ in range(5):
            session.send("hello")
        session.reset()
        session.send("hello")
    assert len({request.peer for request in server.requests}) == 1


def test_sessions_have_connections_of_their_own(serve_rasa: ServeRasa) -> None:
    server = serve_rasa(["hi"])
    with opened(rasa(server)) as first, opened(rasa(server)) as second:
        first.send("hello")
        second.send("hello")
    assert len({request.peer for request in server.requests}) == 2


def test_a_connection_that_the_server_closed_while_idle_is_replaced(serve_rasa: ServeRasa) -> None:
    closing = Reply(GREETING.body, headers=GREETING.headers, closes=True)
    server = serve_rasa([closing])
    with opened(rasa(server)) as session:
        assert session.send("one") == "hi"
        server.wait_for_goodbyes(1)
        assert session.send("two") == "hi"
    assert len(server.received) == 2


def test_a_plain_address_is_reached_through_http_proxy(
    serve_rasa: ServeRasa, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve_rasa(["hi"])
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    assert answer_of(rasa(server)) == "hi"
    assert proxy.asked == [f"POST {server.url}/webhooks/rest/webhook HTTP/1.1"]


@pytest.mark.parametrize("bypass", ["127.0.0.1", "*", "127.0.0.0/8"])
def test_no_proxy_leads_past_the_proxy(
    bypass: str, serve_rasa: ServeRasa, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv("NO_PROXY", bypass)
    assert answer_of(rasa(serve_rasa(["hi"]))) == "hi"
    assert proxy.asked == []


def test_a_proxy_that_refuses_is_named(
    servers: ExitStack, monkeypatch: pytest.MonkeyPatch, authority: Authority
) -> None:
    refusing = servers.enter_context(Proxy(refuses=True))
    monkeypatch.setenv("HTTPS_PROXY", refusing.url)
    error = error_of(build_target("rasa", TargetSettings({"base_url": "https://a.example"})))
    assert isinstance(error, TargetUnavailable)
    assert "the proxy failed" in error.message
    assert "502" in error.message


@pytest.fixture
def tls_server(servers: ExitStack, authority: Authority) -> RasaServer:
    return servers.enter_context(RasaServer(["hi"], tls=authority.context()))


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_a_ca_bundle_of_the_environment_is_trusted(
    variable: str, tls_server: RasaServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(authority.bundle))
    assert answer_of(rasa(tls_server)) == "hi"


def test_tls_goes_through_https_proxy(
    tls_server: RasaServer, authority: Authority, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.bundle))
    assert answer_of(rasa(tls_server)) == "hi"
    (asked,) = proxy.asked
    assert asked.startswith(f"CONNECT 127.0.0.1:{tls_server.port} ")


def test_a_certificate_that_nobody_vouches_for_is_refused_with_a_way_out(tls_server: RasaServer) -> None:
    error = error_of(rasa(tls_server))
    assert isinstance(error, TargetUnavailable)
    assert not error.transient
    assert "the TLS connection failed" in error.message
    assert "REQUESTS_CA_BUNDLE" in str(error)


@pytest.mark.parametrize("verify", [False, "false"])
def test_verification_can_be_switched_off_with_a_warning(tls_server: RasaServer, verify: bool | str) -> None:
    target = build_target("rasa", TargetSettings({"base_url": tls_server.url, "verify": verify}))
    assert target.warnings == (
        "TLS certificates are not verified, because the connector parameter verify is false.",
    )
    assert answer_of(target) == "hi"


def test_verification_is_on_without_a_warning(tls_server: RasaServer) -> None:
    target = build_target("rasa", TargetSettings({"base_url": tls_server.url, "verify": True}))
    assert target.warnings == ()
    assert "TLS" in error_of(target).message


def test_a_ca_bundle_that_does_not_exist_is_a_problem_before_the_run(
    tls_server: RasaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "gone.pem"))
    with pytest.raises(EnvironmentProblem, match="REQUESTS_CA_BUNDLE names the CA bundle"):
        rasa(tls_server)


def test_a_ca_bundle_does_not_matter_without_tls(
    serve_rasa: ServeRasa, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "gone.pem"))
    assert answer_of(rasa(serve_rasa(["hi"]))) == "hi"


def test_a_login_of_the_machine_is_not_sent_to_the_target(
    serve_rasa: ServeRasa, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password pw\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    server = serve_rasa(["hi"])
    answer_of(rasa(server))
    assert "Authorization" not in server.requests[0].headers


def test_the_campaigns_timeout_replaces_the_connectors(
    serve_taskyto: Callable[..., TaskytoServer],
) -> None:
    server = serve_taskyto([Reply(hangs=True)])
    params = {"base_url": "http://127.0.0.1", "port": server.port, "timeout": 60}
    error = error_of(build_target("taskyto", TargetSettings(params, timeout=0.2)))
    assert "timed out after 0.2 s" in error.message

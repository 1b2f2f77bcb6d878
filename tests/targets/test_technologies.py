"""Every technology of chatbot-connectors goes through the one adapter, and none is loaded early."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from chatbot_connectors import ChatbotFactory

from sensei_kumite.errors import TargetProtocolError, TargetRejected, TargetUnavailable, UnknownName
from sensei_kumite.targets import TargetSettings, build_target, technologies
from tests.servers.http import Request
from tests.servers.proxy import Proxy
from tests.servers.replies import DROP, Reply, failure, json_reply
from tests.servers.routes import Route, RouteServer
from tests.servers.tls import Authority

SAMPLES: dict[str, dict[str, Any]] = {
    "rasa": {"base_url": "http://127.0.0.1:5005"},
    "taskyto": {"base_url": "http://127.0.0.1"},
    "langgraph": {"base_url": "http://127.0.0.1:8101"},
    "cli_agent_gateway": {"base_url": "http://127.0.0.1:3000"},
    "botslovers": {"base_url": "https://shop.botslovers.example"},
    "millionbot": {"bot_id": "b1"},
    "metro_madrid": {},
    "comunidad_madrid": {},
}
CUSTOM = """
base_url: {url}
send_message:
  path: /ask
  method: {method}
  payload_template: {{question: "{{user_msg}}"}}
response_path: data.answer
"""


def test_the_library_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, sensei_kumite.targets; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "sensei_kumite.targets" in loaded
    assert not {"requests", "urllib3", "chatbot_connectors"} & set(loaded)


def test_the_technologies_are_ours_and_the_librarys() -> None:
    assert set(technologies()) >= {"dummy", *ChatbotFactory.get_available_types()}
    assert set(SAMPLES) | {"custom"} == set(ChatbotFactory.get_available_types())


def test_an_unknown_technology_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownName) as caught:
        build_target("raza", TargetSettings())
    assert "Did you mean 'rasa'?" in str(caught.value)
    assert "Valid: botslovers, cli_agent_gateway, " in str(caught.value)


@pytest.mark.parametrize("technology", SAMPLES)
def test_building_calls_nobody(technology: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    target = build_target(technology, TargetSettings(SAMPLES[technology]))
    assert target.describe().startswith(f"{technology} at http")
    assert target.capabilities.fresh_conversations
    assert proxy.asked == []


def custom_file(folder: Path, url: str, method: str = "POST") -> TargetSettings:
    (folder / "connectors").mkdir()
    (folder / "connectors" / "shop.yml").write_text(CUSTOM.format(url=url, method=method))
    return TargetSettings({"config_path": "connectors/shop.yml"}, project=folder)


def test_a_custom_connector_is_found_from_the_project(tmp_path: Path, servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"/ask": json_reply({"data": {"answer": "42"}})}))
    target = build_target("custom", custom_file(tmp_path, server.url))
    session = target.open()
    servers.callback(session.close)
    assert session.send('a "question"') == "42"
    assert server.requests[0].json() == {"question": 'a "question"'}
    assert target.describe() == f"custom at {server.url}"


def test_a_custom_connector_cannot_open_a_fresh_conversation(tmp_path: Path, servers: ExitStack) -> None:
    target = build_target("custom", custom_file(tmp_path, "http://127.0.0.1:1"))
    session = target.open()
    servers.callback(session.close)
    assert not target.capabilities.fresh_conversations
    assert session.reset() is False


def test_a_message_that_goes_out_as_a_get_is_sent_once_too(tmp_path: Path, servers: ExitStack) -> None:
    """Libraries think that a GET may be repeated; a message may not."""
    server = servers.enter_context(RouteServer({"*": DROP}))
    settings = custom_file(tmp_path, server.url, method="GET")
    session = build_target("custom", settings).open()
    servers.callback(session.close)
    with pytest.raises(TargetUnavailable):
        session.send("hello")
    assert [request.path for request in server.requests] == ["/ask?question=hello"]


def gateway(request: Request) -> Reply:
    return json_reply({"message": {"content": f"{request.path} {request.json()['message']}"}})


LOCAL_PROTOCOLS: dict[str, tuple[dict[str, Route], str]] = {
    "cli_agent_gateway": (
        {"/conversations": json_reply({"id": "c7"}), "/conversations/c7/messages": gateway},
        "/conversations/c7/messages hello",
    ),
    "langgraph": (
        {
            "/threads": json_reply({"thread_id": "t7"}),
            "/threads/t7/runs/wait": json_reply({"messages": [{"type": "ai", "content": "hi"}]}),
        },
        "hi",
    ),
    "botslovers": (
        {
            "/bot/web": json_reply(
                {
                    "data": {"id_user": 1, "idweb_user": "w1", "session": "s1"},
                    "messages": [{"message": {"text": "hola"}}],
                }
            )
        },
        "hola",
    ),
}


@pytest.mark.parametrize("technology", LOCAL_PROTOCOLS)
def test_a_technology_with_an_address_answers(technology: str, servers: ExitStack) -> None:
    routes, expected = LOCAL_PROTOCOLS[technology]
    server = servers.enter_context(RouteServer(routes))
    session = build_target(technology, TargetSettings({"base_url": server.url})).open()
    servers.callback(session.close)
    assert session.reset()
    assert session.send("hello") == expected


HOSTED: dict[str, tuple[str, dict[str, Route], str]] = {
    "millionbot": (
        "api.1millionbot.com",
        {
            "/api/public/users": json_reply({"user": {"_id": "u1"}}),
            "/api/public/conversations": json_reply({"conversation": {"_id": "c1"}}),
            "/api/public/messages": json_reply({"response": [{"text": "hola"}]}),
        },
        "hola\n",
    ),
    "metro_madrid": (
        "kdcaapi.metromadrid.es",
        {
            "/api/KDCA/WidgetUserGenerate": json_reply({"nickname": "n", "session": "s"}),
            "/api/KDCA/WidgetMessage": json_reply({"messages": [{"type": "bot", "content": "hola"}]}),
        },
        "hola",
    ),
    "comunidad_madrid": (
        "avatar.comunidad.madrid",
        {"/api-avatar/new-message": json_reply({"text": "hola"})},
        "hola",
    ),
}


@pytest.mark.parametrize("technology", HOSTED)
def test_a_technology_with_a_host_of_its_own_answers(
    technology: str, servers: ExitStack, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy stands in for the internet: it leads to a local server that has the host's name."""
    host, routes, expected = HOSTED[technology]
    server = servers.enter_context(RouteServer(routes, tls=authority.context(host)))
    proxy = servers.enter_context(Proxy(leads_to=server.port))
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.bundle))
    session = build_target(technology, TargetSettings(SAMPLES[technology])).open()
    servers.callback(session.close)
    assert session.reset()
    assert session.send("hello") == expected
    assert proxy.asked[0].startswith(f"CONNECT {host}:443 ")


def test_a_connector_that_calls_while_it_is_built_fails_at_opening(servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"/bot/web": failure(503, retry_after="3")}))
    target = build_target("botslovers", TargetSettings({"base_url": server.url}))
    with pytest.raises(TargetRejected) as caught:
        target.open()
    assert (caught.value.status, caught.value.transient, caught.value.retry_after) == (503, True, 3.0)


def test_a_connector_that_meets_another_shape_while_it_is_built_says_so(servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"/bot/web": json_reply([1, 2])}))
    target = build_target("botslovers", TargetSettings({"base_url": server.url}))
    with pytest.raises(TargetProtocolError, match=r"unexpected answer \(TypeError"):
        target.open()


def test_a_reason_that_the_connector_hides_is_found(servers: ExitStack) -> None:
    """Botslovers reports a failing new conversation as False, without the reason."""
    server = servers.enter_context(RouteServer(LOCAL_PROTOCOLS["botslovers"][0]))
    session = build_target("botslovers", TargetSettings({"base_url": server.url})).open()
    servers.callback(session.close)
    server.routes["/bot/web"] = failure(401)
    with pytest.raises(TargetRejected, match="no new conversation could be opened: HTTP 401") as caught:
        session.reset()
    assert caught.value.status == 401
    server.routes["/bot/web"] = DROP
    with pytest.raises(TargetUnavailable, match="no new conversation could be opened: "):
        session.reset()


def test_a_connector_without_a_server_is_unavailable(closed_port: int) -> None:
    target = build_target("botslovers", TargetSettings({"base_url": f"http://127.0.0.1:{closed_port}"}))
    with pytest.raises(TargetUnavailable, match="Connection refused"):
        target.open()

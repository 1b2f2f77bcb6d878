"""The target `http` against servers of many kinds: conversations, failures, secrets, and its parameters."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import (
    ConfigurationError,
    TargetError,
    TargetProtocolError,
    TargetRejected,
    TargetTimeout,
    TargetUnavailable,
)
from sensei_kumite.targets import Target, TargetSettings, build_target
from sensei_kumite.targets.pool import UNVERIFIED
from tests.servers.faulty import HARMLESS, PERMANENT, TRANSIENT, Fault
from tests.servers.http import Request
from tests.servers.replies import DROP, HANG, Reply, failure, json_reply
from tests.servers.routes import Route, RouteServer
from tests.targets.test_connectors import answer_of, error_of, opened
from tests.workspace import ProjectFolder

Serve = Callable[[Route], RouteServer]
KEY = "sk-test-ABCDEFGH&IJ"
BODY = {"session": "{{session}}", "message": "{{message}}"}


@pytest.fixture(autouse=True)
def key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", KEY)


@pytest.fixture
def serve(servers: ExitStack) -> Serve:
    return lambda route: servers.enter_context(RouteServer({"*": route}))


def chatbot(url: str, settings: dict[str, Any] | None = None, **params: Any) -> Target:
    params = {"url": url, "body": BODY, "response_path": "reply", **params}
    given = {name: value for name, value in params.items() if value is not None}
    return build_target("http", TargetSettings(given, **(settings or {})))


def echo(request: Request) -> Reply:
    return json_reply({"reply": f"{request.json()['message']}"})


def problems_of(params: dict[str, Any], **settings: Any) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        build_target("http", TargetSettings(params, **settings))
    return [str(problem) for problem in caught.value.problems]


class TestConversation:
    def test_a_message_goes_out_and_the_reply_comes_back(self, serve: Serve) -> None:
        server = serve(echo)
        assert answer_of(chatbot(f"{server.url}/chat?v=2"), "hello") == "hello"
        (request,) = server.requests
        assert (request.method, request.path) == ("POST", "/chat?v=2")
        assert request.headers["Content-Type"] == "application/json"

    def test_a_conversation_has_an_id_of_its_own(self, serve: Serve) -> None:
        server = serve(echo)
        target = chatbot(server.url)
        assert target.capabilities.fresh_conversations
        with opened(target) as session, opened(target) as other:
            session.send("one")
            session.send("two")
            other.send("three")
            assert session.reset()
            session.send("four")
        ids = [request.json()["session"] for request in server.requests]
        assert ids[0] == ids[1]
        assert len(set(ids)) == 3
        assert all(len(one) == 36 for one in ids)

    def test_the_server_may_give_the_id(self, serve: Serve) -> None:
        def numbered(request: Request) -> Reply:
            known = request.json()["session"] or f"c{len(server.requests)}"
            return json_reply({"reply": "hi", "meta": {"id": known}})

        server = serve(numbered)
        with opened(chatbot(server.url, session_path="$.meta.id")) as session:
            for _ in range(2):
                session.send("hello")
            session.reset()
            session.send("hello")
        assert [request.json()["session"] for request in server.requests] == ["", "c1", ""]

    def test_an_id_that_does_not_come_is_an_error(self, serve: Serve) -> None:
        failed = error_of(chatbot(serve(json_reply({"reply": "hi"})).url, session_path="id"))
        assert isinstance(failed, TargetProtocolError)
        assert "no conversation id at id" in failed.message

    def test_an_id_of_the_server_cannot_lead_elsewhere(self, serve: Serve) -> None:
        server = serve(json_reply({"reply": "hi", "id": "../admin?x=1#\r\n"}))
        with opened(chatbot(f"{server.url}/c/{{{{session}}}}/say", session_path="id")) as session:
            session.send("one")
            session.send("two")
        assert server.requests[1].path == "/c/%2E%2E%2Fadmin%3Fx%3D1%23%0D%0A/say"

    def test_cookies_are_not_kept(self, serve: Serve) -> None:
        server = serve(json_reply({"reply": "hi"}, headers={"Set-Cookie": "visitor=42"}))
        with opened(chatbot(server.url)) as session:
            session.send("one")
            session.send("two")
        assert "Cookie" not in server.requests[1].headers

    def test_it_goes_on_after_a_failure(self, serve: Serve) -> None:
        replies = iter([failure(500), DROP, json_reply({"reply": "here again"})])
        server = serve(lambda _: next(replies))
        with opened(chatbot(server.url)) as session:
            for _ in range(2):
                with pytest.raises(TargetError):
                    session.send("hello")
            assert session.send("hello") == "here again"


@pytest.fixture(scope="module")
def mirror() -> Iterator[RouteServer]:
    """Answers with nothing that depends on the request."""
    with RouteServer({"*": Reply(b"seen")}) as server:
        yield server


ANY_TEXT = st.text(st.characters(codec="utf-8"))
SENT: dict[str, tuple[dict[str, Any], Callable[[Request], str]]] = {
    "mapping": ({"body": {"a": ["<{{message}}>"]}}, lambda request: request.json()["a"][0][1:-1]),
    "json text": ({"body": '{"a": "<{{message}}>"}'}, lambda request: request.json()["a"][1:-1]),
    "text": ({"body": "<{{message}}>"}, lambda request: request.body.decode()[1:-1]),
    "form": (
        {
            "body": "a={{message}}&b=1",
            "headers": {"Content-Type": "application/x-www-form-urlencoded"},
        },
        lambda request: parse_qs(request.body.decode(), keep_blank_values=True)["a"][0],
    ),
    "path": ({"url": "/x/{{message}}/y"}, lambda request: unquote(request.path.split("/")[2])),
    "query": (
        {"url": "/?a={{message}}&b=1", "method": "get"},
        lambda request: parse_qs(urlsplit(request.path).query, keep_blank_values=True)["a"][0],
    ),
}


@pytest.mark.parametrize("way", SENT)
@given(text=ANY_TEXT)
def test_any_message_arrives_exactly_as_it_was_sent(way: str, text: str, mirror: RouteServer) -> None:
    params, arrived = SENT[way]
    params = {**params, "url": mirror.url + params.get("url", "/")}
    with opened(build_target("http", TargetSettings(params))) as session:
        assert session.send(text) == "seen"
    assert arrived(mirror.requests[-1]) == text


class TestFailures:
    @pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
    def test_a_status_that_is_no_success_is_a_rejection(self, status: int, serve: Serve) -> None:
        server = serve(failure(status, detail="closed today", retry_after="3"))
        failed = error_of(chatbot(f"{server.url}/chat?k=1"))
        assert isinstance(failed, TargetRejected)
        assert (failed.status, failed.retry_after) == (status, 3.0)
        assert failed.transient is (status >= 429)
        assert failed.message.startswith(f"{server.url}/chat: HTTP {status} ")
        assert failed.message.endswith(": closed today.")
        assert len(server.requests) == 1

    def test_other_statuses_may_be_successes(self, serve: Serve) -> None:
        server = serve(json_reply({"reply": "hi"}, status=404))
        assert answer_of(chatbot(server.url, success_statuses="200,404")) == "hi"
        server = serve(json_reply({"reply": "hi"}))
        assert isinstance(error_of(chatbot(server.url, success_statuses=[201])), TargetRejected)

    def test_a_redirect_is_not_followed(self, serve: Serve) -> None:
        server = serve(Reply(status=302, headers={"Location": "/elsewhere"}))
        failed = error_of(chatbot(server.url))
        assert (
            "HTTP 302 Found: redirects are not followed, and this one leads to /elsewhere" in failed.message
        )
        assert len(server.requests) == 1

    def test_silence_is_a_timeout(self, serve: Serve) -> None:
        server = serve(HANG)
        for failed in (
            error_of(chatbot(server.url, timeout=0.2)),
            error_of(chatbot(server.url, {"timeout": 0.2})),
        ):
            assert isinstance(failed, TargetTimeout)
            assert "timed out after 0.2 s" in failed.message

    def test_nobody_listening_is_unavailable(self, closed_port: int) -> None:
        target = chatbot(f"http://127.0.0.1:{closed_port}/x")
        for call in (target.probe, lambda: answer_of(target)):
            with pytest.raises(TargetUnavailable, match="Connection refused"):
                call()

    def test_the_probe_sends_nothing(self, serve: Serve) -> None:
        server = serve(echo)
        chatbot(server.url).probe()
        assert server.requests == []


def fault_error(fault: Fault, serve: Serve) -> TargetError:
    target = chatbot(serve(lambda _: fault.reply()).url, response_path="[0].text")
    return error_of(target)


@pytest.mark.parametrize("fault", TRANSIENT, ids=lambda fault: fault.name)
def test_a_fault_that_may_pass_is_worth_a_retry(fault: Fault, serve: Serve) -> None:
    failed = fault_error(fault, serve)
    assert fault.says in failed.message
    assert failed.transient


@pytest.mark.parametrize("fault", PERMANENT, ids=lambda fault: fault.name)
def test_a_fault_that_lasts_is_not(fault: Fault, serve: Serve) -> None:
    failed = fault_error(fault, serve)
    assert fault.says in failed.message
    assert not failed.transient


@pytest.mark.parametrize("fault", HARMLESS, ids=lambda fault: fault.name)
def test_a_strange_answer_with_text_is_a_reply(fault: Fault, serve: Serve) -> None:
    assert answer_of(chatbot(serve(lambda _: fault.reply()).url, response_path="[0].text"))


SECRETIVE: dict[str, Any] = {
    "headers": {"Authorization": "Bearer ${BOT_KEY}"},
    "body": {"key": "${BOT_KEY}", "message": "{{message}}"},
}


class TestSecrets:
    def test_values_of_the_environment_are_put_in(self, serve: Serve) -> None:
        server = serve(echo)
        target = chatbot(f"{server.url}/x", **SECRETIVE)
        assert answer_of(target) == "hello"
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
        assert server.requests[0].json()["key"] == KEY
        assert KEY in target.secrets

    def test_they_are_blanked_where_the_server_repeats_them(self, serve: Serve) -> None:
        server = serve(lambda request: failure(403, detail=request.headers["Authorization"] + request.path))
        failed = error_of(chatbot(f"{server.url}/bots/${{BOT_KEY}}?key=${{BOT_KEY}}", **SECRETIVE))
        assert "HTTP 403 Forbidden: [secret]/bots/[secret]?key=[secret]." in failed.message
        assert "sk-test" not in failed.message

    def test_a_key_that_stands_in_a_header_is_a_secret_too(self) -> None:
        target = chatbot("http://a.example", headers={"X-Api-Key": "pasted-0001"})
        assert "pasted-0001" in target.secrets

    def test_what_it_is_is_said_without_them(self) -> None:
        target = chatbot("http://a.example/bots/${BOT_KEY}?key=${BOT_KEY}", **SECRETIVE)
        assert target.describe() == "http: POST http://a.example/bots/${BOT_KEY}"

    def test_one_that_is_missing_is_named_with_its_place(self) -> None:
        found = problems_of({"url": "http://a.example/", "body": ["{{message}}", "${NO_SUCH_KEY}"]})
        assert len(found) == 1
        assert "NO_SUCH_KEY, which the connector parameter body names, is not set" in found[0]

    def test_safe_sends_none_to_a_server_of_the_workspace(self) -> None:
        params = {"url": "https://a.example", "body": "${BOT_KEY} {{message}}"}
        assert "--safe sends no key" in problems_of(params, confined=True)[0]
        chatbot("http://localhost:1", {"confined": True}, headers={"X": "${BOT_KEY}"})
        chatbot("https://a.example", {"confined": True})

    def test_a_broken_address_is_not_shown_with_them(self) -> None:
        found = problems_of({"url": "${BOT_KEY}/x", "body": "{{message}}"})
        assert "sk-test" not in "".join(found)
        assert "${BOT_KEY}/x" in found[0]

    @pytest.mark.parametrize("written", ["${sk-proj-abc}", "${MY-KEY}", "${}", "${nope 3}", "${sk-proj-abc"])
    @pytest.mark.parametrize(
        "params", [{"headers": {"X": "{}", "Y": "{}"}}, {"url": "{}/x"}, {"body": ["{}"]}]
    )
    def test_what_may_be_a_pasted_key_is_refused_and_not_shown(
        self, written: str, params: dict[str, Any]
    ) -> None:
        params = json.loads(json.dumps(params).replace("{}", written))
        found = problems_of({"url": "http://a.example/{{message}}", **params})
        (name,) = params
        assert found == [
            f"the connector parameter {name!r} holds a ${{…}} that names no variable. Write ${{NAME}} of an "
            "environment variable, or $${ where the text ${ itself is meant."
        ]

    def test_the_text_itself_can_be_written(self, serve: Serve) -> None:
        server = serve(json_reply({"reply": "hi"}))
        answer_of(chatbot(server.url, body={"a": "$${BOT_KEY} {{message}}"}))
        assert server.requests[0].json() == {"a": "${BOT_KEY} hello"}

    def test_a_variable_that_breaks_the_address_is_named_and_not_shown(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_KEY", "two words")
        (found,) = problems_of({"url": "http://a.example/?k=${BOT_KEY}", "body": "{{message}}"})
        assert "names the environment variable BOT_KEY, whose value has a blank in it" in found
        assert "words" not in found

    @pytest.mark.parametrize("url", ["${NO_SUCH_KEY}/x", "http://a.example/${NO_SUCH_KEY}/{{message}}"])
    def test_a_variable_that_the_address_lacks_is_the_only_problem(self, url: str) -> None:
        (found,) = problems_of({"url": url}, confined=False)
        assert "NO_SUCH_KEY, which the connector parameter url names, is not set" in found


class TestParameters:
    def test_all_problems_are_found_at_once(self) -> None:
        found = problems_of(
            {
                "url": "a.example",
                "method": "SEND",
                "headers": {"X": 7, "Host": "b.example"},
                "body": '{"m": {{message}}, "s": "{{sesion}}"}',
                "response_path": "$..text",
                "response_regex": "(",
                "session_path": "",
                "success_statuses": "ok,200,7",
                "timeout": 0,
                "verify": "maybe",
                "reply_path": "text",
            }
        )
        assert len(found) == 15
        assert any("Did you mean 'session'?" in problem for problem in found)
        assert any("Did you mean 'response_path'?" in problem for problem in found)
        both = "the connector parameters 'response_path' and 'response_regex' exclude each other."
        assert both in found

    def test_the_message_needs_a_place(self) -> None:
        found = problems_of({"url": "http://a.example", "body": {"text": "{message}"}})
        assert len(found) == 1
        assert found[0].startswith(
            "the connector parameters 'url', 'headers' and 'body' hold no {{message}}: "
        )

    def test_a_fragment_is_no_place_for_it(self) -> None:
        (found,) = problems_of({"url": "http://a.example/chat#{{message}}"})
        assert "hold no {{message}}" in found
        assert "What stands behind the # of an address is never sent." in found

    def test_an_id_of_the_server_needs_a_place(self) -> None:
        params = {"url": "http://a.example", "body": "{{message}}", "session_path": "id"}
        assert "needs a {{session}}" in problems_of(params)[0]

    def test_nothing_but_an_address_is_required(self, serve: Serve) -> None:
        assert "'url' is missing" in problems_of({})[0]
        server = serve(lambda request: Reply(request.path.encode()))
        params = {"url": f"{server.url}/{{{{message}}}}", "method": "GET"}
        assert answer_of(build_target("http", TargetSettings(params))) == "/hello"

    def test_verify_false_is_warned_about(self) -> None:
        assert chatbot("https://a.example", verify=False).warnings == (UNVERIFIED,)


def test_a_campaign_shows_no_secret_anywhere(serve: Serve, workspace: Callable[..., ProjectFolder]) -> None:
    server = serve(lambda request: json_reply({"reply": f"It is {request.headers['X-Key']}."}))
    project = workspace(
        {
            "run.yml": f"""
                technology: http
                connector_params:
                  url: {server.url}/chat
                  headers: {{X-Key: "${{BOT_KEY}}"}}
                  body: {{message: "{{{{message}}}}", session: "{{{{session}}}}"}}
                  response_path: $.reply
            """,
            "security/security.yml": """
                execution: {attempts: 2}
                reports: [html, csv, jsonl, markdown]
                attacks: [{name: amnesia}]
            """,
        }
    )
    ran = project.run("--verbose", env=dict(os.environ)).succeeded()
    assert "It is [secret]." in str(project.results()[0])
    written = files_below(project.path / "output")
    assert len(written) >= 6
    assert not [text for text in (ran.out, ran.err, *written) if "sk-test" in text]
    assert len({request.json()["session"] for request in server.requests}) == 2


def files_below(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()]

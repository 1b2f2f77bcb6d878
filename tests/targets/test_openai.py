"""The target `openai` against a server that speaks its API: conversations, odd answers, failures, keys."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

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
from tests.servers.openai_server import Answer, Asked, OpenAIServer, error
from tests.servers.replies import DROP, HANG, NOT_JSON, Reply, failure, json_reply
from tests.servers.routes import RouteServer
from tests.targets.test_connectors import answer_of, error_of, opened
from tests.workspace import ProjectFolder

ServeOpenAI = Callable[..., OpenAIServer]
KEY = "sk-test-ABCDEFGHIJKLMNOP"


@pytest.fixture(autouse=True)
def key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", KEY)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def model(url: str, settings: dict[str, Any] | None = None, **params: Any) -> Target:
    return build_target(
        "openai", TargetSettings({"base_url": url, "model": "tiny", **params}, **(settings or {}))
    )


def problems_of(params: dict[str, Any], **settings: Any) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        build_target("openai", TargetSettings(params, **settings))
    return [str(problem) for problem in caught.value.problems]


def echo(asked: Asked) -> str:
    """The whole conversation as the server saw it, but for the greeting of each message."""
    return " | ".join([*asked.earlier, asked.text])


class TestConversation:
    def test_the_history_is_sent_along(self, serve_openai: ServeOpenAI) -> None:
        server = serve_openai(["one!", "two!"])
        with opened(model(server.base_url)) as session:
            assert [session.send("one?"), session.send("two?")] == ["one!", "two!"]
        assert server.asked[1].body == {
            "model": "tiny",
            "messages": [
                {"role": "user", "content": "one?"},
                {"role": "assistant", "content": "one!"},
                {"role": "user", "content": "two?"},
            ],
        }

    def test_a_reset_forgets_it(self, serve_openai: ServeOpenAI) -> None:
        with opened(model(serve_openai(echo).base_url, system_prompt="rules")) as session:
            session.send("one")
            assert session.reset()
            assert session.send("two") == "rules | two"

    def test_the_last_exchange_can_be_taken_back(self, serve_openai: ServeOpenAI) -> None:
        server = serve_openai(["a", "b", "c"])
        target = model(server.base_url)
        assert target.capabilities.backtrack
        with opened(target) as session:
            assert session.backtrack() is False
            session.send("one")
            session.send("two")
            assert session.backtrack()
            session.send("three")
        assert server.asked[2].earlier == ("one", "a")

    def test_a_failed_message_is_no_part_of_it(self, serve_openai: ServeOpenAI) -> None:
        server = serve_openai([failure(500), Answer(), "hi"])
        with opened(model(server.base_url)) as session:
            for _ in range(2):
                with pytest.raises(TargetError):
                    session.send("lost")
            session.send("again")
        assert server.asked[2].earlier == ()

    def test_sessions_know_nothing_of_each_other(self, serve_openai: ServeOpenAI) -> None:
        target = model(serve_openai(echo).base_url)
        with opened(target) as one, opened(target) as other:
            one.send("first")
            assert other.send("second") == "second"

    def test_a_system_message_holds_for_the_conversations_that_follow(
        self, serve_openai: ServeOpenAI
    ) -> None:
        with opened(model(serve_openai(echo).base_url, system_prompt="own")) as session:
            assert session.instruct("other")
            assert session.send("a") == "other | a"
            assert session.instruct(None)
            assert session.send("b") == "other | a | other | a | b"
            session.reset()
            assert session.send("c") == "own | c"

    def test_an_empty_system_message_is_none_at_all(self, serve_openai: ServeOpenAI) -> None:
        with opened(model(serve_openai(echo).base_url, system_prompt="own")) as session:
            session.instruct("")
            assert session.send("a") == "a"

    def test_parameters_of_the_request_are_sent(self, serve_openai: ServeOpenAI) -> None:
        server = serve_openai(["hi"])
        params = {"temperature": "0.5", "extra_body": {"max_tokens": 9, "stop": ["\n"]}}
        answer_of(model(server.base_url, **params))
        assert {name: server.asked[0].body[name] for name in ("temperature", "max_tokens", "stop")} == {
            "temperature": 0.5,
            "max_tokens": 9,
            "stop": ["\n"],
        }


@given(text=st.text(st.characters(codec=None), min_size=1))
def test_any_text_arrives_as_it_was_sent(text: str, echo_server: OpenAIServer) -> None:
    with opened(model(echo_server.base_url)) as session:
        try:
            session.send(text)
        except TargetProtocolError:
            assert not text.strip()  # a blank text is echoed as a blank answer
    assert echo_server.asked[-1].text == text


@pytest.fixture(scope="module")
def echo_server() -> Any:
    with OpenAIServer(lambda asked: asked.text) as server:
        yield server


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/api", "/api/chat/completions"),
    ],
)
def test_the_address_may_be_written_in_several_ways(base: str, path: str, servers: ExitStack) -> None:
    server = servers.enter_context(RouteServer({"*": json_reply(completion(content="hi"))}))
    assert answer_of(model(server.url + base)) == "hi"
    assert server.requests[0].path == path


def completion(**message: Any) -> dict[str, Any]:
    finish = message.pop("finish", "stop")
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": finish}]}


class TestReplies:
    @pytest.mark.parametrize(
        ("message", "text"),
        [
            ({"content": "hi"}, "hi"),
            ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}, "ab"),
            ({"content": None, "refusal": "I will not."}, "I will not."),
            ({"content": " ", "refusal": "No."}, "No."),
            ({"content": [{"type": "refusal", "refusal": "I will not."}]}, "I will not."),
            ({"content": [{"type": "refusal", "refusal": "No."}, {"type": "text", "text": "Yes."}]}, "Yes."),
            ({"content": "hi", "tool_calls": [{"id": "1"}], "finish": "tool_calls"}, "hi"),
        ],
    )
    def test_what_the_model_says_is_the_reply(
        self, message: dict[str, Any], text: str, serve_openai: ServeOpenAI
    ) -> None:
        assert answer_of(model(serve_openai([json_reply(completion(**message))]).base_url)) == text

    @pytest.mark.parametrize(
        ("document", "why"),
        [
            (completion(content=""), "empty response: the message holds no text"),
            (completion(content=None), "empty response: the message holds no text"),
            (completion(content=7), "empty response: the message holds no text"),
            (completion(content=[{"text": 7}, 7]), "empty response"),
            (completion(content="half", finish="content_filter"), "was cut off by a content filter"),
            (completion(content=None, tool_calls=[{}]), "empty response: the model calls a tool"),
            (completion(content="", finish="content_filter"), "empty response: the content filter"),
            (completion(content="", finish="length"), "empty response: the token limit"),
            (completion(content="", finish=["odd"]), "empty response: the message holds no text"),
            ({"error": {"message": "model is loading"}}, "reports an error: model is loading"),
            ({"choices": []}, "unexpected answer"),
            ({"choices": ["hi"]}, "unexpected answer"),
            ({"choices": [{"text": "old"}]}, "unexpected answer"),
            ([], "unexpected answer"),
            (None, "unexpected answer"),
        ],
    )
    def test_no_text_is_an_error_with_its_reason(
        self, document: Any, why: str, serve_openai: ServeOpenAI
    ) -> None:
        failed = error_of(model(serve_openai([json_reply(document)]).base_url))
        assert isinstance(failed, TargetProtocolError)
        assert why in failed.message
        assert not failed.transient

    @pytest.mark.parametrize(
        ("reply", "why"),
        [
            (NOT_JSON, "not JSON"),
            (Reply(status=202), "not JSON: it is empty (HTTP 202)"),
            (Reply(b"[" * 200_000), "unexpected answer (RecursionError"),
        ],
    )
    def test_an_answer_that_is_not_json_is_quoted(
        self, reply: Reply, why: str, serve_openai: ServeOpenAI
    ) -> None:
        failed = error_of(model(serve_openai([reply]).base_url))
        assert isinstance(failed, TargetProtocolError)
        assert why in failed.message


class TestFailures:
    @pytest.mark.parametrize(
        ("status", "transient"), [(400, False), (401, False), (404, False), (429, True), (503, True)]
    )
    def test_the_servers_words_are_given(
        self, status: int, transient: bool, serve_openai: ServeOpenAI
    ) -> None:
        server = serve_openai([error(status, "no luck today", retry_after="7")])
        failed = error_of(model(server.base_url))
        assert isinstance(failed, TargetRejected)
        assert (failed.status, failed.transient, failed.retry_after) == (status, transient, 7.0)
        assert failed.message.startswith(f"{server.base_url}/chat/completions: HTTP {status} ")
        assert failed.message.endswith(": no luck today.")
        assert len(server.asked) == 1

    def test_words_that_are_no_json_are_given_too(self, serve_openai: ServeOpenAI) -> None:
        failed = error_of(model(serve_openai([Reply(b"\x1b[31mbusy", status=502)]).base_url))
        assert "HTTP 502 Bad Gateway: \\x1b[31mbusy" in failed.message

    def test_silence_is_a_timeout(self, serve_openai: ServeOpenAI) -> None:
        url = serve_openai([HANG]).base_url
        for failed in (error_of(model(url, timeout=0.2)), error_of(model(url, {"timeout": 0.2}, timeout=60))):
            assert isinstance(failed, TargetTimeout)
            assert "timed out after 0.2 s" in failed.message

    def test_a_connection_that_breaks_is_unavailable_and_nothing_is_sent_twice(
        self, serve_openai: ServeOpenAI
    ) -> None:
        server = serve_openai([DROP])
        failed = error_of(model(server.base_url))
        assert isinstance(failed, TargetUnavailable)
        assert failed.transient
        assert len(server.asked) == 1

    def test_nobody_listening_is_found_by_the_probe(self, closed_port: int) -> None:
        with pytest.raises(TargetUnavailable, match="Connection refused"):
            model(f"http://127.0.0.1:{closed_port}").probe()

    def test_the_probe_sends_nothing(self, serve_openai: ServeOpenAI) -> None:
        server = serve_openai(["hi"])
        model(server.base_url).probe()
        assert server.requests == []


class TestKeys:
    def test_the_key_of_the_environment_is_sent(self, serve_openai: ServeOpenAI) -> None:
        server = serve_openai(["hi"], key=KEY)
        target = model(server.base_url, api_key_env="BOT_KEY")
        assert answer_of(target) == "hi"
        assert KEY in target.secrets

    def test_the_key_may_stand_in_the_env_file(self, serve_openai: ServeOpenAI, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("FILED_KEY=sk-filed-0001\n")
        server = serve_openai(["hi"], key="sk-filed-0001")
        assert answer_of(model(server.base_url, {"project": tmp_path}, api_key_env="FILED_KEY")) == "hi"

    def test_without_a_name_no_key_is_sent(
        self, serve_openai: ServeOpenAI, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        server = serve_openai(["hi"])
        answer_of(model(server.base_url))
        assert "Authorization" not in server.requests[0].headers

    def test_a_key_that_the_server_repeats_is_blanked(self, serve_openai: ServeOpenAI) -> None:
        server = serve_openai([error(401, "Incorrect API key provided: {key}.")])
        failed = error_of(model(server.base_url, api_key_env="BOT_KEY"))
        assert "Incorrect API key provided: [secret]" in failed.message
        assert KEY not in repr(failed)

    def test_it_is_not_sent_where_a_redirect_leads(
        self, serve_openai: ServeOpenAI, servers: ExitStack
    ) -> None:
        elsewhere = servers.enter_context(RouteServer({"*": json_reply(completion(content="gotcha"))}))
        moved = Reply(status=307, headers={"Location": f"{elsewhere.url}/v1/chat/completions?k=1"})
        failed = error_of(model(serve_openai([moved]).base_url, api_key_env="BOT_KEY"))
        assert isinstance(failed, TargetRejected)
        assert failed.message.endswith(f"this one leads to {elsewhere.url}/v1/chat/completions.")
        assert elsewhere.requests == []

    def test_a_variable_that_is_not_set_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        params = {"base_url": "http://a.example", "model": "m", "api_key_env": "NO_SUCH_KEY"}
        assert problems_of(params) == [
            "the environment variable NO_SUCH_KEY, which the connector parameter api_key_env names, is not "
            "set. Set it in the environment or in .env beside run.yml."
        ]

    @pytest.mark.parametrize("name", ["api_key_env", "api_key"])
    def test_a_key_that_is_pasted_is_not_echoed(self, name: str) -> None:
        found = problems_of({"base_url": "http://a.example", "model": "m", name: KEY})
        assert len(found) == 1
        assert "api_key_env" in found[0]
        assert KEY not in found[0]

    def test_a_key_that_no_header_can_carry_is_a_problem(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_KEY", "sk-one\r\nHost: b.example")
        found = problems_of({"base_url": "http://a.example", "model": "m", "api_key_env": "BOT_KEY"})
        assert found == ["the environment variable BOT_KEY holds a key that no header can carry."]

    def test_safe_sends_no_key_to_a_server_of_the_workspace(self) -> None:
        params = {"base_url": "https://a.example", "model": "m", "api_key_env": "BOT_KEY"}
        assert "--safe sends no key" in problems_of(params, confined=True)[0]
        model("https://a.example", {"confined": True})
        model("http://127.0.0.1:1", {"confined": True}, api_key_env="BOT_KEY")


class TestParameters:
    def test_all_problems_are_found_at_once(self) -> None:
        found = problems_of(
            {
                "base_url": "ftp://a.example",
                "modell": "m",
                "temperature": "hot",
                "extra_body": {"messages": [], "stream": True, "model": "n", "n": float("inf")},
                "timeout": -1,
                "verify": "maybe",
                "api_key_env": "NO_SUCH_KEY",
            }
        )
        assert len(found) == 10
        assert any("Did you mean 'model'?" in problem for problem in found)

    @pytest.mark.parametrize("value", ["a=1", ["a"], 3])
    def test_an_extra_body_is_a_mapping(self, value: Any) -> None:
        found = problems_of({"base_url": "http://a.example", "model": "m", "extra_body": value})
        assert "should be a mapping" in found[0]

    def test_a_login_in_the_address_is_refused_and_not_shown(self) -> None:
        found = problems_of({"base_url": "http://me:hunter22@a.example", "model": "m"})
        assert "holds a user or password" in found[0]
        assert "hunter22" not in found[0]

    @pytest.mark.parametrize("end", ["?api-version=2", "#chat", "/v1/chat/completions?key=sk-1"])
    def test_nothing_stands_behind_the_path_of_the_address(self, end: str) -> None:
        found = problems_of({"base_url": f"http://a.example{end}", "model": "m"})
        assert found == [
            "the connector parameter 'base_url' should end with the path of the API: no ? and no # in it."
        ]

    @pytest.mark.parametrize("params", [{"base_url": ""}, {"model": ""}, {"api_key_env": ""}])
    def test_what_is_empty_is_one_problem(self, params: dict[str, str]) -> None:
        assert len(problems_of({"base_url": "http://a.example", "model": "m", **params})) == 1

    def test_verify_false_is_warned_about(self) -> None:
        assert model("https://a.example", verify=False).warnings == (UNVERIFIED,)
        assert model("https://a.example").warnings == ()

    def test_it_says_what_it_is(self) -> None:
        target = model("https://a.example/v1")
        assert target.describe() == "openai: tiny at https://a.example/v1"


def test_the_library_of_connectors_is_not_needed() -> None:
    code = """
import sys
from sensei_kumite.targets import TargetSettings, build_target
build_target("openai", TargetSettings({"base_url": "http://127.0.0.1:1", "model": "m"}))
build_target("http", TargetSettings({"url": "http://127.0.0.1:1/{{message}}"}))
print(*sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sensei_kumite.targets.openai" in ran.stdout.split()
    assert "chatbot_connectors" not in ran.stdout.split()


def test_a_campaign_shows_no_key_anywhere(
    serve_openai: ServeOpenAI, workspace: Callable[..., ProjectFolder]
) -> None:
    server = serve_openai(lambda asked: f"Your key is {asked.key}.", key=KEY)
    project = workspace(
        {
            "run.yml": f"""
                technology: openai
                connector_params: "base_url={server.base_url},model=tiny,api_key_env=BOT_KEY"
            """,
            "security/security.yml": """
                execution: {attempts: 2}
                reports: [html, csv, jsonl, markdown]
                attacks: [{name: amnesia}]
            """,
        }
    )
    ran = project.run("--verbose", env=dict(os.environ)).succeeded()
    assert "Your key is [secret]." in str(project.results()[0])
    written = [
        path.read_text(encoding="utf-8") for path in project.path.rglob("output/**/*") if path.is_file()
    ]
    assert len(written) >= 6
    assert not [text for text in (ran.out, ran.err, *written) if KEY in text]


def test_every_problem_stands_at_its_parameter(workspace: Callable[..., ProjectFolder]) -> None:
    project = workspace(
        {
            "run.yml": """
                technology: openai
                connector_params:
                  base_url: http://127.0.0.1:1?x
                  model: tiny
                  temprature: 1
                  api_key_env: NO_SUCH_KEY
                  extra_body:
                    stream: true
                  timeout: soon
            """,
            "security/security.yml": "attacks: [{name: amnesia}]",
        }
    )
    ran = project.run("--validate-only").failed()
    for place in (
        "run.yml:4:3: the connector parameter 'base_url' should end",
        "run.yml:6:3: unknown connector parameter 'temprature'",
        "run.yml:7:3: the environment variable NO_SUCH_KEY",
        "run.yml:8:3: the connector parameter 'extra_body' must not hold 'stream'",
        "run.yml:10:3: the connector parameter 'timeout' should be a number",
    ):
        assert place in ran.err


def test_parameters_in_one_text_have_one_place(workspace: Callable[..., ProjectFolder]) -> None:
    project = workspace(
        {
            "run.yml": "technology: openai\nconnector_params: 'base_url=http://a.example,timeout=soon'\n",
            "security/security.yml": "attacks: [{name: amnesia}]",
        }
    )
    ran = project.run("--validate-only").failed()
    assert "run.yml:2:19: the connector parameter 'model' is missing" in ran.err
    assert "run.yml:2:19: the connector parameter 'timeout' should be a number" in ran.err


def test_the_example_in_the_comment_of_a_run_file_can_be_used(
    serve_openai: ServeOpenAI, workspace: Callable[..., ProjectFolder]
) -> None:
    example = Path(__file__).parent.parent.parent / "examples" / "openai-compatible" / "run.yml"
    lines = re.findall(r"^#   (.+)$", example.read_text(encoding="utf-8"), re.MULTILINE)
    run_file = "\n".join(lines).replace("http://127.0.0.1:11434/v1", serve_openai(["hi"]).base_url)
    project = workspace({"run.yml": run_file, "security/security.yml": "attacks: [{name: amnesia}]"})
    project.run().succeeded()
    assert "error" not in project.statuses().values()

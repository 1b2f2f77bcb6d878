"""The real chatbot-connectors against local chatbots: conversations, odd answers, failures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sensei_kumite.errors import (
    TargetError,
    TargetProtocolError,
    TargetRejected,
    TargetTimeout,
    TargetUnavailable,
)
from sensei_kumite.targets import TargetSettings, build_target
from sensei_kumite.targets.base import Session, Target
from tests.servers.rasa import RasaServer
from tests.servers.replies import DROP, HANG, NOT_JSON, Message, Reply, Script, failure, json_reply
from tests.servers.taskyto import TaskytoServer

ServeRasa = Callable[[Script], RasaServer]
ServeTaskyto = Callable[..., TaskytoServer]


def rasa(server: RasaServer, **details: Any) -> Target:
    return build_target("rasa", TargetSettings({"base_url": server.url}, **details))


def taskyto(server: TaskytoServer) -> Target:
    return build_target("taskyto", TargetSettings({"base_url": "http://127.0.0.1", "port": server.port}))


@contextmanager
def opened(target: Target) -> Iterator[Session]:
    session = target.open()
    try:
        yield session
    finally:
        session.close()


def answer_of(target: Target, text: str = "hello") -> str:
    with opened(target) as session:
        return session.send(text)


def error_of(target: Target) -> TargetError:
    with pytest.raises(TargetError) as caught:
        answer_of(target)
    return caught.value


def count_and_echo(message: Message) -> str:
    return f"{len(message.earlier) + 1}: {message.text}"


def test_an_answer_is_the_text_of_the_message(serve_rasa: ServeRasa) -> None:
    assert answer_of(rasa(serve_rasa(["Which pizza?"]))) == "Which pizza?"


def test_several_messages_are_one_answer(serve_rasa: ServeRasa) -> None:
    reply = json_reply([{"text": "Hi!"}, {"image": "https://a.example/cat.png"}, {"text": "Which pizza?"}])
    assert answer_of(rasa(serve_rasa([reply]))) == "Hi!\nWhich pizza?"


def test_buttons_are_part_of_the_answer(serve_rasa: ServeRasa) -> None:
    reply = json_reply([{"text": "Sure?", "buttons": [{"title": "Yes"}, {"title": "No"}]}])
    assert answer_of(rasa(serve_rasa([reply]))) == "Sure?\nOptions: Yes, No"


def test_a_megabyte_is_an_answer(serve_rasa: ServeRasa) -> None:
    text = "ñ" * 2**19
    assert answer_of(rasa(serve_rasa([text]))) == text


def test_hostile_text_arrives_as_it_was_sent(serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: message.text)
    text = "[red]{{x}} ${HOME} \x1b[31m \u202e \"quoted\" 'and' \\ñ 漢 \U0001f600"
    assert answer_of(rasa(server), text) == text


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(json_reply([]), id="no message"),
        pytest.param(json_reply([{"image": "https://a.example/cat.png"}]), id="image only"),
        pytest.param(json_reply([{"text": " \n\t "}]), id="blank"),
        pytest.param(json_reply([{"text": None}, 7, "loose"]), id="no text in the list"),
        pytest.param(json_reply({"status": "ok"}), id="another shape"),
        pytest.param(json_reply(None), id="null"),
    ],
)
def test_an_answer_without_text_is_an_empty_response(serve_rasa: ServeRasa, reply: Reply) -> None:
    error = error_of(rasa(serve_rasa([reply])))
    assert isinstance(error, TargetProtocolError)
    assert error.message.startswith("empty response")
    assert not error.transient


def test_an_answer_that_is_not_text_is_an_empty_response(serve_taskyto: ServeTaskyto) -> None:
    error = error_of(taskyto(serve_taskyto([json_reply({"message": {"text": "hidden"}})])))
    assert isinstance(error, TargetProtocolError)
    assert error.message.startswith("empty response")


def test_an_answer_that_is_not_json_is_quoted(serve_rasa: ServeRasa) -> None:
    error = error_of(rasa(serve_rasa([NOT_JSON])))
    assert isinstance(error, TargetProtocolError)
    assert "Chatbot request failed for RasaChatbot" in error.message
    assert "not JSON" in error.message
    assert "It works!" in error.message
    assert not error.transient


def test_json_of_a_shape_the_connector_does_not_know_is_an_unexpected_answer(serve_rasa: ServeRasa) -> None:
    error = error_of(rasa(serve_rasa([json_reply("just a text")])))
    assert isinstance(error, TargetProtocolError)
    assert "unexpected answer (AttributeError" in error.message


def test_json_nested_beyond_reading_is_an_unexpected_answer(serve_rasa: ServeRasa) -> None:
    reply = Reply(b"[" * 200_000, headers={"Content-Type": "application/json"})
    assert isinstance(error_of(rasa(serve_rasa([reply]))), TargetProtocolError)


@pytest.mark.parametrize(
    ("status", "transient"),
    [
        *((status, False) for status in (400, 401, 403, 404, 422)),
        *((status, True) for status in (408, 425, 429, 500, 502, 503)),
    ],
)
def test_an_error_status_is_a_rejection(serve_rasa: ServeRasa, status: int, transient: bool) -> None:
    error = error_of(rasa(serve_rasa([failure(status, detail="the kitchen is closed")])))
    assert isinstance(error, TargetRejected)
    assert (error.status, error.transient, error.retry_after) == (status, transient, None)
    assert "Chatbot request failed for RasaChatbot" in error.message
    assert f"HTTP {status}" in error.message
    assert "the kitchen is closed" in error.message


def test_the_target_may_ask_for_patience(serve_rasa: ServeRasa) -> None:
    error = error_of(rasa(serve_rasa([failure(429, retry_after="7")])))
    assert error.retry_after == 7.0


def test_patience_may_be_a_date(serve_rasa: ServeRasa) -> None:
    error = error_of(rasa(serve_rasa([failure(503, retry_after="Fri, 31 Dec 2999 23:59:59 GMT")])))
    assert error.retry_after is not None
    assert error.retry_after > 1e9


def test_an_answer_that_does_not_come_is_a_timeout(serve_rasa: ServeRasa) -> None:
    error = error_of(rasa(serve_rasa([HANG]), timeout=0.2))
    assert isinstance(error, TargetTimeout)
    assert error.transient
    assert "timed out after 0.2 s" in error.message


def test_an_answer_that_stops_half_way_is_a_timeout(serve_rasa: ServeRasa) -> None:
    half = Reply(b'[{"text": "I will never"}]', stalls=True)
    error = error_of(rasa(serve_rasa([half]), timeout=0.2))
    assert isinstance(error, TargetTimeout)
    assert "timed out after 0.2 s" in error.message


def test_the_timeout_of_a_connector_holds_where_the_campaign_sets_none(serve_rasa: ServeRasa) -> None:
    server = serve_rasa([HANG])
    target = build_target("rasa", TargetSettings({"base_url": server.url, "timeout": "0.2"}))
    assert "timed out after 0.2 s" in error_of(target).message


def test_a_connection_that_breaks_is_unavailable(serve_rasa: ServeRasa) -> None:
    server = serve_rasa([DROP])
    error = error_of(rasa(server))
    assert isinstance(error, TargetUnavailable)
    assert error.transient
    assert len(server.received) == 1


def test_nobody_listening_is_unavailable(closed_port: int) -> None:
    target = build_target("rasa", TargetSettings({"base_url": f"http://127.0.0.1:{closed_port}"}))
    error = error_of(target)
    assert isinstance(error, TargetUnavailable)
    assert error.transient
    assert f"http://127.0.0.1:{closed_port}/webhooks/rest/webhook" in error.message
    assert "Connection refused" in error.message


def test_a_name_that_does_not_resolve_is_unavailable() -> None:
    error = error_of(build_target("rasa", TargetSettings({"base_url": "http://nobody.invalid"})))
    assert isinstance(error, TargetUnavailable)
    assert error.transient


@pytest.mark.parametrize("reply", [failure(500), failure(429, retry_after="1"), DROP])
def test_a_failing_message_is_sent_once(serve_rasa: ServeRasa, reply: Reply) -> None:
    server = serve_rasa([reply])
    error_of(rasa(server))
    assert len(server.requests) == 1


def test_a_session_goes_on_after_a_failure(serve_rasa: ServeRasa) -> None:
    with opened(rasa(serve_rasa([failure(500), DROP, "here again"]))) as session:
        for _ in range(2):
            with pytest.raises(TargetError):
                session.send("hello")
        assert session.send("hello") == "here again"


def test_failures_leave_no_traceback_on_the_terminal(closed_port: int) -> None:
    code = f"""
from sensei_kumite.errors import TargetError
from sensei_kumite.targets import TargetSettings, build_target

try:
    build_target("rasa", TargetSettings({{"base_url": "http://127.0.0.1:{closed_port}"}})).open().send("hello")
except TargetError as error:
    print(error.transient)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("True\n", "")


def test_a_conversation_is_remembered_until_it_is_reset(serve_rasa: ServeRasa) -> None:
    with opened(rasa(serve_rasa(count_and_echo))) as session:
        assert [session.send("one"), session.send("two")] == ["1: one", "2: two"]
        assert session.reset()
        assert session.send("three") == "1: three"


def test_an_opened_conversation_is_remembered_until_it_is_reset(serve_taskyto: ServeTaskyto) -> None:
    server = serve_taskyto(count_and_echo)
    with opened(taskyto(server)) as session:
        assert session.reset()
        assert [session.send("one"), session.send("two")] == ["1: one", "2: two"]
        assert session.reset()
        assert session.send("three") == "1: three"
    assert len(server.conversations) == 2


@pytest.mark.parametrize("technology", ["rasa", "taskyto"])
def test_sessions_do_not_share_a_conversation(
    technology: str, serve_rasa: ServeRasa, serve_taskyto: ServeTaskyto
) -> None:
    target = (
        rasa(serve_rasa(count_and_echo)) if technology == "rasa" else taskyto(serve_taskyto(count_and_echo))
    )
    with opened(target) as first, opened(target) as second:
        assert [first.send("a"), second.send("b"), first.send("c")] == ["1: a", "1: b", "2: c"]


def test_a_sender_that_the_user_names_has_the_first_conversation(serve_rasa: ServeRasa) -> None:
    server = serve_rasa(count_and_echo)
    target = build_target("rasa", TargetSettings({"base_url": server.url, "sender_id": 7}))
    with opened(target) as session:
        session.send("hello")
        assert server.conversations == ["7"]
        session.reset()
        session.send("hello")
        assert len(server.conversations) == 2


def test_a_conversation_that_is_refused_is_an_error(serve_taskyto: ServeTaskyto) -> None:
    server = serve_taskyto(["never said"], opening=failure(503, retry_after="2"))
    with opened(taskyto(server)) as session, pytest.raises(TargetRejected) as caught:
        session.reset()
    assert (caught.value.status, caught.value.transient, caught.value.retry_after) == (503, True, 2.0)
    assert "Failed to create new conversation for ChatbotTaskyto" in caught.value.message


@pytest.mark.parametrize("opening", [json_reply({"room": 3}), json_reply({}), json_reply([1])])
def test_a_conversation_without_an_id_is_an_error(serve_taskyto: ServeTaskyto, opening: Reply) -> None:
    server = serve_taskyto(["never said"], opening=opening)
    assert isinstance(error_of(taskyto(server)), TargetProtocolError)
    assert server.received == []


def test_a_new_conversation_forgets_cookies(serve_rasa: ServeRasa) -> None:
    greeting = json_reply([{"text": "hi"}], headers={"Set-Cookie": "visitor=42"})
    server = serve_rasa([greeting])
    with opened(rasa(server)) as session:
        session.send("one")
        session.send("two")
        session.reset()
        session.send("three")
    assert [request.headers.get("Cookie") for request in server.requests] == [None, "visitor=42", None]

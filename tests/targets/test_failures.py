"""What connectors raise, said as our errors: patience as headers spell it, and no secrets."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from chatbot_connectors import ConnectorConfigurationError, ConnectorConnectionError
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import TargetError, TargetProtocolError, TargetRejected, TargetUnavailable
from sensei_kumite.targets import TargetSettings, build_target
from sensei_kumite.targets.failures import parse_retry_after, target_error, without_secrets
from sensei_kumite.targets.transport import Transport
from tests.servers.replies import Reply, failure
from tests.servers.routes import RouteServer
from tests.targets.test_connectors import ServeRasa, error_of

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("0", 0.0),
        (" 120 ", 120.0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sunday, 01-Mar-26 12:00:30 GMT", 30.0),
        ("Sun Mar  1 12:00:30 2026", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("Sun, 99 Mar 2026 12:00:00 GMT", None),
    ],
)
def test_patience_is_read_in_every_spelling_of_the_standard(
    header: str | None, seconds: float | None
) -> None:
    assert parse_retry_after(header, NOW) == seconds


@given(st.integers(0, 10**6))
def test_a_date_means_the_seconds_until_then(seconds: int) -> None:
    assert parse_retry_after(format_datetime(NOW + timedelta(seconds=seconds), usegmt=True), NOW) == seconds


@given(st.text() | st.from_regex(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \w{3}"))
def test_no_header_breaks_the_reading(header: str) -> None:
    seconds = parse_retry_after(header, NOW)
    assert seconds is None or seconds >= 0


def test_not_configured_is_not_worth_a_retry() -> None:
    with Transport() as transport:
        error = target_error(ConnectorConfigurationError("no endpoint for messages"), transport)
    assert isinstance(error, TargetRejected)
    assert (error.message, error.transient) == ("no endpoint for messages.", False)


def test_the_reason_under_the_connectors_words_is_found() -> None:
    inner = ConnectionResetError(104, "Connection reset by peer")
    with Transport() as transport:
        error = target_error(ConnectorConnectionError("the bot is gone", original_error=inner), transport)
    assert isinstance(error, TargetUnavailable)
    assert error.message == "the bot is gone: Connection reset by peer."


def test_a_connector_that_gives_no_reason_is_quoted() -> None:
    with Transport() as transport:
        error = target_error(ConnectorConnectionError("session not initialized"), transport)
    assert isinstance(error, TargetProtocolError)
    assert error.message == "session not initialized."


def test_what_the_target_wrote_is_shown_without_control_characters(serve_rasa: ServeRasa) -> None:
    server = serve_rasa([Reply(b"\x1b[31mred\x07" + b"x" * 5000, status=500)])
    error = error_of(build_target("rasa", TargetSettings({"base_url": server.url})))
    assert "\\x1b[31mred\\x07" in error.message
    assert len(error.message) < 500


def test_an_error_that_was_being_handled_is_not_taken_for_the_reason(closed_port: int) -> None:
    target = build_target("rasa", TargetSettings({"base_url": f"http://127.0.0.1:{closed_port}"}))
    try:
        raise TimeoutError
    except TimeoutError:
        assert isinstance(error_of(target), TargetUnavailable)


def test_an_address_that_is_none_does_not_break_the_message() -> None:
    assert without_secrets(TargetError("see http://[oops?k=1 and http://[::1]:5/?k=1"), []).message == (
        "see http://[oops and http://[::1]:5/"
    )


def test_addresses_are_shown_without_user_and_query() -> None:
    error = TargetError(
        "calling https://me:pw@a.example/bot?token=s3cret failed, see (http://b.example/?k=1)"
    )
    assert without_secrets(error, []).message == (
        "calling https://a.example/bot failed, see (http://b.example/)"
    )


def test_a_key_that_cannot_be_sent_is_not_shown(closed_port: int) -> None:
    params = {"base_url": f"http://127.0.0.1:{closed_port}", "api_key": "sk-live-123\n456"}
    error = error_of(build_target("langgraph", TargetSettings(params)))
    assert isinstance(error, TargetRejected)
    assert not error.transient
    assert "sk-live" not in str(error)
    assert "sk-live" not in repr(error)


def test_a_key_that_the_target_echoes_is_not_shown(servers: ExitStack) -> None:
    echo = failure(401, detail="Bearer sk-live-123 is not a key of mine")
    server = servers.enter_context(RouteServer({"/conversations": echo}))
    params = {"base_url": server.url, "api_key": "sk-live-123"}
    error = error_of(build_target("cli_agent_gateway", TargetSettings(params)))
    assert server.requests[0].headers["Authorization"] == "Bearer sk-live-123"
    assert "Bearer [secret] is not a key of mine" in error.message

"""What code in the same process raises: HTTP statuses, lost connections, mistakes, and whose line it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests

from sensei_kumite.errors import (
    TargetError,
    TargetProtocolError,
    TargetRejected,
    TargetUnavailable,
)
from sensei_kumite.targets.python_failures import target_error

HERE = Path(__file__)


def told(raising: Callable[[], object], *secrets: str) -> TargetError:
    with pytest.raises(Exception) as caught:  # whatever it is
        raising()
    return target_error(caught.value, HERE, secrets)


def raises(error: Exception, cause: Exception | None = None) -> Callable[[], object]:
    def raising() -> None:
        raise error from cause

    return raising


class StatusError(Exception):
    """As clients of language models raise it."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__("the server said no")
        self.status_code = status
        self.response = SimpleNamespace(headers=headers)


def test_ours_stay_what_they_are() -> None:
    error = TargetRejected("no", status=402)
    assert told(raises(error)) is error


@pytest.mark.parametrize(("status", "transient"), [(400, False), (401, False), (429, True), (503, True)])
def test_a_status_is_known_by_its_attribute(status: int, transient: bool) -> None:
    found = told(raises(StatusError(status)))
    assert isinstance(found, TargetRejected)
    assert (found.status, found.transient, found.retry_after) == (status, transient, None)
    assert "the server said no" in str(found)


def test_a_server_says_when_to_come_back() -> None:
    error = StatusError(429)
    error.response.headers["Retry-After"] = "7"
    assert told(raises(error)).retry_after == 7.0


def test_requests_is_understood(closed_port: int) -> None:
    found = told(lambda: requests.get(f"http://127.0.0.1:{closed_port}", timeout=5))
    assert isinstance(found, TargetUnavailable)
    assert "Connection refused" in str(found)


def test_a_timeout_is_known_below_other_errors() -> None:
    found = told(raises(RuntimeError("the model failed"), TimeoutError()))
    assert isinstance(found, TargetUnavailable)
    assert str(found).endswith(": RuntimeError: the model failed: TimeoutError.")


def test_a_client_that_waits_no_longer_is_no_timeout_of_ours() -> None:
    found = told(raises(requests.ReadTimeout("read timed out")))
    assert isinstance(found, TargetUnavailable)
    assert found.transient
    assert "timed out" in str(found)


def test_a_lost_connection_is_known_below_other_errors() -> None:
    error = RuntimeError("the model failed")
    error.__cause__ = ValueError("in between")
    error.__cause__.__cause__ = ConnectionResetError(104, "Connection reset by peer")
    found = told(raises(error, error.__cause__))
    assert isinstance(found, TargetUnavailable)
    assert "Connection reset by peer" in str(found)


def test_causes_that_lead_to_themselves_end() -> None:
    error = ValueError("round")
    assert type(told(raises(error, error))) is TargetProtocolError


def test_a_file_that_is_missing_is_a_mistake() -> None:
    found = told(lambda: Path("/not/there").read_text())
    assert type(found) is TargetProtocolError
    assert "FileNotFoundError" in str(found)


def test_the_line_is_the_last_one_of_the_file() -> None:
    found = told(lambda: int("x"))
    line = next(number for number, text in enumerate(HERE.read_text().splitlines(), 1) if 'int("x")' in text)
    assert f"test_python_failures.py:{line}: ValueError: invalid literal" in str(found)


def test_secrets_and_addresses_are_blanked() -> None:
    message = "key sk-1234 at https://user:pw@bot.example/chat?token=t1"
    found = str(told(raises(ValueError(message)), "sk-1234"))
    assert "ValueError: key [secret] at https://bot.example/chat" in found
    assert not {"user", "pw", "t1"} & set(found.replace("/", " ").replace("@", " ").split())


def test_what_it_says_is_shortened_and_shown_safely() -> None:
    found = str(told(raises(ValueError("\x1b[31m" + "x" * 5000))))
    assert "\x1b" not in found
    assert len(found) < 500

"""Errors as the libraries of other providers raise them; those of OpenAI's are in test_client."""

from types import SimpleNamespace
from typing import Any

import pytest

from sensei_kumite.errors import BudgetReached, ModelError
from sensei_kumite.llm.failures import Failures
from sensei_kumite.llm.requests import ModelSettings, Role

KEY = "sk-0123456789abcdef"
FAILURES = Failures(ModelSettings(Role.JUDGE, "house", "mistralai", api_key_env="MY_KEY"), 60.0, (KEY,))


class SdkError(Exception):
    """Carries what it is given."""

    def __init__(self, text: str = "", **facts: Any) -> None:
        super().__init__(text)
        self.__dict__ |= facts


class ReadTimeout(SdkError):
    pass


class ConnectError(SdkError):
    pass


def told(error: Exception) -> ModelError:
    with pytest.raises(ModelError) as caught, FAILURES.explained():
        raise error
    return caught.value


@pytest.mark.parametrize(
    "error",
    [
        SdkError("slow down", status_code=429),
        SdkError("slow down", code=429),
        SdkError("slow down", response=SimpleNamespace(status_code=429)),
        SdkError("slow down", response={"ResponseMetadata": {"HTTPStatusCode": 429}}),
    ],
)
def test_a_status_is_found_wherever_it_is_kept(error: Exception) -> None:
    found = told(error)
    assert (found.status, found.transient) == (429, True)
    assert "judge model house (mistralai)" in found.message
    assert "HTTP 429, slow down." in found.message


@pytest.mark.parametrize(
    ("status", "transient", "words"),
    [
        (400, False, "rejected the request"),
        (401, False, "refused the API key: HTTP 401, no. Check MY_KEY."),
        (403, False, "--offline"),
        (404, False, "is not known there: HTTP 404, no. Check model, provider and base_url under judge."),
        (408, True, "HTTP 408"),
        (422, False, "rejected the request"),
        (500, True, "failed: HTTP 500, no."),
        (529, True, "failed"),
    ],
)
def test_a_status_says_what_to_do(status: int, words: str, *, transient: bool) -> None:
    found = told(SdkError("no", status_code=status))
    assert words in str(found)
    assert (found.status, found.transient) == (status, transient)


@pytest.mark.parametrize("code", [200, "model_not_found", None, True])
def test_other_codes_are_no_status(code: Any) -> None:
    found = told(SdkError("no", code=code))
    assert (found.status, found.message) == (None, "The judge model house (mistralai) failed: no.")


@pytest.mark.parametrize(
    "body", [{"message": "no credit"}, {"error": {"message": "no credit"}}, {"error": "no credit"}]
)
def test_the_provider_is_quoted_without_the_wrapping(body: Any) -> None:
    assert told(SdkError("Error 402 - {...}", status_code=402, body=body)).message.endswith(
        "HTTP 402, no credit."
    )


def test_a_quotation_is_short_and_on_one_line() -> None:
    message = told(SdkError("a\n\x1b[31mb" + "c" * 10_000, status_code=500)).message
    assert "a \\x1b[31mb" in message
    assert len(message) < 500


def test_half_a_key_is_a_secret_too() -> None:
    message = told(SdkError("x" * 290 + KEY, status_code=500)).message
    assert KEY[:6] not in message


@pytest.mark.parametrize("error", [TimeoutError("slow"), ReadTimeout()])
def test_timeouts_say_how_long(error: Exception) -> None:
    found = told(error)
    assert found.message.endswith("did not answer within 60 s.")
    assert found.transient


def test_the_reason_of_a_lost_connection_is_the_one_at_the_bottom() -> None:
    try:
        raise ConnectionRefusedError(111, "Connection refused")
    except ConnectionRefusedError as refused:
        found = told(_caused(ConnectError("All connection attempts failed"), refused))
    assert found.message.endswith("cannot be reached: Connection refused.")
    assert found.transient


@pytest.mark.parametrize("error", [ConnectionResetError(104, "Connection reset by peer"), ConnectError("x")])
def test_connections_are_recognised_by_class_and_name(error: Exception) -> None:
    assert "cannot be reached" in told(error).message


@pytest.mark.parametrize("error", [KeyError("choices"), TypeError("null"), ValueError("no JSON")])
def test_what_the_library_cannot_read_is_no_answer(error: Exception) -> None:
    assert "gave an answer that is none: " in told(error).message


def test_what_came_instead_of_an_answer_is_quoted() -> None:
    error = TypeError("'NoneType' object is not iterable")
    error.response = SimpleNamespace(text='{"detail": "warming up"}')  # type: ignore[attr-defined]
    assert told(error).message.endswith('gave an answer that is none: {"detail": "warming up"}.')


def test_before_a_call_it_is_a_matter_of_set_up() -> None:
    with (
        pytest.raises(ModelError, match="cannot be set up: no such option"),
        FAILURES.explained("cannot be set up"),
    ):
        raise TypeError("no such option")


@pytest.mark.parametrize(
    "error", [BudgetReached("Budget of $1 reached."), AssertionError("a bug"), MemoryError()]
)
def test_what_is_no_failure_of_a_call_goes_on(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, FAILURES.explained():
        raise error
    assert caught.value is error


def test_no_traceback_leads_to_the_original() -> None:
    assert told(SdkError(KEY, status_code=500)).__suppress_context__


def test_an_empty_answer_says_why_the_model_stopped() -> None:
    assert FAILURES.empty("length").message.endswith("answered with an empty message (length).")
    assert FAILURES.empty(None).message.endswith("answered with an empty message.")


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error

"""What goes wrong inside a connector, said as one of our errors: the only place that maps them.

A message holds the connector's own words and the reason underneath. What the target wrote is quoted
as an excerpt, without control characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import requests
from chatbot_connectors import ConnectorConfigurationError, ConnectorError
from requests.exceptions import (
    ChunkedEncodingError,
    ContentDecodingError,
    InvalidJSONError,
    ProxyError,
    SSLError,
)
from urllib3.exceptions import HTTPError as Urllib3Error
from urllib3.exceptions import ReadTimeoutError

from sensei_kumite.errors import (
    TargetError,
    TargetProtocolError,
    TargetRejected,
    TargetTimeout,
    TargetUnavailable,
)
from sensei_kumite.targets.parameters import public_url
from sensei_kumite.targets.transport import AnswerTooLarge, Timeout, Transport
from sensei_kumite.text import excerpt, redact

UNEXPECTED = (AttributeError, TypeError, LookupError, ValueError, RecursionError)
"""What a connector raises when an answer has another shape than it was written for."""

FOREIGN = (ConnectorError, requests.RequestException, Urllib3Error, OSError, *UNEXPECTED)
"""Everything that a connector may raise for a reason outside of it."""

_TRANSIENT_STATUSES = frozenset({408, 425, 429})
_TIMEOUTS = (requests.Timeout, ReadTimeoutError, TimeoutError)
_CONNECTION_LOST = (requests.ConnectionError, ChunkedEncodingError)
_QUOTED_BYTES = 1000
_URL = re.compile(r"\bhttps?://[^\s'\"<>)]+", re.IGNORECASE)
_TLS_HINT = "Set REQUESTS_CA_BUNDLE to the CA bundle to trust, or the connector parameter verify to false."


def target_error(error: BaseException, transport: Transport) -> TargetError:
    """The TargetError that says what `error` means; `transport` carried the request that failed."""
    said = str(error) if isinstance(error, ConnectorError) else _called(error)
    cause = _cause(error)
    if isinstance(cause, ConnectorConfigurationError):
        return TargetRejected(_sentence(said))
    if isinstance(cause, ConnectorError):
        return outcome_error(said, transport)
    return _explain(cause, said, transport.timeout)


def outcome_error(said: str, transport: Transport) -> TargetError:
    """The TargetError for a connector that gave up with the words `said` and hid the reason."""
    outcome = transport.outcome
    if isinstance(outcome, requests.RequestException):
        return _explain(outcome, said, transport.timeout)
    if outcome is not None and outcome.status_code >= 400:
        return rejection(outcome, said)
    return TargetProtocolError(_sentence(said or "the connector gave up without a reason"))


def rejection(response: requests.Response, said: str = "") -> TargetRejected:
    """The error for an HTTP status that means no; transient where the same request may succeed later."""
    status = response.status_code
    body = excerpt(response.content[:_QUOTED_BYTES].decode("utf-8", "replace"), 120)
    reason = excerpt(f"HTTP {status} {response.reason or ''}".strip(), 80)
    return TargetRejected(
        _sentence(said, f"{reason}: {body}" if body else reason),
        status=status,
        transient=status in _TRANSIENT_STATUSES or status >= 500,
        retry_after=parse_retry_after(response.headers.get("Retry-After")),
    )


def without_secrets(error: TargetError, secrets: Iterable[str]) -> TargetError:
    """`error`, its text freed of `secrets` and of user, password and query of every address in it."""
    error.message = _URL.sub(lambda match: public_url(match[0]), redact(error.message, secrets))
    error.args = (error.message,)
    return error


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait that a Retry-After header asks for (RFC 9110, 10.2.3): a number or an HTTP date.

    None where it says nothing one can read; 0 for a date in the past.
    """
    text = (value or "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:20])
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, math.ceil((date - (now or datetime.now(UTC))).total_seconds()))


def _called(error: BaseException) -> str:
    """The address that was called, where a connector lets requests' own exceptions through."""
    request = getattr(error, "request", None)
    return str(getattr(request, "url", None) or "")


def _cause(error: BaseException) -> BaseException:
    """The exception that made a connector raise `error`; a ConnectorError where it names none."""
    while isinstance(error, ConnectorError):
        inner: BaseException | None = getattr(error, "original_error", None) or error.__cause__
        if inner is None:
            break
        error = inner
    return error


def _explain(cause: BaseException, said: str, timeout: Timeout) -> TargetError:
    """Say what `cause`, which is no ConnectorError, means."""
    chain = list(_chain(cause))
    if any(isinstance(link, _TIMEOUTS) for link in chain):
        return TargetTimeout(_sentence(said, _timed_out(timeout, cause)))
    if isinstance(cause, requests.HTTPError) and cause.response is not None:
        return rejection(cause.response, said)
    if isinstance(cause, AnswerTooLarge):
        return TargetProtocolError(_sentence(said, str(cause)))
    if isinstance(cause, InvalidJSONError):
        return TargetProtocolError(_sentence(said, _not_json(cause)))
    if isinstance(cause, UNEXPECTED) and not isinstance(cause, requests.RequestException):
        kind = type(cause).__name__
        return TargetProtocolError(_sentence(said, f"unexpected answer ({kind}: {excerpt(str(cause), 120)})"))
    return _explain_connection(cause, said, _innermost(chain))


def _explain_connection(cause: BaseException, said: str, reason: str) -> TargetError:
    """Say what went wrong between us and the target."""
    if isinstance(cause, SSLError):
        message = _sentence(said, f"the TLS connection failed: {reason}")
        return TargetUnavailable(message, hint=_TLS_HINT, transient=False)
    if isinstance(cause, ProxyError):
        return TargetUnavailable(_sentence(said, f"the proxy failed: {reason}"))
    if isinstance(cause, ContentDecodingError):
        return TargetProtocolError(_sentence(said, f"unexpected answer: {reason}"))
    if isinstance(cause, requests.RequestException) and not isinstance(cause, _CONNECTION_LOST):
        return TargetRejected(_sentence(said, reason))  # an address or a header that nobody can send
    return TargetUnavailable(_sentence(said, reason))


def _timed_out(timeout: Timeout, cause: BaseException) -> str:
    connects = isinstance(cause, requests.ConnectTimeout)
    seconds = timeout[0 if connects else 1] if isinstance(timeout, tuple) else timeout
    limit = f" after {seconds:g} s" if seconds is not None else ""
    return f"timed out{limit}" if not connects else f"timed out{limit} while connecting"


def _not_json(error: InvalidJSONError) -> str:
    document = getattr(error, "doc", "")
    return f"the answer is not JSON: {excerpt(document, 120)!r}" if document else "the answer is not JSON"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """`error` and what is wrapped in it, outermost first: requests and urllib3 wrap in three ways."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        wrapped = [argument for argument in error.args if isinstance(argument, BaseException)]
        reason = getattr(error, "reason", None)
        if isinstance(reason, BaseException):
            wrapped.append(reason)
        error = wrapped[-1] if wrapped else error.__cause__


def _innermost(chain: list[BaseException]) -> str:
    """The reason at the bottom: the operating system's words where there are some."""
    last = chain[-1]
    words = getattr(last, "strerror", None) or str(last) or type(last).__name__
    return excerpt(str(words), 200)


def _sentence(*parts: str) -> str:
    """The parts that say something, joined into one sentence."""
    text = ": ".join(part.strip().rstrip(".") for part in parts if part.strip())
    return f"{text}."

"""What goes wrong on the way to a target and back, said as one of our errors: the one place that maps it.

What the target wrote is quoted as an excerpt, without control characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import IncompleteRead

import requests
from requests import exceptions as wrapped
from urllib3 import exceptions as raw

from sensei_kumite.errors import (
    TargetError,
    TargetProtocolError,
    TargetRejected,
    TargetTimeout,
    TargetUnavailable,
)
from sensei_kumite.targets.transport import AnswerTooLarge, Timeout
from sensei_kumite.text import excerpt, public_url, redact

UNEXPECTED = (AttributeError, TypeError, LookupError, ValueError, RecursionError)
"""What reading an answer raises when it has another shape than was expected."""

_TRANSIENT_STATUSES = frozenset({408, 425, 429})
_TIMEOUTS = (requests.Timeout, raw.TimeoutError, TimeoutError)
_REFUSED = raw.NewConnectionError  # which urllib3 derives from a timeout
_CONNECTING = (requests.ConnectTimeout, raw.ConnectTimeoutError)
_TLS_FAILED = (wrapped.SSLError, raw.SSLError)
_PROXY_FAILED = (wrapped.ProxyError, raw.ProxyError)
_NOT_UNPACKED = (wrapped.ContentDecodingError, raw.DecodeError)
_CONNECTION_LOST = (requests.ConnectionError, wrapped.ChunkedEncodingError)
_QUOTED_BYTES = 1000
_URL = re.compile(r"\bhttps?://[^\s'\"<>)]*[^\s'\"<>).,:;]", re.IGNORECASE)
_ENCODING = re.compile(r"content-encoding: ([\w, -]{1,40}), but", re.IGNORECASE)
_PLAIN = ("wrong version number", "record layer failure")
"""What OpenSSL says of an answer that is not encrypted, depending on its version."""
_TLS_HINT = "Set REQUESTS_CA_BUNDLE to the CA bundle to trust, or the connector parameter verify to false."


def network_error(error: BaseException, said: str, timeout: Timeout) -> TargetError:
    """The TargetError for what requests, urllib3 or reading an answer raised; `said` begins its text.

    `timeout` is what the request was given.
    """
    chain = list(_chain(error))
    if any(isinstance(link, _TIMEOUTS) and not isinstance(link, _REFUSED) for link in chain):
        return TargetTimeout(sentence(said, _timed_out(timeout, error)))
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return rejection(error.response, said)
    if isinstance(error, AnswerTooLarge):
        return TargetProtocolError(sentence(said, str(error)))
    if isinstance(error, wrapped.InvalidJSONError):
        return TargetProtocolError(sentence(said, _not_json(error)))
    if isinstance(error, UNEXPECTED) and not isinstance(error, (requests.RequestException, raw.HTTPError)):
        kind = type(error).__name__
        return TargetProtocolError(sentence(said, f"unexpected answer ({kind}: {excerpt(str(error), 120)})"))
    return _connection_error(error, said, _innermost(chain))


def _connection_error(error: BaseException, said: str, reason: str) -> TargetError:
    """Say what went wrong between us and the target."""
    if isinstance(error, _TLS_FAILED) and any(words in reason for words in _PLAIN):
        message = sentence(said, "this port does not speak TLS")
        return TargetUnavailable(message, hint="Write http:// in place of https://.", transient=False)
    if isinstance(error, _TLS_FAILED):
        message = sentence(said, f"the TLS connection failed: {reason}")
        return TargetUnavailable(message, hint=_TLS_HINT, transient=False)
    if isinstance(error, _PROXY_FAILED):
        return TargetUnavailable(sentence(said, f"the proxy failed: {reason}"))
    if isinstance(error, _NOT_UNPACKED):
        return TargetProtocolError(sentence(said, f"unexpected answer: {_not_unpacked(error)}"))
    is_of_requests = isinstance(error, requests.RequestException) and not isinstance(error, _CONNECTION_LOST)
    if is_of_requests or isinstance(error, raw.LocationValueError):
        return TargetRejected(sentence(said, reason))  # an address or a header that nobody can send
    return TargetUnavailable(sentence(said, reason))


def rejection(response: requests.Response, said: str = "") -> TargetRejected:
    """The error for a response of requests whose status means no."""
    words = response.content[:_QUOTED_BYTES].decode("utf-8", "replace")
    status = f"{response.status_code} {response.reason or ''}"
    return status_error(status, words, said=said, retry_after=response.headers.get("Retry-After"))


def status_error(
    status: str, words: str, *, said: str = "", retry_after: str | None = None
) -> TargetRejected:
    """The error for an HTTP status that means no; transient where the same request may succeed later.

    `status` is the number, and its reason where there is one; `words` are what the target wrote about it.
    """
    number = int(status.split()[0])
    reason = excerpt(f"HTTP {status}".strip(), 80)
    quoted = excerpt(words, 120)
    return TargetRejected(
        sentence(said, f"{reason}: {quoted}" if quoted else reason),
        status=number,
        transient=number in _TRANSIENT_STATUSES or number >= 500,
        retry_after=parse_retry_after(retry_after),
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


def sentence(*parts: str) -> str:
    """The parts that say something, joined into one sentence."""
    text = ": ".join(part.strip().rstrip(".") for part in parts if part.strip())
    return f"{text}."


def _timed_out(timeout: Timeout, error: BaseException) -> str:
    connects = isinstance(error, _CONNECTING)
    seconds = timeout[0 if connects else 1] if isinstance(timeout, tuple) else timeout
    limit = f" after {seconds:g} s" if seconds is not None else ""
    return f"timed out{limit}" if not connects else f"timed out{limit} while connecting"


def _not_json(error: wrapped.InvalidJSONError) -> str:
    document = getattr(error, "doc", "")
    return f"the answer is not JSON: {excerpt(document, 120)!r}" if document else "the answer is not JSON"


def _not_unpacked(error: BaseException) -> str:
    named = _ENCODING.search(str(error))
    return f"it says {named[1]} and is not" if named else "it cannot be unpacked"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """`error` and what is wrapped in it, outermost first: requests and urllib3 wrap in three ways."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        inner = [argument for argument in error.args if isinstance(argument, BaseException)]
        reason = getattr(error, "reason", None)
        if isinstance(reason, BaseException):
            inner.append(reason)
        error = inner[-1] if inner else error.__cause__


def _innermost(chain: list[BaseException]) -> str:
    """The reason at the bottom: the operating system's words where there are some."""
    last = chain[-1]
    if isinstance(last, raw.IncompleteRead) and isinstance(last.expected, int):
        return f"the answer broke off after {last.partial} of {last.partial + last.expected} bytes"
    if isinstance(last, IncompleteRead):
        return "the answer broke off"
    words = getattr(last, "strerror", None) or str(last) or type(last).__name__
    return excerpt(str(words), 200)

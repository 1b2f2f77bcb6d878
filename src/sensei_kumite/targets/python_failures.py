"""What the code of a target in the same process raises, said as one of our errors. Imports requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import requests
from urllib3.exceptions import HTTPError

from sensei_kumite.errors import TargetError, TargetProtocolError, TargetTimeout, TargetUnavailable
from sensei_kumite.targets.network import network_error, sentence, status_error, without_secrets
from sensei_kumite.targets.python_file import place_of
from sensei_kumite.targets.script_names import RetryableError
from sensei_kumite.text import excerpt

_LONGEST_MESSAGE = 300


def target_error(error: BaseException, path: Path, secrets: Iterable[str] = ()) -> TargetError:
    """The TargetError for what the file `path` raised, with the line of that file, and without secrets."""
    if isinstance(error, TargetError):
        return error
    return without_secrets(_explain(error, str(place_of(error, path))), secrets)


def _explain(error: BaseException, said: str) -> TargetError:
    """HTTP statuses and lost connections are known by what clients have in common, not by their names."""
    told = _words(error)
    if isinstance(error, RetryableError):
        return TargetUnavailable(sentence(said, told), retry_after=error.retry_period)
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    if isinstance(status, int) and 400 <= status < 600:
        return status_error(str(status), told, said=said, retry_after=_retry_after(response))
    for link in _causes(error):
        if _is_of_a_client(link):
            return _own(network_error(link, said, None))
        if isinstance(link, OSError) and link.filename is None:  # with a name it is about a file
            return TargetUnavailable(sentence(said, *map(_named, dict.fromkeys((error, link)))))
    return TargetProtocolError(sentence(said, _named(error)))


def _own(error: TargetError) -> TargetError:
    """A time that ran out in the target's own code is not that of `execution.timeout`."""
    return TargetUnavailable(error.message) if isinstance(error, TargetTimeout) else error


def _named(error: BaseException) -> str:
    return ": ".join(filter(None, (type(error).__name__, _words(error))))


def _words(error: BaseException) -> str:
    """What `error` says; nothing where it cannot."""
    words = ""
    with suppress(Exception):
        words = str(error)
    return excerpt(words, _LONGEST_MESSAGE)


def _retry_after(response: Any) -> str | None:
    headers = getattr(response, "headers", None)
    return headers.get("Retry-After") if headers is not None else None


def _is_of_a_client(error: BaseException) -> bool:
    return isinstance(error, (requests.RequestException, HTTPError))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """`error` and what it was raised from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__

"""What the code of a target in the same process raises, said as one of our errors. Imports requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import requests
from urllib3.exceptions import HTTPError

from sensei_kumite.errors import TargetError, TargetProtocolError, TargetUnavailable
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
    told = excerpt(str(error), _LONGEST_MESSAGE)
    if isinstance(error, RetryableError):
        return TargetUnavailable(sentence(said, told), retry_after=error.retry_period)
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    if isinstance(status, int) and 400 <= status < 600:
        return status_error(str(status), told, said=said, retry_after=_retry_after(response))
    for link in _causes(error):
        if _is_of_the_network(link):
            return network_error(link, said, None)
    return TargetProtocolError(sentence(said, type(error).__name__, told))


def _retry_after(response: Any) -> str | None:
    headers = getattr(response, "headers", None)
    return headers.get("Retry-After") if headers is not None else None


def _is_of_the_network(error: BaseException) -> bool:
    """An OSError with a name is about a file."""
    if isinstance(error, (requests.RequestException, HTTPError)):
        return True
    return isinstance(error, OSError) and error.filename is None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """`error` and what it was raised from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__

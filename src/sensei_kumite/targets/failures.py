"""What goes wrong inside a connector, said as one of our errors.

A message holds the connector's own words and the reason underneath.
"""

from __future__ import annotations

import requests
from chatbot_connectors import ConnectorConfigurationError, ConnectorError
from urllib3.exceptions import HTTPError as Urllib3Error

from sensei_kumite.errors import TargetError, TargetProtocolError, TargetRejected
from sensei_kumite.targets.network import UNEXPECTED, network_error, rejection, sentence
from sensei_kumite.targets.network import parse_retry_after as parse_retry_after
from sensei_kumite.targets.network import without_secrets as without_secrets
from sensei_kumite.targets.transport import Transport

FOREIGN = (ConnectorError, requests.RequestException, Urllib3Error, OSError, *UNEXPECTED)
"""Everything that a connector may raise for a reason outside of it."""


def target_error(error: BaseException, transport: Transport) -> TargetError:
    """The TargetError that says what `error` means; `transport` carried the request that failed."""
    said = str(error) if isinstance(error, ConnectorError) else _called(error)
    cause = _cause(error)
    if isinstance(cause, ConnectorConfigurationError):
        return TargetRejected(sentence(said))
    if isinstance(cause, ConnectorError):
        return outcome_error(said, transport)
    return network_error(cause, said, transport.timeout)


def outcome_error(said: str, transport: Transport) -> TargetError:
    """The TargetError for a connector that gave up with the words `said` and hid the reason."""
    outcome = transport.outcome
    if isinstance(outcome, requests.RequestException):
        return network_error(outcome, said, transport.timeout)
    if outcome is not None and outcome.status_code >= 400:
        return rejection(outcome, said)
    return TargetProtocolError(sentence(said or "the connector gave up without a reason"))


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

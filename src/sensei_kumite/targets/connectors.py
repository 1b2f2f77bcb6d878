"""Every technology of chatbot-connectors as a target: one adapter, one connector object per session.

The library logs a traceback for every failing call before it raises. Its logger gets a handler that
does nothing, so that these do not reach the terminal of somebody who configured no logging; nothing
else about logging is touched.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import urllib3
import yaml
from chatbot_connectors import Chatbot, ChatbotFactory

from sensei_kumite.errors import ConfigurationError, Problem, TargetProtocolError
from sensei_kumite.targets.base import TARGETS, Capabilities, Session, Target, TargetSettings
from sensei_kumite.targets.custom_file import load_custom_file
from sensei_kumite.targets.failures import FOREIGN, outcome_error, target_error, without_secrets
from sensei_kumite.targets.parameters import (
    VERIFY,
    accepted_parameters,
    check_parameters,
    public_url,
    secrets_in,
)
from sensei_kumite.targets.pool import UNVERIFIED
from sensei_kumite.targets.probe import check_endpoint, check_port
from sensei_kumite.targets.transport import NetworkNeeded, OfflineTransport, Transport, route_to

_FILE = "config_path"
_FIRST_CONVERSATION = "sender_id"
_NO_ANSWER = frozenset({"No response received", "Failed to obtain response after retries"})
_SILENCE = logging.NullHandler()


def register() -> None:
    """Add the library's technologies to `TARGETS`; where a name is taken, its owner keeps it."""
    logging.getLogger("chatbot_connectors").addHandler(_SILENCE)
    for name in ChatbotFactory.get_available_types():
        if name not in TARGETS:
            TARGETS.add(name, partial(ConnectorTarget, name), origin="chatbot-connectors")


class ConnectorTarget(Target):
    """A chatbot behind the connector that chatbot-connectors calls `technology`.

    Raises ConfigurationError with everything that is wrong with the parameters, EnvironmentProblem
    where the environment names a CA bundle that does not exist.
    """

    def __init__(self, technology: str, settings: TargetSettings) -> None:
        self.technology = technology
        self._timeout = settings.timeout
        self._class = ChatbotFactory._get_registration(technology).chatbot_class
        self._params, warnings, headers = self._check(settings)
        self._verify = self._params.pop(VERIFY.name, True)
        if not self._verify:
            warnings.append(UNVERIFIED)
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self.warnings = tuple(warnings)
        self.secrets = tuple(secrets_in({**self._params, **headers}))
        self._sketch, self._address = self._look()
        route_to(self._address, verify=self._verify)
        self.capabilities = Capabilities(fresh_conversations=self._opens_conversations())

    def describe(self) -> str:
        """The technology, and where it is."""
        return f"{self.technology} at {public_url(self._address).rstrip('/')}"

    def open(self) -> Session:
        """A new session with a connector and a connection of its own; raises TargetError."""
        transport = Transport(call_timeout=self._timeout, verify=self._verify)
        try:
            with _explained(transport, self.secrets):
                connector = _wired(self._class, transport)(**self._params)
        except BaseException:
            transport.close()
            raise
        fresh = self.capabilities.fresh_conversations
        begins = fresh and connector.conversation_id is None and _FIRST_CONVERSATION not in self._params
        return ConnectorSession(connector, self.secrets, resets=fresh, begins=begins)

    def probe(self) -> None:
        """Ask the health endpoint, or else for a TCP connection; raises TargetError where neither works."""
        health = self._sketch.get_endpoints().get("health_check") if self._sketch else None
        if self._sketch is None or health is None:
            check_port(self._address)
            return
        headers = {**self._sketch.config.headers, **health.headers}
        url = self._sketch.config.get_full_url(health.path)
        transport = Transport(call_timeout=self._timeout, verify=self._verify)
        with transport, _explained(transport, self.secrets):
            check_endpoint(transport, health.method.value, url, headers)

    def _check(self, settings: TargetSettings) -> tuple[dict[str, Any], list[str], dict[str, str]]:
        """The constructor's parameters; warnings; and headers that a file adds to every request."""
        accepted = accepted_parameters(self._class.get_chatbot_parameters(), self._class)
        values, problems = check_parameters([*accepted, VERIFY], settings.params)
        warnings: list[str] = []
        headers: dict[str, str] = {}
        if _FILE in values:
            try:
                path, data, found = load_custom_file(
                    values[_FILE], settings.project, confined=settings.confined
                )
            except ConfigurationError as error:
                problems += [replace(problem, key=_FILE) for problem in error.problems]
            else:
                values[_FILE] = str(path)
                warnings = [str(problem) for problem in found]
                headers = {**data.get("headers", {}), **data["send_message"].get("headers", {})}
        if problems:
            raise ConfigurationError(problems)
        return values, warnings, headers

    def _look(self) -> tuple[Chatbot | None, str]:
        """A connector that calls nobody, and its address; None where building one means calling."""
        try:
            sketch = _wired(self._class, OfflineTransport())(**self._params)
        except NetworkNeeded as needed:
            return None, needed.address
        except (*FOREIGN, yaml.YAMLError) as error:
            message = f"the {self.technology} connector does not take these parameters: {error}."
            raise ConfigurationError([Problem(message)]) from None
        return sketch, sketch.config.base_url

    def _opens_conversations(self) -> bool:
        """Whether the connector does anything for a new conversation, by endpoint or by its own code."""
        if self._class.create_new_conversation is not Chatbot.create_new_conversation:
            return True
        return self._sketch is not None and "new_conversation" in self._sketch.get_endpoints()


class ConnectorSession(Session):
    """One connector object and its conversation. `begins`: the first message opens a conversation."""

    def __init__(self, connector: Chatbot, secrets: Iterable[str], *, resets: bool, begins: bool) -> None:
        self._connector = connector
        self._transport: Transport = connector.session
        self._secrets = tuple(secrets)
        self._resets = resets
        self._begins = begins

    def send(self, text: str) -> str:
        """Send `text`, return the answer (never empty); raises TargetError."""
        if self._begins:
            self.reset()
        with _explained(self._transport, self._secrets):
            accepted, answer = self._connector.execute_with_input(text)
        if not accepted:
            raise self._given_up(str(answer or ""))
        if not isinstance(answer, str):
            raise TargetProtocolError(f"empty response: the answer is not text but {type(answer).__name__}.")
        if not answer.strip():
            raise TargetProtocolError("empty response: the answer holds no text.")
        return answer

    def reset(self) -> bool:
        """Begin a fresh conversation, without cookies; False where it cannot. Raises TargetError."""
        if not self._resets:
            return False
        self._transport.cookies.clear()
        with _explained(self._transport, self._secrets):
            opened = self._connector.create_new_conversation()
        if not opened:
            raise self._given_up("no new conversation could be opened")
        if self._connector.conversation_id is None and self._connector._requires_conversation_id():
            raise TargetProtocolError("the answer to a new conversation holds no conversation id.")
        self._begins = False
        return True

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    def _given_up(self, said: str) -> Exception:
        """The error for a connector that reports failure instead of raising it."""
        said = f"empty response: {said}" if said in _NO_ANSWER or not said else said
        return without_secrets(outcome_error(said, self._transport), self._secrets)


def _wired(connector_class: type[Chatbot], transport: Any) -> type[Chatbot]:
    """`connector_class` with `transport` as its session, from before its constructor can call anybody."""

    def _setup_session(self: Any) -> None:
        self.session = transport
        connector_class._setup_session(self)

    return type(connector_class.__name__, (connector_class,), {"_setup_session": _setup_session})


@contextmanager
def _explained(transport: Transport, secrets: Iterable[str]) -> Iterator[None]:
    """Turn what a connector raises into a TargetError without secrets."""
    transport.outcome = None
    try:
        yield
    except FOREIGN as error:
        raise without_secrets(target_error(error, transport), secrets) from None

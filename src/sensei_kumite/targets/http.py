"""`http`: a chatbot that nobody wrote a connector for, described by a request and where the reply is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from sensei_kumite.errors import ConfigurationError, Problem, TargetError
from sensei_kumite.targets.base import TARGETS, Session, Target, TargetSettings
from sensei_kumite.targets.json_answer import reason_of
from sensei_kumite.targets.network import without_secrets
from sensei_kumite.targets.parameters import (
    TIMEOUT,
    VERIFY,
    Parameter,
    check_parameters,
    public_url,
    secrets_in,
)
from sensei_kumite.targets.pool import PATIENCE, UNVERIFIED, Connection, Endpoint
from sensei_kumite.targets.probe import check_port
from sensei_kumite.targets.reply_rules import SUCCESS, Path, ReplyRules, read_pattern, read_statuses
from sensei_kumite.targets.request_template import (
    METHODS,
    Address,
    Body,
    RequestTemplate,
    content_type,
    read_address,
    read_body,
    read_headers,
    with_defaults,
)
from sensei_kumite.targets.template import Slot, Template, is_malformed, texts_in, unknown_slots
from sensei_kumite.targets.variables import Variables
from sensei_kumite.text import did_you_mean

_PARAMETERS = (
    Parameter("url", "string", required=True),
    Parameter("method", "string", required=False),
    Parameter("headers", "mapping", required=False),
    Parameter("body", "anything", required=False),
    Parameter("response_path", "string", required=False),
    Parameter("response_regex", "string", required=False),
    Parameter("session_path", "string", required=False),
    Parameter("success_statuses", "anything", required=False),
    TIMEOUT,
    VERIFY,
)
_TEMPLATES = ("url", "headers", "body")

T = TypeVar("T")


@TARGETS.register("http")
class HttpTarget(Target):
    """A chatbot behind any HTTP endpoint that takes a message and gives a reply.

    Raises ConfigurationError with everything that is wrong with the parameters, EnvironmentProblem
    where the environment names a CA bundle that does not exist.
    """

    description = "Any HTTP endpoint: a request with {{message}} in it, and where the reply stands."

    def __init__(self, settings: TargetSettings) -> None:
        found = _Reader(settings)
        self.request, self.rules = found.request(), found.rules()
        found.finish(self.request, self.rules)
        values = found.values
        self.secrets = (*found.variables.secrets, *secrets_in(self.request.constant_headers))
        self._written = public_url(values["url"])
        self._base = self.request.address.base
        verify = values.get("verify", True)
        self.warnings = () if verify else (UNVERIFIED,)
        timeout = settings.timeout or values.get("timeout", PATIENCE)
        self._endpoint = Endpoint(self._base, verify=verify, timeout=timeout)

    def describe(self) -> str:
        """The request, as it is written in run.yml."""
        return f"http: {self.request.method} {self._written}"

    def open(self) -> Session:
        """A conversation of its own, over a connection of its own."""
        return HttpSession(self, self._endpoint.connect(self._written))

    def probe(self) -> None:
        """Ask for a TCP connection; raises TargetUnavailable where there is none."""
        check_port(self._base)


class HttpSession(Session):
    """One conversation, known to the server by an id of ours or, with `session_path`, by one of its own."""

    def __init__(self, target: HttpTarget, connection: Connection) -> None:
        self._target = target
        self._connection = connection
        self._id = self._first_id()

    def send(self, text: str) -> str:
        """Send `text`, return the reply (never empty); raises TargetError."""
        rules = self._target.rules
        try:
            answer = self._connection.send(self._target.request.fill(text, self._id))
            if answer.status not in rules.statuses:
                raise self._connection.refused(answer, reason_of(answer))
            self._id = rules.session_in(answer, self._id)
            return rules.reply_in(answer)
        except TargetError as error:
            raise without_secrets(error, self._target.secrets) from None

    def reset(self) -> bool:
        """Begin a fresh conversation: with an id of its own, or with none until the server gives one."""
        self._id = self._first_id()
        return True

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _first_id(self) -> str:
        return "" if self._target.rules.session else str(uuid4())


class _Reader:
    """Reads the parameters one by one, and collects what is wrong with them."""

    def __init__(self, settings: TargetSettings) -> None:
        self.variables = Variables(settings.project)
        self.values, self.problems = check_parameters(_PARAMETERS, settings.params)
        self._confined = settings.confined
        for name in _TEMPLATES:
            self.problems += _placeholder_problems(name, list(texts_in(self.values.get(name))))
        if is_malformed(self.values.get("url", "")):
            del self.values["url"]  # a message about it would repeat what may be a key

    def request(self) -> RequestTemplate:
        """What is sent; parts that cannot be read are left out, and have their problem."""
        nowhere = Address("", Template(()))
        address = self._read("url", partial(read_address, variable=self._variable("url")), nowhere)
        no_headers: dict[str, Template] = {}
        headers = self._read("headers", partial(read_headers, variable=self._variable("headers")), no_headers)
        no_body: Body | None = None
        read = partial(read_body, content_type=content_type(headers), variable=self._variable("body"))
        body = self._read("body", read, no_body)
        method = self._read("method", _method, "POST")
        return RequestTemplate(method, address, with_defaults(headers, body), body)

    def rules(self) -> ReplyRules:
        """How the answer is read; rules that cannot be read are left out, and have their problem."""
        return ReplyRules(
            self._read("success_statuses", read_statuses, SUCCESS),
            self._read("response_path", Path.parse, None),
            self._read("response_regex", read_pattern, None),
            self._read("session_path", Path.parse, None),
        )

    def finish(self, request: RequestTemplate, rules: ReplyRules) -> None:
        """Raises ConfigurationError with all problems, those of the parameters together among them."""
        if {"response_path", "response_regex"} <= self.values.keys():
            both = "the connector parameters 'response_path' and 'response_regex' exclude each other."
            self.problems.append(Problem(both, key="response_regex"))
        if not self.problems and not self.variables.lacks("url"):
            if Slot.MESSAGE not in request.slots:
                self.problems.append(_no_message(self.values["url"]))
            if rules.session and Slot.SESSION not in request.slots:
                self._complain("session_path", "needs a {{session}} in 'url', 'headers' or 'body'")
        self.problems += self.variables.problems(request.address.base, confined=self._confined)
        if self.problems:
            raise ConfigurationError(self.problems)

    def _variable(self, parameter: str) -> Callable[[str], str]:
        return partial(self.variables.value, parameter=parameter)

    def _read(self, name: str, read: Callable[[Any], T], default: T) -> T:
        if name not in self.values:
            return default
        try:
            return read(self.values[name])
        except ValueError as error:
            if name != "url" or not self.variables.lacks(name):
                for what in error.args:
                    self._complain(name, what)
            return default

    def _complain(self, name: str, what: str) -> None:
        self.problems.append(Problem(f"the connector parameter {name!r} {what}.", key=name))


def _no_message(url: str) -> Problem:
    message = "the connector parameters 'url', 'headers' and 'body' hold no {{message}}"
    hint = "What stands behind the # of an address is never sent." if "#" in url else None
    return Problem(f"{message}: no message would be sent.", hint=hint)


def _placeholder_problems(name: str, texts: Sequence[str]) -> list[Problem]:
    """Placeholders that stand for nothing. What is no NAME of a variable may be a key, and is not shown."""
    known = [slot.value for slot in Slot]
    problems = [
        Problem(
            f"the connector parameter {name!r} holds the unknown placeholder {{{{{word}}}}}."
            f"{did_you_mean(word, known)}",
            hint="Valid: {{message}}, {{session}}, and ${NAME} for environment variables.",
            key=name,
        )
        for text in texts
        for word in unknown_slots(text)
    ]
    if any(map(is_malformed, texts)):
        message = f"the connector parameter {name!r} holds a ${{…}} that names no variable."
        hint = "Write ${NAME} of an environment variable, or $${ where the text ${ itself is meant."
        problems.append(Problem(message, hint=hint, key=name))
    return problems


def _method(value: str) -> str:
    if value.upper() not in METHODS:
        raise ValueError(f"should be one of {', '.join(METHODS)}, not {value!r}")
    return value.upper()

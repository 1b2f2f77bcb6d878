"""`connector_params` checked against what a connector declares, before anything is built or called."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sensei_kumite.config.fields import shown
from sensei_kumite.errors import Problem
from sensei_kumite.text import did_you_mean
from sensei_kumite.text import public_url as public_url
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_SECRET_NAMES = ("key", "token", "secret", "password", "auth", "cookie", "consumer_client")


@dataclass(frozen=True, slots=True)
class Parameter:
    """What one parameter takes, and whether it has to be given.

    `type` is string, integer, number, boolean, mapping, variable (the name of one) or anything.
    """

    name: str
    type: str
    required: bool


TIMEOUT = Parameter("timeout", "number", required=False)
VERIFY = Parameter("verify", "boolean", required=False)
"""What every target of the network takes: seconds for one call, and whether certificates are checked."""


def accepted_parameters(declared: Iterable[Any], constructor: Callable[..., Any]) -> list[Parameter]:
    """All parameters a connector takes: those it declares, then others of its constructor.

    `declared` are the library's objects, with the name, type and required of a `Parameter`.
    """
    parameters = {item.name: Parameter(item.name, _type_of(item), item.required) for item in declared}
    for name, item in inspect.signature(constructor).parameters.items():
        if item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD) or name in parameters:
            continue
        required = item.default is item.empty
        parameters[name] = Parameter(name, _guess_type(name, item.default), required)
    return list(parameters.values())


def check_parameters(
    accepted: Iterable[Parameter], given: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Problem]]:
    """The values to hand to the constructor, and everything that is wrong with them.

    Spelling is lenient: `5000` may be written as text, and a text of digits without quotes.
    """
    known = {parameter.name: parameter for parameter in accepted}
    missing = [name for name, item in known.items() if item.required and given.get(name) in (None, "")]
    unknown = {name: did_you_mean(name, known) for name in given if name not in known}
    problems = [
        Problem(
            f"the connector parameter {name!r} is missing.",
            hint=f"Required: {_listing(known, required=True)}.",
            key=name,
        )
        for name in missing
        if not any(meant and meant == did_you_mean(word, [name]) for word, meant in unknown.items())
    ]
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name in unknown:
            message = f"unknown connector parameter {name!r}.{unknown[name]}"
            problems.append(Problem(message, hint=f"Valid: {_listing(known)}.", key=name))
        elif value is not None and name not in missing:
            try:
                values[name] = _convert(known[name], value)
            except ValueError as error:
                problems.append(Problem(f"the connector parameter {name!r} {error}.", key=name))
    if "port" in known and "base_url" in values:
        problems += _separate_port(values)
    return values, problems


def secrets_in(values: Mapping[str, Any]) -> list[str]:
    """The values that no message may show: keys, tokens, passwords; longest first.

    A `Bearer x` is also known as `x`, and each as Python would quote it. Three characters are no secret.
    """
    return spellings(
        value for name, value in values.items() if isinstance(value, str) and _names_a_secret(name)
    )


def spellings(secrets: Iterable[str]) -> list[str]:
    """How `secrets` may be written where they must not be; the longest first."""
    written = {
        spelling
        for secret in secrets
        for part in (secret, secret.split(" ")[-1])
        for spelling in (part, repr(part)[1:-1])
    }
    return sorted((spelling for spelling in written if len(spelling) > 3), key=len, reverse=True)


def check_url(text: str) -> str:
    """`text` where it is an HTTP address; raises ValueError saying what it should be."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"is not an address: {error}") from None
    if parts.scheme.lower() not in ("http", "https") or not host or re.search(r"\s", text):
        raise ValueError(
            f"should be an address that begins with http:// or https://, not {public_url(text)!r}"
        )
    return text


def address_problems(name: str, values: Mapping[str, Any]) -> list[Problem]:
    """A user and a password in an address would be shown by others, and are not sent by us."""
    if not urlsplit(values.get(name, "")).username:
        return []
    message = f"the connector parameter {name!r} holds a user or password, which would not be sent."
    hint = "Let an environment variable hold what the server wants to see."
    return [Problem(message, hint=hint, key=name)]


def _separate_port(values: dict[str, Any]) -> list[Problem]:
    """A connector with a parameter `port` appends it to the address, so nothing may stand behind the host."""
    values["base_url"] = values["base_url"].rstrip("/")
    parts = urlsplit(values["base_url"])
    if parts.port is None and not parts.path and not parts.query:
        return []
    message = "the connector parameter 'base_url' should end with the host: the port is another parameter."
    host = f"{parts.scheme}://{parts.hostname}"
    hint = f"Write base_url={host},port={parts.port or values.get('port', 5000)}."
    return [Problem(message, hint=hint, key="base_url")]


def _names_a_secret(name: str) -> bool:
    return any(word in name.lower().replace("-", "_") for word in _SECRET_NAMES)


def _listing(known: Mapping[str, Parameter], *, required: bool = False) -> str:
    names = [name for name, parameter in known.items() if parameter.required or not required]
    return ", ".join(names) if names else "none"


def _type_of(item: Any) -> str:
    return "number" if item.name == "timeout" else str(item.type)


def _guess_type(name: str, default: Any) -> str:
    """The type of a parameter that only the constructor knows, from its default."""
    if name == "timeout":
        return "number"
    if isinstance(default, bool):
        return "boolean"
    return "integer" if isinstance(default, int) else "string"


def _convert(parameter: Parameter, value: Any) -> Any:
    """`value` as the connector wants it; raises ValueError saying what is wrong with it."""
    converted = _CONVERTERS[parameter.type](value)
    if parameter.name == "base_url":
        check_url(converted)
    if parameter.name == "port" and not 0 < converted < 65536:
        raise ValueError(f"should be between 1 and 65535, not {converted}")
    if parameter.name == "timeout" and converted <= 0:
        raise ValueError(f"should be more than 0 seconds, not {converted:g}")
    return converted


def _text(value: Any) -> str:
    if isinstance(value, (TypedInt, TypedFloat)):
        return value.source
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"should be text, not {shown(value)}")
    return value


def _integer(value: Any) -> int:
    try:
        if isinstance(value, (int, str)) and not isinstance(value, bool):
            return int(value)
    except ValueError:
        pass
    raise ValueError(f"should be a whole number, not {shown(value)}")


def _number(value: Any) -> float:
    try:
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            number = float(value)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"should be a number, not {shown(value)}")


def _boolean(value: Any) -> bool:
    word = _WORDS.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(word, bool):
        raise ValueError(f"should be true or false, not {shown(value)}")
    return word


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"should be a mapping, not {shown(value)}")
    return value


def _variable(value: Any) -> str:
    """Somebody who pastes a key here must not find it in the terminal or a log."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise ValueError(
            "should be the NAME of an environment variable that holds the key, not the key itself"
        )
    return value


_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "mapping": _mapping,
    "variable": _variable,
    "anything": lambda value: value,
}

"""The YAML file of the `custom` connector: checked with our own loader before the library reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sensei_kumite.config.fields import shown
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.files import resolve_path
from sensei_kumite.targets.parameters import check_url
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_reader import Document, YamlPath, load_yaml

_PLACEHOLDER = "{user_msg}"
_METHODS = ("GET", "POST", "PUT", "DELETE")
_KEYS = ("name", "base_url", "timeout", "fallback_message", "headers", "send_message", "response_path")
_ABSENT = object()
_MESSAGE_KEYS = ("path", "method", "headers", "timeout", "payload_template")


def load_custom_file(
    name: str, project: Path, *, confined: bool = False
) -> tuple[Path, Mapping[str, Any], list[Problem]]:
    """Find the file `name` from the project folder, with `confined` inside of it; its path, data, warnings.

    Raises ConfigurationError with everything that would keep the connector from working.
    """
    path = resolve_path(name, [project], within=project if confined else None)
    if not path.is_file():
        raise ConfigurationError([Problem("is a folder, not a connector file.", Place(path))])
    document = load_yaml(path)
    problems = list(_problems(document))
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise ConfigurationError(errors)
    return path, document.data, [problem for problem in problems if problem.severity == "warning"]


def _problems(document: Document) -> Iterator[Problem]:
    data = document.data
    if not isinstance(data, dict):
        yield Problem("should be a mapping.", document.place(), f"Its keys: {', '.join(_KEYS)}.")
        return
    yield from _unknown(document, (), data, _KEYS)
    yield from _required(document, data, ("base_url",), _address)
    yield from _required(document, data, ("response_path",), _text)
    yield from _required(document, data, ("send_message",), _mapping)
    for path in (("headers",), ("send_message", "headers")):
        yield from _optional(document, data, path, _headers)
    for path in (("timeout",), ("send_message", "timeout")):
        yield from _optional(document, data, path, _seconds)
    if isinstance(data.get("send_message"), dict):
        yield from _message_problems(document, data)


def _message_problems(document: Document, data: Mapping[str, Any]) -> Iterator[Problem]:
    message = data["send_message"]
    yield from _unknown(document, ("send_message",), message, _MESSAGE_KEYS)
    yield from _optional(document, data, ("send_message", "path"), _text)
    yield from _optional(document, data, ("send_message", "method"), _method)
    yield from _required(document, data, ("send_message", "payload_template"), _template)


def _unknown(
    document: Document, path: YamlPath, mapping: Mapping[str, Any], known: tuple[str, ...]
) -> Iterator[Problem]:
    """Warnings, because the file is the library's and may know more than we do."""
    for key in mapping:
        if key not in known:
            place = document.place((*path, key), key=True)
            yield Problem(f"unknown key {key!r}.{did_you_mean(key, known)}", place, severity="warning")


Check = Callable[[Any], str | None]
"""Says what a value should be where it is not; None where it is."""


def _required(document: Document, data: Any, path: YamlPath, check: Check) -> Iterator[Problem]:
    if _value_at(data, path) in (None, _ABSENT):
        yield Problem(f"{_dotted(path)} is missing.", document.place(path[:-1]))
    else:
        yield from _optional(document, data, path, check)


def _optional(document: Document, data: Any, path: YamlPath, check: Check) -> Iterator[Problem]:
    """The library does not take a key without a value for one that is not given, so it is checked too."""
    value = _value_at(data, path)
    complaint = check(value) if value is not _ABSENT else None
    if complaint:
        yield Problem(f"{_dotted(path)} {complaint}.", document.place(path))


def _value_at(data: Any, path: YamlPath) -> Any:
    for step in path:
        data = data.get(step, _ABSENT) if isinstance(data, dict) else _ABSENT
    return data


def _dotted(path: YamlPath) -> str:
    return ".".join(map(str, path))


def _address(value: Any) -> str | None:
    try:
        check_url(str(value))
    except ValueError as error:
        return str(error)
    return None


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and value else "should be text"


def _mapping(value: Any) -> str | None:
    return None if isinstance(value, dict) else "should be a mapping"


def _headers(value: Any) -> str | None:
    if isinstance(value, dict) and all(isinstance(text, str) for text in value.values()):
        return None
    return "should map header names to text; numbers, true and false need quotes"


def _seconds(value: Any) -> str | None:
    if value is None:
        return None
    limits = value if isinstance(value, list) and len(value) == 2 else [value]
    if all(isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit > 0 for limit in limits):
        return None
    return f"should be more than 0 seconds, or two such numbers, not {shown(value)}"


def _method(value: Any) -> str | None:
    if isinstance(value, str) and value.upper() in _METHODS:
        return None
    return f"should be one of {', '.join(_METHODS)}, not {shown(value)}"


def _template(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "should be a mapping"
    if not _holds_placeholder(value):
        return f"contains no {_PLACEHOLDER}: no message would reach the target"
    return None


def _holds_placeholder(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_placeholder, value.values()))
    if isinstance(value, list):
        return any(map(_holds_placeholder, value))
    return isinstance(value, str) and _PLACEHOLDER in value

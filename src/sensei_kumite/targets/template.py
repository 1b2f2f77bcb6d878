"""Texts with `{{message}}`, `{{session}}` and `${NAME}` in them, and how values are put into each kind.

A template is taken apart once. What is put in is never looked at again, so no value can bring a
placeholder along; and each is quoted for where it stands, so none can end the string that it is part of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

from sensei_kumite.text import replace_surrogates


class Slot(Enum):
    """What is put in for each message."""

    MESSAGE = "message"
    SESSION = "session"


Values = Mapping[Slot, str]
Quote = Callable[[str], str]

_PLACEHOLDER = re.compile(
    r"\{\{\s*(?P<slot>\w+)\s*\}\}|(?P<escaped>\$\$\{)|\$\{(?P<variable>[A-Za-z_]\w*)\}|(?P<malformed>\$\{)"
)
_NAMES = {slot.value: slot for slot in Slot}


@dataclass(frozen=True, slots=True)
class Template:
    """Literal texts and slots, in order."""

    parts: tuple[str | Slot, ...]

    def fill(self, values: Values, quoted: Quote = str) -> str:
        """The text with `values`, each put through `quoted`."""
        return "".join(part if isinstance(part, str) else quoted(values[part]) for part in self.parts)


def unknown_slots(text: str) -> Iterator[str]:
    """The names in double braces that stand for nothing."""
    return (
        match["slot"]
        for match in _PLACEHOLDER.finditer(text)
        if match["slot"] and match["slot"] not in _NAMES
    )


def is_malformed(text: str) -> bool:
    """Whether `text` holds a `${` with no name behind it. What stands there may be a pasted key."""
    return any(match["malformed"] for match in _PLACEHOLDER.finditer(text))


def parse_template(text: str, variable: Callable[[str], str]) -> Template:
    """`text` taken apart; `variable` gives the value of an environment variable, ready to stand there.

    What is in double braces and no slot stays as it is; `$${` stands for `${`.
    """
    parts: list[str | Slot] = []
    position = 0
    for match in _PLACEHOLDER.finditer(text):
        parts.append(text[position : match.start()])
        name, text_there = match["variable"], match[0].removeprefix("$") if match["escaped"] else match[0]
        parts.append(variable(name) if name else _NAMES.get(match["slot"], text_there))
        position = match.end()
    return Template(tuple(_joined([*parts, text[position:]])))


def _joined(parts: Iterable[str | Slot]) -> Iterator[str | Slot]:
    """The parts, with at most one literal text between two slots."""
    literal = ""
    for part in parts:
        if isinstance(part, str):
            literal += part
            continue
        if literal:
            yield literal
        literal = ""
        yield part
    if literal:
        yield literal


def parse_structure(value: Any, variable: Callable[[str], str]) -> Any:
    """`value` with every text in it taken apart that holds a placeholder; keys stay as they are."""
    if isinstance(value, dict):
        return {key: parse_structure(item, variable) for key, item in value.items()}
    if isinstance(value, list):
        return [parse_structure(item, variable) for item in value]
    if isinstance(value, str) and _PLACEHOLDER.search(value):
        return parse_template(value, variable)
    return value


def fill_structure(value: Any, values: Values) -> Any:
    """What `parse_structure` took apart, put together with `values`."""
    if isinstance(value, Template):
        return value.fill(values)
    if isinstance(value, dict):
        return {key: fill_structure(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [fill_structure(item, values) for item in value]
    return value


def slots_in(value: Any) -> Iterator[Slot]:
    """The slots in a template, or in whatever `parse_structure` took apart."""
    if isinstance(value, Template):
        yield from (part for part in value.parts if isinstance(part, Slot))
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from slots_in(item)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in plain data, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_in(item)


def in_address(text: str) -> str:
    """`text` as one segment of a path, or one value of a query; dots too, for `..` would lead elsewhere."""
    return quote(replace_surrogates(text), safe="").replace(".", "%2E")


def quote_for(content_type: str) -> Quote:
    """How a value is written in a body of this type that is no JSON."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return lambda text: quote_plus(replace_surrogates(text))
    if kind.endswith(("/xml", "+xml", "/html")):
        return lambda text: escape(text, {'"': "&quot;", "'": "&apos;"})
    return str


def is_json(content_type: str) -> bool:
    """Whether bodies of this type are JSON."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind.endswith(("/json", "+json"))

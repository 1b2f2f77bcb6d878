"""Where something stands in a JSON document: the part of JSONPath (RFC 9535) that points at replies.

`$.choices[0].text`, `messages[-1]['content']`, `items[*].text`. The leading `$.` may be left out, and a
number between dots is a position: `messages.-1.text`. There are no filters, slices or descendants.
"""

from __future__ import annotations

import re
from typing import Any

from sensei_kumite.text import excerpt

Step = str | int | None
"""A key, a position, or None for every child."""

_STEP = re.compile(
    r"""\[\s*(?:(?P<index>-?\d{1,9})|(?P<all>\*)|'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)")\s*\]
    |\.(?:(?P<any>\*)|(?P<name>[^\s.*'"\[\]]+))""",
    re.VERBOSE | re.DOTALL,
)
_POSITION = re.compile(r"-?\d{1,9}", re.ASCII)


def parse_path(text: str) -> tuple[Step, ...]:
    """The steps that `text` spells; raises ValueError saying from where on it cannot be read."""
    path = text.strip()
    if path[:1] not in ("$", "["):
        path = f".{path}"
    position = 1 if path.startswith("$") else 0
    steps: list[Step] = []
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            rest = excerpt(path[position:], 40)
            raise ValueError(f"is no path that can be read, from {rest!r} on; write $.reply[0].text")
        steps.append(_step(match))
        position = match.end()
    return tuple(steps)


def find_all(steps: tuple[Step, ...], document: Any) -> list[Any]:
    """Everything in `document` that the path leads to, in the order of the document."""
    found = [document]
    for step in steps:
        found = [child for value in found for child in _children(value, step)]
    return found


def _step(match: re.Match[str]) -> Step:
    if match["index"]:
        return int(match["index"])
    if match["all"] or match["any"]:
        return None
    quoted = match["single"] if match["single"] is not None else match["double"]
    return match["name"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)


def _children(value: Any, step: Step) -> list[Any]:
    if step is None:
        return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, dict):
        return [value[step]] if step in value else []
    if isinstance(value, list) and _POSITION.fullmatch(str(step)):
        position = int(step)
        return [value[position]] if -len(value) <= position < len(value) else []
    return []

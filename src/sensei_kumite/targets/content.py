"""What a message says: its content is a text, or a list of parts of which some are text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def text_of(content: Any) -> Any:
    """`content` itself; of a list its texts joined, or else what the model says in refusing."""
    if not isinstance(content, list):
        return content
    return "".join(_texts(content, "text")) or "".join(_texts(content, "refusal"))


def _texts(parts: list[Any], key: str) -> Iterator[str]:
    for part in parts:
        text = part.get(key) if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text

"""Values of the journal as the page holds them: texts of a bounded length."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import floor, isfinite, log10
from typing import Any

# A reply is kept up to 1 MiB, and thousands of those no browser opens.
LONGEST_TEXT = 100_000
_ONE_LINE = 80
_DIGITS = 6

Facts = list[tuple[str, str]]


def as_text(value: Any) -> str:
    """A value as JSON writes it, over several lines where it is long; a text as it is."""
    if isinstance(value, str):
        return value
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= _ONE_LINE else json.dumps(value, ensure_ascii=False, indent=2)


def rounded(value: Any) -> Any:
    """`value` with every float in it to six digits, but never to less than a whole number."""
    if isinstance(value, float) and value and isfinite(value):
        return round(value, max(0, _DIGITS - 1 - floor(log10(abs(value)))))
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, Mapping):
        return {name: rounded(item) for name, item in value.items()}
    return value


def cut(text: str | None, longest: int = LONGEST_TEXT) -> str | None:
    """`text`, or as much of it as the page can hold, saying how much is missing."""
    if text is None or len(text) <= longest:
        return text
    missing = len(text) - longest
    return f"{text[:longest]}\n[… {missing:,} more characters: the suite report has them.]"

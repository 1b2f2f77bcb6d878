"""What an unquoted word means in YAML 1.2 (its core schema), and numbers that remember their spelling."""

from __future__ import annotations

import re
from typing import Any, Self

# Beyond any number a configuration can mean; turning longer digits into an int takes quadratic time.
_LONGEST_NUMBER = 1000
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_NUMBERS_BEGIN_WITH = frozenset("+-.0123456789")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class TypedInt(int):
    """An integer that remembers how it was typed (`007`)."""

    source: str

    def __new__(cls, source: str) -> Self:
        """Read decimal, `0o17` octal and `0x1f` hexadecimal digits."""
        base = 8 if "0o" in source else 16 if "0x" in source else 10
        self = super().__new__(cls, source, base)
        self.source = source
        return self

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]  # copies are made from what was typed
        return (self.source,)


class TypedFloat(float):
    """A float that remembers how it was typed (`1.10`)."""

    source: str

    def __new__(cls, source: str) -> Self:
        """Read a decimal fraction, an exponent, `.inf` or `.nan`."""
        word = source.lower()
        self = super().__new__(cls, word.replace(".", "") if word.endswith(("inf", "nan")) else source)
        self.source = source
        return self

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]  # copies are made from what was typed
        return (self.source,)


def resolve_scalar(text: str) -> Any:
    """What the unquoted scalar `text` means: None, a bool, a typed number, else the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBERS_BEGIN_WITH or len(text) > _LONGEST_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return TypedInt(text)
    if _FLOAT.fullmatch(text):
        return TypedFloat(text)
    return text


def text_or_nothing(text: str) -> str | None:
    """What the unquoted scalar `text` means in a file of texts: itself, None where nothing was typed."""
    return text or None


def plain(value: Any) -> Any:
    """`value` with all typed numbers turned into ordinary ones, recursively."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, TypedInt):
        return int(value)
    if isinstance(value, TypedFloat):
        return float(value)
    return value


def as_typed(value: Any) -> Any:
    """`value` with all typed numbers turned back into the text that was typed, recursively."""
    if isinstance(value, dict):
        return {key: as_typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_typed(item) for item in value]
    if isinstance(value, (TypedInt, TypedFloat)):
        return value.source
    return value

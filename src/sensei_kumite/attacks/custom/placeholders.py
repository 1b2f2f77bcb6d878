"""Placeholders in the texts of a custom attack file: `{{name}}`, and `{{{{name}}}}` for the literal text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sensei_kumite.yaml_reader import YamlPath

_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
_PLACEHOLDER = re.compile(rf"(?<!\{{)\{{\{{({_NAME})\}}\}}(?!\}})")
_ESCAPED = re.compile(rf"(?<!\{{)\{{\{{(\{{\{{{_NAME}\}}\}})\}}\}}(?!\}})")


def placeholders(text: str) -> list[str]:
    """The names in `{{name}}` and `{{part.name}}`, in order; other braces are ordinary text."""
    return _PLACEHOLDER.findall(text)


def unescape(text: str) -> str:
    """`text` with `{{{{name}}}}` turned into the literal `{{name}}`."""
    return _ESCAPED.sub(r"\1", text)


def unescape_all(value: Any) -> Any:
    """`value` with every text in it unescaped, recursively; keys stay as they are."""
    if isinstance(value, dict):
        return {key: unescape_all(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unescape_all(item) for item in value]
    return unescape(value) if isinstance(value, str) else value


def texts(value: Any, path: YamlPath) -> Iterator[tuple[YamlPath, str]]:
    """Every text in `value`, recursively, with its path; `path` is that of `value` itself."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, (*path, index))

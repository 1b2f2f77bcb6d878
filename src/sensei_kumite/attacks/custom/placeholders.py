"""Placeholders in a text: `{{name}}` stands for a value, `{{{{name}}}}` for the braces themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sensei_kumite.yaml_reader import YamlPath

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
LONGEST_TEXT = 10_000_000
"""Characters that a text may have once it is filled in: nobody writes more, but texts in texts double."""

_DOTTED = rf"{NAME}(?:\.{NAME})*"
ESCAPED = r"\{\{(\{\{[^{}]+\}\})\}\}"
_TOKEN = re.compile(rf"{ESCAPED}|\{{\{{({_DOTTED})\}}\}}")
_SPACED = re.compile(rf"\{{\{{\s*{_DOTTED}\s*\}}\}}")
_STRAY = re.compile(rf"\{{\{{[^{{}}]*\}}\}}|\{{\{{|\}}\}}|\$\{{\s*{_DOTTED}\s*\}}")


class TooLong(ValueError):
    """A text that grows beyond `LONGEST_TEXT` when its placeholders are filled in."""


def found(text: str) -> Iterator[tuple[int, str]]:
    """The names in `{{name}}` and `{{part.name}}`, in order, each with its position in `text`."""
    return ((token.start(), token[2]) for token in _TOKEN.finditer(text) if token[2])


def names(text: str) -> set[str]:
    """The names in `{{name}}` and `{{part.name}}`."""
    return {name for _, name in found(text)}


def names_in(value: Any) -> set[str]:
    """The names in all texts of `value`, recursively."""
    return {name for _, text in texts(value) if "{{" in text for _, name in found(text)}


def malformed(text: str, *, strict: bool) -> Iterator[tuple[int, str]]:
    """Braces that are no placeholder but look like one, each with its position in `text`.

    Braces around anything but a name are ordinary text, unless `strict`: then any pair of them is meant to
    be a placeholder, and `${name}` too.
    """
    start = 0
    for token in [*_TOKEN.finditer(text), None]:
        end = token.start() if token else len(text)
        for stray in (_STRAY if strict else _SPACED).finditer(text, start, end):
            yield stray.start(), stray[0]
        start = token.end() if token else end


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with every placeholder replaced by its value, which is not looked at again, and `{{{{…}}}}` by
    `{{…}}`. Raises TooLong, and KeyError for a name without a value."""
    if "{{" not in text:
        return text
    if len(text) + sum(len(values[name]) for _, name in found(text)) > LONGEST_TEXT:
        raise TooLong(f"with its placeholders filled in, this has more than {LONGEST_TEXT:,} characters.")
    return _TOKEN.sub(lambda token: token[1] or values[token[2]], text)


def fill_all(value: Any, values: Mapping[str, str]) -> Any:
    """`value` with every text in it filled in, recursively; keys stay as they are. Raises as `fill` does."""
    if isinstance(value, dict):
        return {key: fill_all(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [fill_all(item, values) for item in value]
    return fill(value, values) if isinstance(value, str) else value


def texts(value: Any, path: YamlPath = ()) -> Iterator[tuple[YamlPath, str]]:
    """Every text in `value`, recursively, with its path; `path` is that of `value` itself."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, (*path, index))

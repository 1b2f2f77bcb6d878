"""Validation errors as lines a person can act on: place, location, what is wrong, what would be right."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sensei_kumite.config.fields import Block, Unexpected, WrongKey, shown
from sensei_kumite.errors import Problem
from sensei_kumite.text import did_you_mean, excerpt
from sensei_kumite.yaml_reader import Document, YamlPath
from sensei_kumite.yaml_scalars import as_typed, plain

B = TypeVar("B", bound=Block)

# What a value should be, by pydantic's name for the error; braces are filled from its context.
_EXPECTED = {
    "string_type": "text",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text that matches {pattern}",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
    "list_type": "a list (lines that begin with '- ')",
    "tuple_type": "a list (lines that begin with '- ')",
    "dict_type": "a mapping (lines of 'key: value')",
    "model_type": "a mapping (lines of 'key: value')",
    "model_attributes_type": "a mapping (lines of 'key: value')",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
}


def validated(
    model: type[B], document: Document, prefix: YamlPath = (), *, within: type[Block] | None = None
) -> tuple[B | None, list[Problem]]:
    """The value at `prefix` of `document` as `model`, or None and what is wrong with it."""
    try:
        return model.model_validate(_value_at(document.data, prefix)), []
    except ValidationError as error:
        return None, problems_from(error, document, prefix, within=within)


def validated_parts(
    model: type[B], document: Document, skip: Collection[str] = ()
) -> tuple[B, list[Problem]]:
    """A whole file as `model`, and what is wrong with it: top-level keys with problems keep their defaults.

    `skip` are keys that somebody else reads. All fields of `model` have defaults.
    """
    data = document.data if document.data is not None else {}
    if not isinstance(data, dict):
        message = f"this file should hold {_EXPECTED['dict_type']}, not {shown(data)}."
        return model(), [Problem(message, document.place())]
    data = {key: value for key, value in data.items() if key not in skip}
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        broken = {detail["loc"][0] for detail in error.errors() if detail["loc"]}
        sound = {key: value for key, value in data.items() if key not in broken}
        return model.model_validate(sound), problems_from(error, document, within=model)


def problems_from(
    error: ValidationError,
    document: Document,
    prefix: YamlPath = (),
    label: str | None = None,
    *,
    within: type[Block] | None = None,
) -> list[Problem]:
    """What pydantic found wrong with the value at `prefix` of `document`, one problem per place.

    `label` names that value in messages, else its path does. `within` is the model of the whole file: a
    key that only another block of it takes is sent there.
    """
    writer = _Writer(document, prefix, location(document, prefix) if label is None else label, within)
    return writer.problems(error.errors(include_url=False))


def unknown_keys(block: type[Block], document: Document, prefix: YamlPath = ()) -> list[Problem]:
    """A warning for each key that `block` does not take, in a file that other programs read too."""
    value = _value_at(document.data, prefix)
    keys = [key for key in value if key not in block.known_keys()] if isinstance(value, dict) else []
    return [
        Problem(
            f"{_prefixed(location(document, prefix))}unknown key {key!r} is ignored.",
            document.place((*prefix, key), key=True),
            did_you_mean(key, block.known_keys()).strip() or None,
            severity="warning",
        )
        for key in keys
    ]


def location(document: Document, path: YamlPath) -> str:
    """A path as people read it, list items counted from 1: `attacks[2] (ucar) > oracle > params`."""
    return _joined("", document.data, path)


class _Writer:
    """Writes the problems of one value."""

    def __init__(self, document: Document, prefix: YamlPath, label: str, within: type[Block] | None) -> None:
        self._document = document
        self._prefix = prefix
        self._label = label
        self._within = within
        self._value = _value_at(document.data, prefix)

    def problems(self, details: Sequence[ErrorDetails]) -> list[Problem]:
        """One problem per place; where a value may be of several types, the closest fit speaks."""
        grouped: dict[YamlPath, list[ErrorDetails]] = {}
        for detail in details:
            grouped.setdefault(_path(self._value, detail), []).append(detail)
        return [
            self._problem(path, group)
            for path, group in grouped.items()
            if not (_is_branch(path, group) and any(other[: len(path)] == path != other for other in grouped))
        ]

    def _problem(self, path: YamlPath, group: Sequence[ErrorDetails]) -> Problem:
        special = [detail for detail in group if detail["type"] not in _EXPECTED]
        detail = (special or group)[0]
        kind = detail["type"]
        if kind in ("extra_forbidden", "missing"):
            key, path = str(detail["loc"][-1]), path[:-1]
            if kind == "missing":
                return self._at(path, f"the key {key!r} is missing.")
            return self._unexpected(path, key, detail["input"])
        if special:
            return self._special(path, detail)
        written = _value_at(self._value, path)
        value = written if repr(plain(written)) == repr(detail["input"]) else detail["input"]
        return self._at(path, f"should be {_expected(group)}, not {shown(value)}.")

    def _special(self, path: YamlPath, detail: ErrorDetails) -> Problem:
        context = detail.get("ctx", {})
        if detail["type"] in ("literal_error", "enum"):
            options = re.findall("'([^']*)'", context["expected"])
            hint = f"{did_you_mean(str(detail['input']), options)} Valid: {context['expected']}."
            return self._at(path, f"{shown(detail['input'])} is not valid.", hint.strip())
        cause = context.get("error")
        if isinstance(cause, WrongKey):
            return self._at(path, f"{cause}.", key=cause.key)
        message = str(cause) if cause else detail["msg"].replace("Input should", "should")
        return self._at(path, message if message.endswith(".") else f"{message}.")

    def _unexpected(self, path: YamlPath, key: str, value: Any) -> Problem:
        if not isinstance(value, Unexpected):
            return self._at(path, f"unknown key {key!r}.", key=key)
        if value.twin:
            return self._at(path, f"{key!r} and {value.twin!r} mean the same; give one of them.", key=key)
        known = sorted(value.block.known_keys())
        homes = list(_homes(key, self._within or value.block))
        close = did_you_mean(key, known).strip()
        hint = close if close or not homes else f"It belongs {' or '.join(homes[:4])}."
        return self._at(path, f"unknown key {key!r}.", hint or f"Valid: {', '.join(known)}.", key=key)

    def _at(
        self, path: YamlPath, message: str, hint: str | None = None, *, key: str | None = None
    ) -> Problem:
        where = _prefixed(_joined(self._label, self._value, path))
        full = (*self._prefix, *path, *([key] if key else []))
        is_scalar = not isinstance(_value_at(self._document.data, full), (dict, list, type(None)))
        place = self._document.place(full, key=key is not None or not is_scalar)
        return Problem(f"{where}{message}", place, hint)


def _value_at(data: Any, path: YamlPath) -> Any:
    """What stands at `path`, None where nothing does."""
    for step in path:
        if not _has(data, step):
            return None
        data = data[step]
    return data


def _has(data: Any, step: str | int) -> bool:
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(data)


def _path(value: Any, detail: ErrorDetails) -> YamlPath:
    """Where an error stands: its location without pydantic's names for the branches of a union."""
    steps = detail["loc"]
    path: list[str | int] = []
    for number, step in enumerate(steps, 1):
        if _has(value, step):
            value = value[step]
            path.append(step)
        elif number == len(steps) and detail["type"] in ("missing", "extra_forbidden"):
            path.append(step)
    return tuple(path)


def _is_branch(path: YamlPath, group: Sequence[ErrorDetails]) -> bool:
    return all(len(detail["loc"]) > len(path) for detail in group)


def _expected(group: Sequence[ErrorDetails]) -> str:
    phrases = [_EXPECTED[detail["type"]].format(**detail.get("ctx", {})) for detail in group]
    return " or ".join(dict.fromkeys(phrases))


def _prefixed(where: str) -> str:
    return f"{where}: " if where else ""


def _joined(start: str, value: Any, path: YamlPath) -> str:
    """`start` continued by `path`, which is walked from `value`."""
    text = start
    for step in path:
        value = value[step] if _has(value, step) else None
        if isinstance(step, int):
            name = value.get("name", value.get("id")) if isinstance(value, dict) else None
            named = name is not None and not isinstance(name, (dict, list))
            text += f"[{step + 1}]" + (f" ({excerpt(str(as_typed(name)), 60)})" if named else "")
        else:
            text += f" > {step}" if text else step
    return text


def _homes(key: str, block: type[Block], path: str = "", seen: tuple[type[Block], ...] = ()) -> Iterator[str]:
    """Where `block` takes `key`, itself included, as words: `in attacks[] > execution`."""
    if key in block.known_keys():
        yield f"in {path}" if path else "at the top level"
    for step, inner in block.inner_blocks():
        if inner not in seen:
            yield from _homes(key, inner, f"{path} > {step}" if path else step, (*seen, block))

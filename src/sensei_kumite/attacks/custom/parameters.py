"""Parameters of a custom attack file: `{{parameters.name}}`, filled in before anything else is looked at.

A text that is one reference and nothing else becomes the value of the parameter, whatever its type; inside a
longer text a scalar is written as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sensei_kumite.attacks.custom.placeholders import ESCAPED, LONGEST_TEXT, NAME, texts
from sensei_kumite.attacks.custom.references import cycles, in_order
from sensei_kumite.attacks.custom.where import where_at
from sensei_kumite.config.fields import shown
from sensei_kumite.errors import Place, Problem
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_nodes import MAX_DEPTH
from sensei_kumite.yaml_reader import Document, YamlPath
from sensei_kumite.yaml_scalars import as_typed, plain

KEY = "parameters"
MOST_VALUES = 2_000_000
"""What references may add to a document, in scalars (a text counts one more per 100 characters)."""

_REFERENCE = re.compile(rf"{ESCAPED}|\{{\{{(\s*{KEY}\s*\.[^{{}}]*)\}}\}}")
_EXACT = re.compile(rf"{KEY}\.({NAME})")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A document with its parameters filled in, and their effective `values` as plain data.

    What could not be filled in is left as it stands, and its place is among those `left`. `is_filled` is
    false where the whole document had to be.
    """

    document: Document
    values: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    left: frozenset[Place] = frozenset()
    is_filled: bool = True


def resolve_parameters(document: Document, overrides: Mapping[str, Any]) -> Resolved:
    """Fill in the parameters of a file that holds a mapping, `overrides` in the place of its own values."""
    declared, problems = _declared(document, overrides)
    if not declared and not any(f"{KEY}." in text for _, text in texts(document.data)):
        return Resolved(document, problems=tuple(problems))
    filler = _Filler(document, declared, {name: overrides[name] for name in declared if name in overrides})
    try:
        data = filler.filled()
    except _TooMuch as error:
        return Resolved(document, problems=(*problems, error.problem), is_filled=False)
    values = {name: plain(filler.values.get(name)) for name in declared}
    found = (*problems, *filler.problems)
    return Resolved(replace(document, data=data), values, found, frozenset(filler.left))


def _declared(document: Document, overrides: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """The parameters of the file with their defaults; what is wrong with their names and the overrides."""
    declared = document.data.get(KEY) or {}
    if not isinstance(declared, dict):
        message = f"{KEY}: should be a mapping of names to values, not {shown(declared)}."
        return {}, [Problem(message, document.place((KEY,)))]
    message = "the name of a parameter is made of letters, digits and _, and does not begin with a digit."
    misnamed = [
        Problem(f"{KEY} > {name}: {message}", document.place((KEY, name), key=True))
        for name in declared
        if not re.fullmatch(NAME, name)
    ]
    return declared, misnamed + [_undeclared(name, declared) for name in overrides if name not in declared]


def _undeclared(name: str, declared: Collection[str]) -> Problem:
    """The override stands in the campaign, whose places are not known here."""
    message = f"{KEY} > {name}: the attack file declares no such parameter.{did_you_mean(name, declared)}"
    return Problem(message, hint=f"It declares: {', '.join(declared) or 'none'}.")


class _TooMuch(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _Filler:
    """Fills in one document: its parameters first, each after those that it uses."""

    def __init__(self, document: Document, declared: Mapping[str, Any], overrides: Mapping[str, Any]) -> None:
        self.values: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self.left: set[Place] = set()
        self._document = document
        self._raw = {**declared, **overrides}
        self._overridden = overrides.keys()
        self._sizes: dict[str, int] = {}
        self._depths: dict[str, int] = {}
        self._grown = 0
        self._deepest = 0

    def filled(self) -> dict[str, Any]:
        """The document's data; raises _TooMuch."""
        uses = {name: [*_references(value)] for name, value in self._raw.items()}
        circles = cycles(uses)
        for circle in circles:
            self._report((KEY, circle[0]), f"this parameter uses itself: {' -> '.join(circle)}.")
        endless = {name for circle in circles for name in circle}
        for name in in_order({**uses, **{name: [] for name in endless}}):
            if name not in endless:
                self._settle(name)
        data = self._document.data
        self._grown = 0
        return {key: data[key] if key == KEY else self._fill(data[key], (key,)) for key in data}

    def _settle(self, name: str) -> None:
        """Work out a parameter all of whose own references are settled, its size and its depth."""
        path: YamlPath = (KEY, name)
        before = len(self.left)
        self._grown, self._deepest = _size(self._raw[name]), len(path)
        value = self._fill(self._raw[name], path)
        if len(self.left) == before:
            self.values[name] = value
            self._sizes[name], self._depths[name] = self._grown, self._deepest - len(path)

    def _fill(self, value: Any, path: YamlPath) -> Any:
        self._deepest = max(self._deepest, len(path))
        if isinstance(value, dict):
            self._check_keys(value, path)
            return {key: self._fill(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._fill(item, (*path, place)) for place, item in enumerate(value)]
        return self._fill_text(value, path) if isinstance(value, str) and "{{" in value else value

    def _fill_text(self, text: str, path: YamlPath) -> Any:
        whole = _REFERENCE.fullmatch(text)
        if whole is None or whole[2] is None:
            inside = _REFERENCE.sub(lambda reference: self._inside(reference, path), text)
            if len(inside) > LONGEST_TEXT:
                raise _TooMuch(self._problem(path, f"parameters make this longer than {LONGEST_TEXT:,}."))
            return inside
        name = self._named(whole[2], path)
        if name not in self.values:
            self.left.add(self._document.place(path))
            return text
        self._grow(self._sizes[name], path)
        self._deepest = max(self._deepest, len(path) + self._depths[name])
        if self._deepest > MAX_DEPTH:
            raise _TooMuch(self._problem(path, f"parameters nest this deeper than {MAX_DEPTH} levels."))
        return self.values[name]

    def _inside(self, reference: re.Match[str], path: YamlPath) -> str:
        if reference[2] is None:
            return reference[0]
        name = self._named(reference[2], path)
        value = self.values.get(name)
        if isinstance(value, (dict, list)):
            message = f"the parameter {name!r} is {shown(value)}, which cannot stand inside a longer text."
            self._report(path, message)
        elif name in self.values:
            written = _as_yaml(value)
            self._grow(len(written) // 100, path)
            return written
        self.left.add(self._document.place(path))
        return reference[0]

    def _named(self, inner: str, path: YamlPath) -> str:
        """The parameter that a reference names; empty where it names none, which is a problem."""
        exact = _EXACT.fullmatch(inner)
        if exact is None:
            hint = f"Write {{{{{KEY}.name}}}}: the name alone, without spaces."
            self._report(path, f"{{{{{inner}}}}} refers to no parameter.", hint)
            return ""
        name = exact[1]
        if name not in self._raw:
            hint = f"Declared: {', '.join(self._raw)}." if self._raw else f"Declare it under {KEY}."
            self._report(path, f"there is no parameter {name!r}.{did_you_mean(name, self._raw)}", hint)
        return name

    def _check_keys(self, mapping: Mapping[str, Any], path: YamlPath) -> None:
        for key in mapping:
            if "{{" in key and _REFERENCE.search(key):
                self._report((*path, key), "a key cannot hold a reference.", key=True)

    def _grow(self, size: int, path: YamlPath) -> None:
        self._grown += size
        if self._grown > MOST_VALUES:
            raise _TooMuch(self._problem(path, "the parameters that this uses repeat too much."))

    def _report(self, path: YamlPath, message: str, hint: str | None = None, *, key: bool = False) -> None:
        self.problems.append(self._problem(path, message, hint, key=key))

    def _problem(
        self, path: YamlPath, message: str, hint: str | None = None, *, key: bool = False
    ) -> Problem:
        """An override stands in the campaign, whose places are not known here."""
        is_elsewhere = path[0] == KEY and path[1] in self._overridden
        problem = where_at(self._document, path).problem(message, hint, key=key)
        return replace(problem, place=None) if is_elsewhere else problem


def _references(value: Any) -> Iterator[str]:
    for _, text in texts(value):
        for reference in _REFERENCE.finditer(text):
            if reference[2] and (exact := _EXACT.fullmatch(reference[2])):
                yield exact[1]


def _size(value: Any) -> int:
    """How many scalars `value` holds, long texts counting for more."""
    if isinstance(value, (dict, list)):
        return sum(map(_size, value.values() if isinstance(value, dict) else value))
    return 1 + (len(value) // 100 if isinstance(value, str) else 0)


def _as_yaml(value: Any) -> str:
    """A scalar as YAML writes it, a number as it was typed."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(as_typed(value))

"""Queries with variables: `{{ name }}` stands for each value in turn, and several for every combination."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

_MARK = re.compile(r"\{\{ ((?:(?!\{\{|\}\}).)+?) \}\}")
_NAME = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True, slots=True)
class Template:
    """A query cut where a declared variable stands: `pieces` are text, name, text, name, …, text.

    `variables` are those in it with their values, in the order of the file.
    """

    pieces: tuple[str, ...]
    variables: Mapping[str, Sequence[str]]

    @property
    def count(self) -> int:
        """How many queries it makes."""
        return prod(map(len, self.variables.values()))

    def expansions(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Each query with the value of each variable, one at a time; the last variable changes fastest."""
        for values in product(*self.variables.values()):
            chosen = dict(zip(self.variables, values, strict=True))
            filled = (chosen[piece] if place % 2 else piece for place, piece in enumerate(self.pieces))
            yield "".join(filled), chosen


def read_template(query: str, variables: Mapping[str, Sequence[str]]) -> Template:
    """Cut `query` at its declared variables; everything else in it is text, braces or not."""
    pieces: list[str] = []
    start = 0
    for mark in _MARK.finditer(query):
        if mark[1] in variables:
            pieces += [query[start : mark.start()], mark[1]]
            start = mark.end()
    used = {*pieces[1::2]}
    in_order = {name: variables[name] for name in variables if name in used} if used else {}
    return Template((*pieces, query[start:]), in_order)


def undeclared(query: str, declared: Collection[str]) -> list[str]:
    """Names that stand in `query` as a variable would, without being one; `{{ 7*7 }}` is no name."""
    names = dict.fromkeys(_MARK.findall(query))
    return [name for name in names if name not in declared and _NAME.fullmatch(name)]

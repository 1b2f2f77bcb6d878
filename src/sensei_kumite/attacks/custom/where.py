"""Where in a custom attack file something stands: its place, and the way to it as problems tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sensei_kumite.attacks.custom.ids import id_of
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.text import excerpt
from sensei_kumite.yaml_reader import Document, YamlPath


def where_at(document: Document, path: YamlPath) -> Where:
    """The value at `path`, a case called by its number and its id."""
    where = Where(document)
    if path[:1] == ("cases",) and len(path) > 1 and isinstance(path[1], int):
        cases, position = document.data["cases"], path[1]
        item = cases[position] if isinstance(cases, list) else None
        where = Where(document, path[:2], f"cases[{position + 1}] ({excerpt(id_of(item, position), 60)})")
    return where.step(*path[len(where.path) :])


@dataclass(frozen=True, slots=True)
class Where:
    """A value of a document: its path, and what messages call it (`cases[2] (lock) > variables > code`)."""

    document: Document
    path: YamlPath = ()
    label: str = ""

    def step(self, *steps: str | int) -> Where:
        """A value inside of this one."""
        label = self.label
        for step in steps:
            word = f"[{step + 1}]" if isinstance(step, int) else f" > {step}" if label else step
            label += word
        return Where(self.document, (*self.path, *steps), label)

    @property
    def place(self) -> Place:
        """Where the value stands."""
        return self.document.place(self.path)

    def problem(
        self,
        message: str,
        hint: str | None = None,
        *,
        key: bool = False,
        severity: Literal["error", "warning"] = "error",
    ) -> Problem:
        """What is wrong with the value, or with its `key`."""
        place = self.document.place(self.path, key=key)
        return Problem(f"{self.label}: {message}", place, hint, severity)

    def problems(self, error: ConfigurationError) -> list[Problem]:
        """What somebody who knows neither the document nor the case found wrong with the value."""
        return [
            Problem(
                f"{self.label}: {problem.message}",
                problem.place or self.place,
                problem.hint,
            )
            for problem in error.problems
        ]

    def error(self, message: str, hint: str | None = None) -> ConfigurationError:
        """The same as an exception."""
        return ConfigurationError([self.problem(message, hint)])

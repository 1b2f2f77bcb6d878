"""Text files that variables read: found, read once, and kept for the cases that share them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sensei_kumite.attacks.custom.placeholders import LONGEST_TEXT
from sensei_kumite.errors import ConfigurationError, Place, Problem

Find = Callable[[str], Path]
"""Finds a file by the name that an attack file gives it; raises ConfigurationError."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as text."""

    path: Path
    text: str

    def place(self, position: int) -> Place:
        """Where the character at `position` stands."""
        before = self.text[:position]
        return Place(self.path, before.count("\n") + 1, position - before.rfind("\n"))


@dataclass(frozen=True, slots=True)
class TextFiles:
    """The text files of one attack file. Shared by threads that write its cases."""

    find: Find
    _read: dict[Path, TextFile] = field(default_factory=dict)

    def read(self, name: str) -> TextFile:
        """The UTF-8 text of the file `name`; raises ConfigurationError, without a place where it has none."""
        path = self.find(name)
        if path not in self._read:
            self._read[path] = TextFile(path, _read(path))
        return self._read[path]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > 4 * LONGEST_TEXT:
            raise ConfigurationError([Problem("this file is too large for a prompt.", Place(path))])
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError([Problem("this is not UTF-8 text.", Place(path))]) from None
    except IsADirectoryError:
        raise ConfigurationError([Problem("this is a folder where a file belongs.", Place(path))]) from None
    except OSError as error:
        message = f"this file cannot be read: {error.strerror}."
        raise ConfigurationError([Problem(message, Place(path))]) from None

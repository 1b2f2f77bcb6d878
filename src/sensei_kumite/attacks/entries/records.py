"""From a file to its entries as they were written, one at a time: a JSON object per line, or YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from sensei_kumite.config.fields import shown
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.text import excerpt, replace_surrogates
from sensei_kumite.yaml_nodes import Node
from sensei_kumite.yaml_reader import Document, YamlPath, parse_yaml

SUFFIXES = (".jsonl", ".yml", ".yaml")

_BEGINS_DOCUMENT = re.compile(r"---(?=\s|\Z)")
_ENDS_DOCUMENT = re.compile(r"\.\.\.(?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Record:
    """An entry as it was written: the value at `path` of `document`, the `number`th of its file."""

    number: int
    value: dict[str, Any]
    document: Document
    path: YamlPath


@dataclass(frozen=True, slots=True)
class _Part(Document):
    """One of the documents of a file; `begins` lines stand before it."""

    begins: int = 0

    def place(self, path: YamlPath = (), *, key: bool = False) -> Place:
        """Where the value stands in the file."""
        place = Document.place(self, path, key=key)
        return Place(place.file, (place.line or 0) + self.begins, place.column)


def read_records(path: Path) -> Iterator[Record | Problem]:
    """The entries of the file in order, and in its place what is wrong with one that is none.

    Raises ConfigurationError at what keeps the rest from being read.
    """
    values = _json_lines(path) if path.suffix.lower() == ".jsonl" else _yaml_items(path)
    numbers = count(1)
    for found in values:
        if isinstance(found, Problem):
            yield found
            continue
        number, (document, where, value) = next(numbers), found
        if isinstance(value, dict):
            yield Record(number, value, document, where)
        else:
            message = f"entry {number}: should be a mapping of keys to values, not {shown(value)}."
            yield Problem(message, document.place(where))


_Value = tuple[Document, YamlPath, Any]


def _json_lines(path: Path) -> Iterator[_Value | Problem]:
    """The value of each line that is not blank."""
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            value = json.loads(line.rstrip(), parse_constant=_no_number)
            if "\\ud" in line.lower():  # half a character would fit into no request
                value = json.loads(replace_surrogates(json.dumps(value, ensure_ascii=False)))
        except json.JSONDecodeError as error:
            message = f"this line is no JSON object: {error.msg}: `{excerpt(line, 80)}`."
            yield Problem(message, Place(path, number, error.colno))
        except (ValueError, RecursionError) as error:
            yield Problem(f"this line is no JSON object: {error}.", Place(path, number))
        else:
            yield Document(path, value, Node(value, (number - 1, 0))), (), value


def _yaml_items(path: Path) -> Iterator[_Value]:
    """The items of a list in each document, or the document where it is none."""
    for document in _documents(path):
        if isinstance(document.data, list):
            for index, item in enumerate(document.data):
                yield document, (index,), item
        else:
            yield document, (), document.data


def _documents(path: Path) -> Iterator[Document]:
    """The documents of a YAML file that say something, one at a time."""
    lines: list[str] = []
    begins, says_something = 0, False
    for number, line in _lines(path):
        is_next = bool(_BEGINS_DOCUMENT.match(line))
        if is_next and (says_something or any(map(_BEGINS_DOCUMENT.match, lines))):
            if says_something:
                yield _parsed("".join(lines), path, begins)
            lines, begins, says_something = [], number - 1, False
        lines.append(line)
        says_something = says_something or _says_something(line)
        if _ENDS_DOCUMENT.match(line):
            if says_something:
                yield _parsed("".join(lines), path, begins)
            lines, begins, says_something = [], number, False
    if says_something:
        yield _parsed("".join(lines), path, begins)


def _says_something(line: str) -> bool:
    """Whether a line begins more than comments, directives and marks between documents."""
    marked = _BEGINS_DOCUMENT.match(line) or _ENDS_DOCUMENT.match(line)
    rest = line[marked.end() if marked else 0 :].strip()
    return bool(rest) and not rest.startswith("#") and not line.startswith("%")


def _parsed(text: str, path: Path, begins: int) -> Document:
    try:
        document = parse_yaml(text, path)
    except ConfigurationError:
        document = parse_yaml("\n" * begins + text, path)  # fails again, with the lines of the file
    return _Part(path, document.data, document._root, begins)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; raises ConfigurationError where the file is no text or cannot be read."""
    number = 0
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                yield number, raw.decode("utf-8" if number > 1 else "utf-8-sig")
    except UnicodeDecodeError:
        problem = Problem(
            "this is not UTF-8 text.", Place(path, number), "Save the file with the encoding UTF-8."
        )
    except OSError as error:
        problem = Problem(f"this file cannot be read: {error.strerror}.", Place(path))
    else:
        return
    raise ConfigurationError([problem])


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")

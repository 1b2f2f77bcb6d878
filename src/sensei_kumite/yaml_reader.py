"""Reading the files people write: YAML 1.2 as plain data that knows where each value stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.text import visible
from sensei_kumite.yaml_nodes import Fault, Node, Spot, read_nodes

_LINE_SHOWN = 120
# libyaml, like all of YAML 1.1, also ends lines at the last three.
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_VERSION = re.compile(r"((?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*)%(?=YAML[ \t]+1\.\d+[ \t]*(?:#|\r|\n|\Z))")
_STARTS_WITH_BRACES = re.compile(r"(^|[:\-,\[])\s*\{\{")

# What libyaml says, in words that help.
_PLAIN_WORDS = {
    "did not find expected node content": "a value was expected here",
    "did not find expected key": "a key was expected here",
    "did not find expected '-' indicator": "a list item ('- ') was expected here",
    "did not find expected ',' or ']'": "',' or ']' was expected here",
    "did not find expected ',' or '}'": "',' or '}' was expected here",
    "did not find expected <document start>": "the file should have ended before this line",
    "found unknown escape character": "there is no such escape",
    "mapping values are not allowed in this context": "a ': ' cannot stand here",
    "found character that cannot start any token": "a value cannot start with this character",
}
# The same for what it notices only where the next thing begins.
_ENDLESS = {
    "found unexpected end of stream": "the quotes that open here are never closed",
    "could not find expected ':'": "a ':' was expected after this key",
}

YamlPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file as plain data, that can say where each value stands."""

    path: Path
    data: Any
    _root: Node = field(repr=False)

    def place(self, path: YamlPath = (), *, key: bool = False) -> Place:
        """Where the value at `path` stands (its key with `key=True`), or its nearest known parent."""
        node, spot = self._root, self._root.spot
        for position, step in enumerate(path):
            if key and position == len(path) - 1 and step in node.keys:
                spot = node.keys[step]
                break
            if step not in node.children:
                break
            node = node.children[step]
            spot = node.spot
        return Place(self.path, spot[0] + 1, spot[1] + 1)


def load_yaml(path: Path, *, text_only: bool = False) -> Document:
    """Read a YAML 1.2 file; raises ConfigurationError with file:line:column and the offending line.

    With `text_only`, unquoted words stay the text that was typed: `true`, `007`, `~`.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise _unreadable(path, "this file does not exist.") from None
    except IsADirectoryError:
        raise _unreadable(path, "this is a folder where a file belongs.") from None
    except OSError as error:
        raise _unreadable(path, f"this file cannot be read: {error.strerror}.") from None
    try:
        return parse_yaml(raw.decode("utf-8"), path, text_only=text_only)
    except UnicodeDecodeError as error:
        place = Place(path, raw.count(b"\n", 0, error.start) + 1)
        problem = Problem("this is not UTF-8 text.", place, "Save the file with the encoding UTF-8.")
        raise ConfigurationError([problem]) from None


def parse_yaml(text: str, path: Path, *, text_only: bool = False) -> Document:
    """Read YAML 1.2 text that came from `path`; raises ConfigurationError as `load_yaml` does."""
    text = text.removeprefix("\ufeff")
    faults: list[Fault] = []
    try:
        _check_characters(text)
        root = read_nodes(_without_version(text), faults, text_only=text_only)
    except Fault as fault:
        faults.append(fault)
    except yaml.MarkedYAMLError as error:
        faults.append(_syntax_fault(error))
    if faults:
        lines = _BREAK.split(text)
        raise ConfigurationError([_problem(fault, path, lines) for fault in faults])
    return Document(path, root.value, root)


def _unreadable(path: Path, message: str) -> ConfigurationError:
    return ConfigurationError([Problem(message, Place(path))])


def _check_characters(text: str) -> None:
    if found := _UNPRINTABLE.search(text):
        lines = _BREAK.split(text[: found.start()])
        spot: Spot = (len(lines) - 1, len(lines[-1]))
        code = ord(found[0])
        hint = f'Inside double quotes it is written "\\u{code:04x}".' if code < 0xD800 else None
        raise Fault(f"the character U+{code:04X} cannot stand in YAML as it is", spot, hint)


def _without_version(text: str) -> str:
    """`text` with its `%YAML 1.x` line made a comment, for libyaml does not know every minor version."""
    version = _VERSION.match(text)
    return f"{version[1]}#{text[version.end() :]}" if version else text


def _syntax_fault(error: yaml.MarkedYAMLError) -> Fault:
    """libyaml's complaint; what was begun further up and never ended is shown where it begins."""
    problem, start = error.problem or "this is not valid YAML", error.context_mark
    mark = error.problem_mark or start
    if start and problem in _ENDLESS:
        return Fault(_ENDLESS[problem], (start.line, start.column))
    problem = _PLAIN_WORDS.get(problem, problem)
    if start and mark and start.line < mark.line:
        problem = f"{problem} (compare line {start.line + 1})"
    return Fault(problem, (mark.line, mark.column) if mark else (0, 0))


def _problem(fault: Fault, path: Path, lines: list[str]) -> Problem:
    """A fault as people read it, with the offending line and what to do about it."""
    row, column = fault.spot
    line = lines[row] if row < len(lines) else ""
    start = max(0, column - _LINE_SHOWN // 2) if len(line) > _LINE_SHOWN else 0
    shown = visible(line[start : start + _LINE_SHOWN]).strip()
    message = f"{fault.message}, in line {row + 1}: `{shown}`." if shown else f"{fault.message}."
    return Problem(
        message, Place(path, row + 1, column + 1), fault.hint or _hint(fault.message, line, column)
    )


def _hint(message: str, line: str, column: int) -> str | None:
    character = line[column : column + 1]
    if _STARTS_WITH_BRACES.search(line):
        return 'A value that starts with {{ must be quoted: "{{name}}".'
    if character == "\t":
        return "Indent with spaces, not with tabs."
    if "cannot start with" in message:
        return f"A value that starts with {character} must be quoted."
    if "no such escape" in message:
        return "Use single quotes, in which a backslash is a backslash, or write it twice."
    if "': '" in message:
        return "Quote a value that contains ': ', or check how the lines are indented."
    return None

"""Files people write and files we write: YAML 1.2 with positions, path resolution, atomic writes."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import yaml

from sensei_kumite.errors import ConfigurationError, Place, Problem

_MAX_DEPTH = 100
_MAX_ALIAS_GROWTH = 100_000
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,300}")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_CORE_TAGS = {
    f"tag:yaml.org,2002:{name}": name for name in ("str", "int", "float", "bool", "null", "map", "seq")
}

YamlPath = tuple[str | int, ...]


class TypedInt(int):
    """An integer that remembers how it was typed (`007`)."""

    source: str

    def __new__(cls, source: str) -> TypedInt:
        """Read decimal, `0o17` octal and `0x1f` hexadecimal digits."""
        base = 8 if "0o" in source else 16 if "0x" in source else 10
        self = super().__new__(cls, source, base)
        self.source = source
        return self


class TypedFloat(float):
    """A float that remembers how it was typed (`1.10`)."""

    source: str

    def __new__(cls, source: str) -> TypedFloat:
        """Read a decimal fraction, an exponent, `.inf` or `.nan`."""
        word = source.lower()
        self = super().__new__(cls, word.replace(".", "") if word.endswith(("inf", "nan")) else source)
        self.source = source
        return self


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


@dataclass(slots=True)
class _Node:
    """A value with its place; `children` by key or index, `keys` the places of a mapping's keys."""

    value: Any
    mark: yaml.Mark
    children: dict[str | int, _Node] = field(default_factory=dict)
    keys: dict[str | int, yaml.Mark] = field(default_factory=dict)
    size: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file as plain data, that can say where each value stands."""

    path: Path
    data: Any
    _root: _Node

    def place(self, path: YamlPath = (), *, key: bool = False) -> Place:
        """Where the value at `path` stands (its key with `key=True`), or its nearest known parent."""
        node, mark = self._root, self._root.mark
        for position, step in enumerate(path):
            if key and position == len(path) - 1 and step in node.keys:
                mark = node.keys[step]
                break
            if step not in node.children:
                break
            node = node.children[step]
            mark = node.mark
        return Place(self.path, mark.line + 1, mark.column + 1)


def load_yaml(path: Path) -> Document:
    """Read a YAML 1.2 file; raises ConfigurationError with file:line:column and the offending line."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigurationError([Problem(f"cannot be read: {error.strerror}.", Place(path))]) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ConfigurationError(
            [Problem("is not UTF-8 text.", Place(path, line), "Save the file with the encoding UTF-8.")]
        ) from None
    return parse_yaml(text, path)


def parse_yaml(text: str, path: Path) -> Document:
    """Read YAML 1.2 text that came from `path`; raises ConfigurationError as `load_yaml` does."""
    builder = _Builder(path, text)
    try:
        root = builder.build(yaml.parse(_yaml_1_2_header(text), Loader=yaml.CSafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise builder.error(error.problem or error.context or "is not valid YAML", mark) from None
    except yaml.YAMLError as error:
        raise builder.error(str(error).splitlines()[0], None) from None
    if builder.problems:
        raise ConfigurationError(builder.problems)
    return Document(path, root.value, root)


def _yaml_1_2_header(text: str) -> str:
    """libyaml warns about `%YAML 1.2` in old versions and rejects later minors: blank the line, keep its place."""
    return re.sub(r"\A%YAML 1\.\d+[^\n]*", lambda match: "#" + match[0][1:], text.replace("\r\n", "\n"))


class _Builder:
    """Builds nodes from parser events with an explicit stack, so that no nesting exhausts ours."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.problems: list[Problem] = []
        self._anchors: dict[str, _Node] = {}

    def build(self, events: Iterator[yaml.Event]) -> _Node:
        """The root node of the single document in `events`; an empty file is null."""
        roots: list[_Node] = []
        stack: list[_Collection] = []
        for event in events:
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._open(event, stack)
                continue
            if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                node = stack.pop().close()
                self._check_growth(node)
            elif isinstance(event, yaml.ScalarEvent):
                node = self._scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                node = self._alias(event, stack)
            else:
                if isinstance(event, yaml.DocumentStartEvent) and roots:
                    raise self.error("holds more than one YAML document; one is expected", event.start_mark)
                continue
            if stack:
                self._attach(stack[-1], node, event.start_mark)
            else:
                roots.append(node)
        return roots[0] if roots else _Node(None, yaml.Mark(str(self.path), 0, 0, 0, None, None))

    def error(self, message: str, mark: yaml.Mark | None) -> ConfigurationError:
        """A syntax error with its place and the offending line."""
        if mark is None:
            return ConfigurationError([Problem(f"{message}.", Place(self.path))])
        return ConfigurationError([self._problem(message, mark)])

    def _problem(self, message: str, mark: yaml.Mark) -> Problem:
        line = self.lines[mark.line].strip() if mark.line < len(self.lines) else ""
        shown = f"{message}: {line[:120]}" if line else f"{message}."
        hint = None
        if re.search(r"(^|[:\-,\[]\s*)\{\{", line):
            hint = 'A value that starts with {{ must be quoted: "{{name}}".'
        return Problem(shown, Place(self.path, mark.line + 1, mark.column + 1), hint)

    def _open(self, event: yaml.CollectionStartEvent, stack: list[_Collection]) -> None:
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if _CORE_TAGS.get(event.tag, "map") not in ("map", "seq") or (
            event.tag and event.tag not in _CORE_TAGS
        ):
            raise self.error(f"the tag {event.tag!r} is not allowed; only plain data is", event.start_mark)
        if stack and stack[-1].expects_key:
            raise self.error("a mapping or list cannot be a key", event.start_mark)
        if len(stack) >= _MAX_DEPTH:
            raise self.error(f"is nested deeper than {_MAX_DEPTH} levels", event.start_mark)
        node = _Node({} if is_mapping else [], event.start_mark)
        if event.anchor:
            self._anchors[event.anchor] = node
        stack.append(_Collection(node))

    def _scalar(self, event: yaml.ScalarEvent) -> _Node:
        node = _Node(self._scalar_value(event), event.start_mark)
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _scalar_value(self, event: yaml.ScalarEvent) -> Any:
        if event.tag is None or event.tag == "!":
            return event.value if event.style or event.tag else _resolve(event.value)
        if event.tag not in _CORE_TAGS:
            raise self.error(f"the tag {event.tag!r} is not allowed; only plain data is", event.start_mark)
        return event.value if _CORE_TAGS[event.tag] == "str" else _resolve(event.value)

    def _alias(self, event: yaml.AliasEvent, stack: list[_Collection]) -> _Node:
        node = self._anchors.get(event.anchor)
        if node is None:
            raise self.error(f"the alias *{event.anchor} has no anchor", event.start_mark)
        if any(collection.node is node for collection in stack):
            raise self.error(f"the alias *{event.anchor} contains itself", event.start_mark)
        return node

    def _attach(self, parent: _Collection, node: _Node, mark: yaml.Mark) -> None:
        """Put `node` into the collection being read: as an item, a key, or the value of the last key."""
        target = parent.node
        target.size += node.size
        if isinstance(target.value, list):
            target.children[len(target.value)] = node
            target.value.append(node.value)
        elif parent.expects_key:
            parent.key, parent.key_mark = str(as_typed(_key_text(node.value))), mark
        else:
            self._set(parent, node)

    def _set(self, parent: _Collection, node: _Node) -> None:
        key, target = parent.key, parent.node
        assert key is not None and parent.key_mark is not None  # noqa: S101  # for the type checker
        parent.key = None
        if key == "<<":
            self._merge(parent, node)
            return
        if key in target.keys:
            first = target.keys[key].line + 1
            self.problems.append(
                self._problem(f"duplicate key {key!r}, first on line {first}", parent.key_mark)
            )
        target.value[key] = node.value
        target.children[key] = node
        target.keys[key] = parent.key_mark

    def _merge(self, parent: _Collection, node: _Node) -> None:
        """`<<: *defaults`: take over keys that are not written in the mapping itself."""
        sources = list(node.children.values()) if isinstance(node.value, list) else [node]
        for source in sources:
            if not isinstance(source.value, dict):
                raise self.error("<< takes a mapping or a list of mappings", source.mark)
            for key, child in source.children.items():
                parent.merged.setdefault(key, child)

    def _check_growth(self, node: _Node) -> None:
        """Aliases may repeat content, but not blow a small file up into a huge one."""
        if node.size > _MAX_ALIAS_GROWTH + 100 * len(self.lines):
            raise self.error("alias expansion makes this value too large", node.mark)


@dataclass(slots=True)
class _Collection:
    """A mapping or list while it is read."""

    node: _Node
    key: str | None = None
    key_mark: yaml.Mark | None = None
    merged: dict[str | int, _Node] = field(default_factory=dict)

    @property
    def expects_key(self) -> bool:
        return isinstance(self.node.value, dict) and self.key is None

    def close(self) -> _Node:
        """The finished node, with the merged keys that it does not set itself."""
        for key, child in self.merged.items():
            if key not in self.node.children:
                self.node.value[key] = child.value
                self.node.children[key] = child
        return self.node


def _key_text(value: Any) -> Any:
    """Keys are text as typed; `true:` and `null:` keep their YAML spelling."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return value


def _resolve(text: str) -> Any:
    """The YAML 1.2 core schema: what an unquoted scalar means."""
    if text in _NULLS:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return TypedInt(text)
    if _FLOAT.fullmatch(text):
        return TypedFloat(text)
    return text


def resolve_path(name: str, folders: Sequence[Path]) -> Path:
    """The file or folder `name` in the first of `folders` that has it; raises ConfigurationError."""
    for folder in folders:
        candidate = folder / Path(name).expanduser()
        if candidate.exists():
            return candidate.resolve()
    searched = ", ".join(str(folder) for folder in folders)
    raise ConfigurationError([Problem(f"{name!r} was not found.", hint=f"Searched in: {searched}.")])


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[str]]:
    """Write a file aside and rename it when complete, so that no half-written file is ever seen."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def file_name(text: str) -> str:
    """`text` as one path component: only letters, digits and `._-`, never `.` or `..`."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", text)[:100]
    return name if name.strip(".") else "_" * max(1, len(name))

"""From libyaml's events to a tree of plain values with their places: what may stand in a file, and what not.

Core scalars only, duplicate keys refused, aliases and nesting bounded, no tag that is not plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import yaml

from sensei_kumite.yaml_scalars import resolve_scalar, text_or_nothing

MAX_DEPTH = 100
# How large a value may become by aliases, in scalars (a text counts one more per 100 characters).
MAX_GROWTH = 200_000
_CORE = "tag:yaml.org,2002:"
_TAGGED_SCALARS: dict[str, tuple[type, ...]] = {
    f"{_CORE}int": (int,),
    f"{_CORE}float": (int, float),
    f"{_CORE}bool": (bool,),
    f"{_CORE}null": (type(None),),
}
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Spot = tuple[int, int]


class Fault(Exception):
    """Something wrong at a spot of the text."""

    def __init__(self, message: str, spot: Spot, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.spot = spot
        self.hint = hint


class Node:
    """A value with its place: line and column from 0.

    `children` are values by key or index, `keys` the places of keys; `text` is a scalar as typed.
    """

    __slots__ = ("children", "depth", "keys", "size", "spot", "text", "value")

    def __init__(self, value: Any, spot: Spot, text: str | None = None) -> None:
        self.value = value
        self.spot = spot
        self.text = text
        self.size = 1 if text is None else 1 + len(text) // 100
        self.depth = 0
        self.children: Mapping[str | int, Node] = _NO_NODES
        self.keys: Mapping[str | int, Spot] = _NO_SPOTS


_NO_NODES: Mapping[str | int, Node] = MappingProxyType({})
_NO_SPOTS: Mapping[str | int, Spot] = MappingProxyType({})


def read_nodes(text: str, faults: list[Fault], *, text_only: bool = False) -> Node:
    """The root of the only document in `text`; an empty file is null.

    With `text_only`, unquoted scalars are the text that was typed. Faults that leave the rest readable are
    added to `faults`; raises Fault or yaml.MarkedYAMLError at others.
    """
    growth = MAX_GROWTH + 2 * len(text)
    builder = _Builder(faults, growth, text_or_nothing if text_only else resolve_scalar)
    return builder.build(yaml.parse(text, Loader=_LOADER))


class _List:
    """A list while it is read."""

    __slots__ = ("children", "items", "node")

    def __init__(self, spot: Spot) -> None:
        self.items: list[Any] = []
        self.children: dict[str | int, Node] = {}
        self.node = Node(self.items, spot)
        self.node.children = self.children

    def add(self, item: Node, spot: Spot, *, merges: bool) -> None:  # noqa: ARG002  # as _Mapping.add
        """Append `item`."""
        self.children[len(self.items)] = item
        self.items.append(item.value)

    def close(self) -> Node:
        """The finished list."""
        return self.node


class _Mapping:
    """A mapping while it is read: keys and values alternate."""

    __slots__ = ("children", "faults", "items", "key", "keys", "merged", "merges", "node")

    def __init__(self, spot: Spot, faults: list[Fault]) -> None:
        self.items: dict[str, Any] = {}
        self.node = Node(self.items, spot)
        self.children: dict[str | int, Node] = {}
        self.keys: dict[str | int, Spot] = {}
        self.merged: dict[str | int, Node] = {}
        self.node.children, self.node.keys = self.children, self.keys
        self.faults = faults
        self.key: str | None = None
        self.merges = False

    def add(self, item: Node, spot: Spot, *, merges: bool) -> None:
        """Take `item` as the next key, or as the value of the last one."""
        if self.key is None:
            self._begin(item, spot)
            self.merges = merges
            return
        key, self.key = self.key, None
        if self.merges:
            self._merge(item)
        else:
            self.items[key] = item.value
            self.children[key] = item

    def _begin(self, item: Node, spot: Spot) -> None:
        key = item.text
        if key is None:
            raise Fault("a mapping or a list cannot be a key", spot)
        if key in self.keys:
            first = self.keys[key][0] + 1
            self.faults.append(Fault(f"duplicate key {key!r}, which line {first} has already", spot))
        self.key, self.keys[key] = key, spot

    def _merge(self, item: Node) -> None:
        """`<<: *defaults`: take over the keys that are not written in the mapping itself."""
        for source in item.children.values() if isinstance(item.value, list) else [item]:
            if not isinstance(source.value, dict):
                raise Fault("<< takes a mapping or a list of mappings", source.spot)
            for key, child in source.children.items():
                self.merged.setdefault(key, child)

    def close(self) -> Node:
        """The finished mapping, with the merged keys that it does not set itself."""
        for key, child in self.merged.items():
            if key not in self.children:
                self.items[str(key)] = child.value
                self.children[key] = child
        return self.node


class _Builder:
    """Builds nodes from events with a stack of its own, so that no nesting exhausts Python's."""

    def __init__(self, faults: list[Fault], growth: int, resolve: Callable[[str], Any]) -> None:
        self._faults = faults
        self._growth = growth
        self._resolve = resolve
        self._root: Node | None = None
        self._stack: list[_List | _Mapping] = []
        self._anchors: dict[str, Node] = {}

    def build(self, events: Iterable[yaml.Event]) -> Node:
        """The root of the only document in `events`; an empty file is null. Raises Fault."""
        readers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.MappingStartEvent: self._start,
            yaml.SequenceStartEvent: self._start,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.DocumentStartEvent: self._document,
        }
        for event in events:
            if read := readers.get(type(event)):
                read(event)
        return self._root or Node(None, (0, 0), "")

    def _add(self, node: Node, spot: Spot, *, merges: bool = False) -> None:
        if not self._stack:
            self._root = node
            return
        parent = self._stack[-1]
        above = parent.node
        above.size += node.size
        if node.depth >= above.depth:
            above.depth = node.depth + 1
        parent.add(node, spot, merges=merges)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        spot, text = _spot(event), event.value
        is_plain = event.tag is None and not event.style
        node = Node(self._resolve(text) if is_plain else _tagged(event, text), spot, text)
        if event.anchor:
            self._anchors[event.anchor] = node
        self._add(node, spot, merges=is_plain and text == "<<")

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        spot, is_mapping = _spot(event), isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", f"{_CORE}map" if is_mapping else f"{_CORE}seq"):
            raise _wrong_tag(event)
        if len(self._stack) >= MAX_DEPTH:
            raise Fault(f"this is nested deeper than {MAX_DEPTH} levels", spot)
        opened = _Mapping(spot, self._faults) if is_mapping else _List(spot)
        if event.anchor:
            self._anchors[event.anchor] = opened.node
        self._stack.append(opened)

    def _end(self, event: yaml.CollectionEndEvent) -> None:  # noqa: ARG002  # called like the others
        node = self._stack.pop().close()
        if node.size > self._growth:
            raise Fault("the aliases (*name) in this value repeat too much", node.spot)
        if node.depth > MAX_DEPTH:
            raise Fault(f"aliases (*name) nest this value deeper than {MAX_DEPTH} levels", node.spot)
        self._add(node, node.spot)

    def _alias(self, event: yaml.AliasEvent) -> None:
        spot, name = _spot(event), event.anchor or ""
        node = self._anchors.get(name)
        if node is None:
            raise Fault(f"the alias *{name} has no anchor &{name} before it", spot)
        if any(collection.node is node for collection in self._stack):
            raise Fault(f"the alias *{name} stands inside the value that it repeats", spot)
        self._add(node, spot)

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        if self._root is not None:
            raise Fault("a second YAML document begins here; a file holds one", _spot(event))


def _tagged(event: yaml.ScalarEvent, text: str) -> Any:
    """A quoted or tagged scalar; `!!int "7"` is a number, a tag that does not fit a Fault."""
    tag = event.tag or "!"
    if tag in ("!", f"{_CORE}str"):
        return text
    value, types = resolve_scalar(text), _TAGGED_SCALARS.get(tag, ())
    if isinstance(value, types) and (bool in types or not isinstance(value, bool)):
        return value
    raise _wrong_tag(event)


def _wrong_tag(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> Fault:
    tag = str(event.tag).replace(_CORE, "!!")
    return Fault(f"the tag {tag} does not fit here: only plain data is read", _spot(event))


def _spot(event: Any) -> Spot:
    mark = event.start_mark
    return (mark.line, mark.column)

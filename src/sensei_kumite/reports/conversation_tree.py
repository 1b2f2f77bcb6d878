"""The conversation of a search as a tree to draw: the path that counts, and the branches that were given up.

Its graph may come from anybody's script. Only the parents in it are relied on: from the root one reaches each
message once, and never one whose parents are missing or go round in a circle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sensei_kumite.reports.message_notes import LONGEST_NOTE, has_sessions, message_notes
from sensei_kumite.reports.page_texts import as_text, cut

MOST_MESSAGES = 500
LONGEST_MESSAGE = 10_000
_MOST_ENDS = 50
_ROOT = "0"


@dataclass(slots=True)
class _Graph:
    """What can be reached from the root: `order` has every message behind its parent, siblings by age.

    `has_sessions` tells that they belong to more than one session.
    """

    data: dict[str, Any]
    parent: dict[str, str]
    children: dict[str, list[str]]
    order: list[str]
    has_sessions: bool


def conversation_tree(graph: Any, conversation: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The tree as threads of steps, None where `graph` holds no message.

    A thread is a list of steps, one message each, that goes on without indentation; the branches of a step
    are the threads that were given up after it. The outermost thread is the path that the turns of
    `conversation` name, else the one to the newest message. In a branch the thread follows the larger part,
    so that threads are nested no deeper than the logarithm of `MOST_MESSAGES`.
    """
    read = _read(graph)
    if read is None:
        return None
    path = _path(read, _end(read, _said(conversation)))
    kept = _kept(read, path)
    sizes = _sizes(read, kept)
    steps = _steps(read, sizes, _ROOT, path[1:])
    messages = len(kept) - (read.data[_ROOT] is None)
    if not messages:
        return None
    return {
        "steps": steps,
        "messages": messages,
        "abandoned": _count_branches(steps),
        "left_out": len(read.order) - len(kept),
    }


def _read(graph: Any) -> _Graph | None:
    if not isinstance(graph, Mapping) or _ROOT not in graph:
        return None
    nodes = {str(name): node for name, node in graph.items() if isinstance(node, Mapping)}
    parent = {name: str(node.get("parent")) for name, node in nodes.items() if name != _ROOT}
    children: dict[str, list[str]] = {}
    for name in sorted(parent, key=_age):
        children.setdefault(parent[name], []).append(name)
    order = [_ROOT]
    for name in order:  # grows while it is gone through: each message is the child of one parent only
        order.extend(children.get(name, ()))
    data = {name: nodes.get(name, {}).get("data") for name in order}
    return _Graph(data, parent, children, order, has_sessions(data.values()))


def _age(name: str) -> int:
    """Messages are numbered as they are added; other names keep their order, before all numbers."""
    return int(name) if name.isdecimal() and len(name) < 19 else -1


def _said(conversation: Sequence[Mapping[str, Any]]) -> list[str]:
    texts = (turn.get(speaker) for turn in conversation for speaker in ("User", "Assistant"))
    return [text for text in texts if isinstance(text, str)]


def _end(read: _Graph, said: list[str]) -> str:
    """Where the path ends that consists of the last texts of `said`; without one, the newest message."""
    newest_first = sorted(read.order, key=_age, reverse=True)
    if said:
        ends = (name for name in newest_first if _content(read.data[name]) == said[-1])
        for name in islice(ends, _MOST_ENDS):
            texts = [_content(read.data[step]) for step in _path(read, name) if read.data[step] is not None]
            if texts == said[-len(texts) :]:
                return name
    return newest_first[0]


def _path(read: _Graph, end: str) -> list[str]:
    """From the root to `end`."""
    path = [end]
    while path[-1] != _ROOT:
        path.append(read.parent[path[-1]])
    return path[::-1]


def _kept(read: _Graph, path: list[str]) -> set[str]:
    """As many messages as a page can draw: those of the path, then those nearest to the root."""
    room = MOST_MESSAGES + 1
    kept = set(path[:room])
    kept.update(islice((name for name in read.order if name not in kept), room - len(kept)))
    return kept


def _sizes(read: _Graph, kept: set[str]) -> dict[str, int]:
    """How many messages each kept one leads to, itself included."""
    sizes = dict.fromkeys(kept, 1)
    for name in reversed(read.order):
        if name in kept and name != _ROOT:
            sizes[read.parent[name]] += sizes[name]
    return sizes


def _steps(
    read: _Graph, sizes: Mapping[str, int], start: str, path: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """The thread from `start` on: along `path` where there is one, else towards the larger part."""
    steps: list[dict[str, Any]] = []
    following = None if path is None else iter(path)
    at: str | None = start
    while at is not None:
        children = [child for child in read.children.get(at, ()) if child in sizes]
        if following is None:
            onward = max(reversed(children), key=sizes.__getitem__, default=None)
        else:
            onward = next(following, None)
            onward = onward if onward in sizes else None
        branches = [
            {"size": sizes[child], "steps": _steps(read, sizes, child)}
            for child in children
            if child != onward
        ]
        steps.append({**_message(read.data[at], sessions=read.has_sessions), "branches": branches})
        at = onward
    return steps


def _message(data: Any, *, sessions: bool) -> dict[str, Any]:
    """Who said what, and what the search noted of it."""
    role = data.get("role") if isinstance(data, Mapping) else None
    content = _content(data)
    return {
        "role": "" if role is None else as_text(role)[:LONGEST_NOTE],
        "text": None if data is None else cut(content, LONGEST_MESSAGE),
        "notes": message_notes(data, sessions=sessions),
    }


def _content(data: Any) -> str:
    return as_text(data["content"] if isinstance(data, Mapping) and "content" in data else data)


def _count_branches(steps: Sequence[Mapping[str, Any]]) -> int:
    return sum(1 + _count_branches(branch["steps"]) for step in steps for branch in step["branches"])

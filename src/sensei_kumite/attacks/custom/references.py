"""Who refers to whom: circles of references, and an order in which each comes after what it uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from graphlib import TopologicalSorter

Uses = Mapping[str, Collection[str]]
"""What each name refers to; names that are no key refer to nothing."""


def cycles(uses: Uses) -> list[list[str]]:
    """Circles of names, each of which uses the next; without the names in them none is left.

    A circle begins and ends with that name of it which stands first in `uses`. It may have any length:
    nothing here is recursive.
    """
    order = {name: position for position, name in enumerate(uses)}
    found: list[list[str]] = []
    done: set[str] = set()
    for start in uses:
        path: dict[str, Iterator[str]] = {} if start in done else {start: iter(sorted(uses[start]))}
        while path:
            name, used = next(reversed(path.items()))
            following = next(used, None)
            if following is None:
                done.add(name)
                del path[name]
            elif following in path:
                names = [*path]
                circle = names[names.index(following) :]
                found.append(_closed(circle, order))
                done.update(circle)
                for broken in circle:
                    del path[broken]
            elif following in uses and following not in done:
                path[following] = iter(sorted(uses[following]))
    return found


def in_order(uses: Uses) -> list[str]:
    """The keys of `uses`, each after what it uses, always in the same order; raises ValueError where a
    circle forbids it."""
    sorter = TopologicalSorter({name: sorted(used) for name, used in uses.items()})
    return [name for name in sorter.static_order() if name in uses]


def reach(start: Iterable[str], uses: Uses) -> set[str]:
    """All that `start` leads to, itself included."""
    reached: set[str] = set()
    waiting = [*start]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += uses.get(name, ())
    return reached


def _closed(circle: list[str], order: Mapping[str, int]) -> list[str]:
    first = circle.index(min(circle, key=order.__getitem__))
    return [*circle[first:], *circle[:first], circle[first]]

"""Named plug-ins: attacks, oracles and targets are instances of one `Registry`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from sensei_kumite.errors import EnvironmentProblem, UnknownName
from sensei_kumite.text import did_you_mean

OURS = "sensei-kumite"

T = TypeVar("T")
Registered = TypeVar("Registered")


class Registry(Generic[T]):
    """Maps names to plug-ins of one kind.

    `kind` is the word used in messages ("attack"). Built-in plug-ins are declared with their module, which
    is imported when one of them is asked for. Installed packages add plug-ins through the entry-point
    group `group`; they are loaded at the first look-up.
    """

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self._group = group
        self._items: dict[str, T] = {}
        self._origins: dict[str, str] = {}
        self._modules: dict[str, str] = {}
        self._extended = False

    def declare(self, name: str, module: str) -> None:
        """Say that importing `module` registers the built-in plug-in called `name`."""
        self._modules[name] = module

    def register(self, name: str) -> Callable[[Registered], Registered]:
        """Class decorator: hold the decorated plug-in under `name`; a name taken twice is an error."""

        def decorate(item: Registered) -> Registered:
            self.add(name, item, origin=OURS)  # type: ignore[arg-type]  # T is checked at look-up
            return item

        return decorate

    def add(self, name: str, item: T, *, origin: str) -> None:
        """Hold `item` under `name`; raises EnvironmentProblem naming both packages on a clash."""
        if name in self._items or (name in self._modules and origin != OURS):
            holder = self._origins.get(name, OURS)
            raise EnvironmentProblem(
                f"The {self.kind} {name!r} is provided twice: by {holder} and by {origin}.",
                hint="Uninstall one of the two packages.",
            )
        self._items[name] = item
        self._origins[name] = origin

    def get(self, name: str) -> T:
        """The plug-in called `name`; raises UnknownName with the closest name and all valid ones."""
        self._extend()
        if name not in self._items and name in self._modules:
            import_module(self._modules[name])
        try:
            return self._items[name]
        except KeyError:
            names = self.names()
            raise UnknownName(
                f"Unknown {self.kind} {name!r}.{did_you_mean(name, names)}",
                hint=f"Valid: {', '.join(names)}.",
            ) from None

    def names(self) -> list[str]:
        """All names, sorted."""
        self._extend()
        return sorted({*self._items, *self._modules})

    def __contains__(self, name: object) -> bool:
        self._extend()
        return name in self._items or name in self._modules

    def _extend(self) -> None:
        """Add what installed packages declare for this group, once."""
        if self._extended:
            return
        self._extended = True
        for point in entry_points(group=self._group):
            self.add(point.name, self._load(point), origin=_origin(point))

    def _load(self, point: EntryPoint) -> T:
        try:
            item: T = point.load()
        except (ImportError, AttributeError) as error:
            raise EnvironmentProblem(
                f"The {self.kind} {point.name!r} of {_origin(point)} cannot be loaded: {error}.",
                hint="Repair or uninstall that package.",
            ) from error
        return item


def _origin(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value

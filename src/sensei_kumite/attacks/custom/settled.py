"""What the variables of a case come to before anything is run: texts and files that need neither model nor
function, and the order in which the rest is worked out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sensei_kumite.attacks.custom.placeholders import TooLong, fill, names
from sensei_kumite.attacks.custom.references import cycles, in_order
from sensei_kumite.attacks.custom.scope import CONTEXT, Scope
from sensei_kumite.attacks.custom.text_files import TextFile, TextFiles
from sensei_kumite.attacks.custom.variables import Variable
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.errors import ConfigurationError, Problem


@dataclass(frozen=True, slots=True)
class Settled:
    """`values` are those known beforehand, that of the context among them; `uses` is who uses whom, and
    `order` has every variable after those that it uses. `unread` are those whose file cannot be read yet, so
    that nobody knows what it uses."""

    values: Mapping[str, str]
    uses: Mapping[str, set[str]]
    order: tuple[str, ...]
    unread: frozenset[str]
    problems: tuple[Problem, ...]


def settle(variables: Mapping[str, Variable], where: Where, scope: Scope, files: TextFiles) -> Settled:
    """Work out what can be; `where` is that of the variables, `variables` those of them that are sound."""
    settling = _Settling(variables, where, scope, files)
    while settling.goes_on():
        pass
    return settling.result()


@dataclass(slots=True)
class _Settling:
    """Round after round, for the path of a file may stand in another one, and files use variables too."""

    variables: Mapping[str, Variable]
    where: Where
    scope: Scope
    files: TextFiles
    problems: list[Problem] = field(default_factory=list)
    uses: dict[str, set[str]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    values: dict[str, str] = field(default_factory=dict)
    _contents: dict[str, TextFile] = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.uses = {name: variable.uses & self.variables.keys() for name, variable in self.variables.items()}

    def goes_on(self) -> bool:
        """One round; whether there may be more to be had."""
        self._break_circles()
        self.order = tuple(in_order(self._followed()))
        self.values = {CONTEXT: self.scope.target_context}
        for name in self.order:
            self._work_out(name)
        readable = [name for name in self.order if self._can_be_read(name)]
        for name in readable:
            self._read(name)
        return bool(readable)

    def result(self) -> Settled:
        """What came of it."""
        unread = frozenset(name for name in self.order if self._is_unread(name))
        return Settled(self.values, self.uses, self.order, unread, tuple(self.problems))

    def _break_circles(self) -> None:
        for circle in cycles(self._followed()):
            message = f"this variable uses itself: {' -> '.join(circle)}."
            self.problems.append(self.where.step(circle[0]).problem(message, key=True))
            self._failed.update(circle)

    def _followed(self) -> dict[str, set[str]]:
        """Who uses whom, but for those that have failed: with them nothing goes on."""
        return {name: set() if name in self._failed else used for name, used in self.uses.items()}

    def _work_out(self, name: str) -> None:
        text = self._text(name)
        if text is None or name in self._failed or not names(text) <= self.values.keys():
            return
        try:
            self.values[name] = fill(text, self.values)
        except TooLong as error:
            self._failed.add(name)
            self.problems.append(self.where.step(name).problem(str(error), key=True))

    def _text(self, name: str) -> str | None:
        if name in self._contents:
            return self._contents[name].text
        variable = self.variables[name]
        return str(variable.value) if variable.is_settled and variable.type != "path" else None

    def _is_unread(self, name: str) -> bool:
        return self.variables[name].type == "path" and name not in self._contents

    def _can_be_read(self, name: str) -> bool:
        if not self._is_unread(name) or name in self._failed:
            return False
        return names(str(self.variables[name].value)) <= self.values.keys()

    def _read(self, name: str) -> None:
        where = self.where.step(name, "value")
        try:
            file = self.files.read(fill(str(self.variables[name].value), self.values))
        except ConfigurationError as error:
            self._failed.add(name)
            self.problems += where.problems(error)
            return
        self._contents[name] = file
        self.problems += self.scope.problems_of_file(file, where)
        self.uses[name] = self.uses[name] | (names(file.text) & self.variables.keys())

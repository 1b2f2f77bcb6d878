"""Oracles that hold placeholders: which names they use, and whether they can score a case once filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sensei_kumite.attacks.custom.placeholders import TooLong, fill_all, names, names_in, texts
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.config.problems import location
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath

CheckOracle = Callable[[OracleSpec, Document, YamlPath], list[Problem]]

_STAND_IN = "text"


@dataclass(frozen=True, slots=True)
class OracleTemplate:
    """An oracle as it is written. `where` is None for that of a campaign's entry, whose places are not known
    here, and which is checked there."""

    spec: OracleSpec
    where: Where | None = None

    @property
    def names(self) -> set[str]:
        """The names that its parameters use."""
        return names_in(self.spec.params)

    @property
    def owner(self) -> str:
        """Whose oracle it is, for messages."""
        return "the file" if self.where else "the entry"

    def filled(self, values: Mapping[str, str]) -> OracleSpec:
        """The oracle of a case with these values; raises TooLong, and KeyError for a name without a value."""
        return OracleSpec(self.spec.type, fill_all(self.spec.params, values))

    def problems(self, values: Mapping[str, str], check: CheckOracle) -> list[Problem]:
        """What is wrong with it, apart from texts that use names which have no value yet."""
        if self.where is None:
            return []
        unknown = self.names - values.keys()
        try:
            spec = self.filled({**dict.fromkeys(unknown, _STAND_IN), **values})
        except TooLong as error:
            return [self.where.step("params").problem(str(error))]
        unsettled = {
            self.where.document.place((*self.where.path, *path))
            for path, text in texts(self.spec.params, ("params",))
            if names(text) & unknown
        }
        found = check(spec, self.where.document, self.where.path)
        return [_told_of(self.where, problem) for problem in found if problem.place not in unsettled]


def _told_of(where: Where, problem: Problem) -> Problem:
    """A problem of an oracle as one of its case, whose id the checker of oracles does not know."""
    message = problem.message.removeprefix(location(where.document, where.path))
    joint = "" if message != problem.message else ": "
    return replace(problem, message=f"{where.label}{joint}{message}")

"""`query_file`: the weighted queries of a file, or of every file in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import PurePath
from typing import Any, ClassVar

from sensei_kumite.attacks.base import ATTACKS, Attack, AttackParams, Draft, Prompt
from sensei_kumite.attacks.queries.comparers import ORACLE
from sensei_kumite.attacks.queries.document import QueryFile, QueryTest
from sensei_kumite.attacks.queries.names import Namer
from sensei_kumite.attacks.queries.sources import Source, read_source
from sensei_kumite.attacks.rephrasing import Component, as_draft
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec


@ATTACKS.register("query_file")
class QueryFileAttack(Attack[AttackParams]):
    """Sends every query in every combination of its variables, all files once per attempt."""

    description = "Runs the weighted queries of a YAML file, or of every such file in a folder."
    takes_source = True
    rephrases = "the final query"
    default_oracle: ClassVar = OracleSpec(ORACLE, {"weight": "Potential"})

    def prompts(self) -> Iterator[Draft]:
        """Pass after pass through the files, one query at a time."""
        for attempt in range(1, self.context.attempts + 1):
            ending = f"_attempt_{attempt}" if self.context.attempts > 1 else ""
            for prompt in self._pass(ending):
                yield as_draft(self, Component(prompt.text), partial(_worded, prompt))

    @property
    def report_name(self) -> str:
        """The name that a single file gives itself, else the file's; that of the entry for a folder."""
        if self._source.is_folder or not self._source.files:
            return self.entry.name
        [(name, file)] = self._source.files.items()
        return file.name or PurePath(name).stem

    @property
    def summary(self) -> str:
        """What the files say of themselves, and how many queries a pass has."""
        files = self._source.files.values()
        count = sum(test.query.count for file in files for test in file.tests)
        described = " ".join(file.description for file in files if file.description)
        return f"{described or 'No description.'} ({count} {'query' if count == 1 else 'queries'})"

    def problems(self) -> list[Problem]:
        """What is wrong with the entry's own keys and with any of the files."""
        of_files = [problem for file in self._source.files.values() for problem in file.problems]
        return [*super().problems(), *self._source.problems, *of_files]

    @cached_property
    def _source(self) -> Source:
        return read_source(self.entry.source, self.context.resolve, self.context.check_oracle)

    def _pass(self, ending: str) -> Iterator[Prompt]:
        namer = Namer()
        for name, file in self._source.files.items():
            within = f"@{namer.name(PurePath(name).stem)}" if self._source.is_folder else ""
            about = _about(name, file)
            for test in file.tests:
                prompt = self._prompt(test, about, f"{test.test_id}{within}")
                for number, (text, variables) in enumerate(test.query.expansions(), 1):
                    numbered = f"_{number}" if variables else ""
                    yield replace(
                        prompt,
                        text=text,
                        metadata={**prompt.metadata, "variables": variables},
                        case_id=f"{prompt.case_id}{numbered}{ending}",
                    )

    def _prompt(self, test: QueryTest, about: dict[str, Any], case_id: str) -> Prompt:
        """What the queries of a test have in common; an oracle of the entry replaces weight and comparer."""
        metadata = {**about, "test_name": test.name}
        if self.entry.oracle:
            return Prompt("", metadata, case_id)
        return Prompt("", {"weight": test.weight, **metadata}, case_id, test.oracle)


def _about(name: str, file: QueryFile) -> dict[str, Any]:
    """What the results of all queries of a file say."""
    about: dict[str, Any] = {"query_file": name, "contributors": list(file.contributors)}
    return about | ({"taxonomy": list(file.taxonomy)} if file.taxonomy else {})


def _worded(prompt: Prompt, text: str) -> Prompt:
    return replace(prompt, text=text)

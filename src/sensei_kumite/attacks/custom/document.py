"""A custom attack file as data: what it says of itself, its cases, and everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from sensei_kumite.attacks.custom.cases import CustomCase, misspelt
from sensei_kumite.attacks.custom.checks import Surroundings, read_case
from sensei_kumite.attacks.custom.ids import Named, clashes, id_of
from sensei_kumite.attacks.custom.oracles import OracleTemplate
from sensei_kumite.attacks.custom.parameters import KEY as PARAMETERS
from sensei_kumite.attacks.custom.parameters import resolve_parameters
from sensei_kumite.attacks.custom.placeholders import texts
from sensei_kumite.attacks.custom.scope import Scope
from sensei_kumite.attacks.custom.tools import Tools
from sensei_kumite.attacks.custom.variables import FilledText
from sensei_kumite.attacks.custom.where import Where, where_at
from sensei_kumite.config.campaign import OracleEntry
from sensei_kumite.config.fields import Block, Text
from sensei_kumite.config.problems import problems_from
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, load_yaml
from sensei_kumite.yaml_scalars import plain

SUFFIXES = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class CustomFile:
    """What a custom attack file declares. With problems, `cases` holds only the sound ones.

    `defaults` are its parameters as it declares them, `parameters` their effective values.
    """

    name: str | None = None
    description: str = ""
    oracle: OracleTemplate | None = None
    taxonomy: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cases: tuple[CustomCase, ...] = ()
    problems: tuple[Problem, ...] = ()


class _Head(Block):
    """The top level of the file, its parameters and cases apart."""

    name: FilledText | None = None
    description: Text = ""
    oracle: OracleEntry | None = None
    taxonomy: list[Text] = Field(default_factory=list)


_KEYS = (*_Head.model_fields, PARAMETERS, "cases")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the campaign's entry says about the file: its `parameters`, and the oracle that it puts in the
    place of the file's."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    oracle: OracleSpec | None = None


def read_custom_file(path: Path, tools: Tools, entry: Entry = Entry()) -> CustomFile:
    """Read and check the file."""
    if path.suffix.lower() not in SUFFIXES:
        message = f"a custom attack file ends in {' or '.join(SUFFIXES)}, not {path.suffix or path.name!r}."
        return CustomFile(problems=(Problem(message, Place(path)),))
    try:
        document = load_yaml(path)
    except ConfigurationError as error:
        return CustomFile(problems=tuple(error.problems))
    if not isinstance(document.data, dict):
        message = "this file should be a mapping with the key cases."
        return CustomFile(problems=(Problem(message, document.place()),))
    return _read(document, tools, entry)


def _read(document: Document, tools: Tools, entry: Entry) -> CustomFile:
    resolved = resolve_parameters(document, entry.parameters)
    if not resolved.is_filled:
        return CustomFile(problems=resolved.problems)
    reader = _Reader(resolved.document, tools)
    file = reader.read(resolved.values, entry)
    # What could not be filled in has its problem already, and need not be what belongs there.
    later = [problem for problem in file.problems if problem.place not in resolved.left]
    return replace(file, problems=(*resolved.problems, *later))


@dataclass(slots=True)
class _Reader:
    """Reads one document whose parameters are filled in, and collects its problems on the way."""

    document: Document
    tools: Tools
    problems: list[Problem] = field(default_factory=list)

    def read(self, parameters: Mapping[str, Any], entry: Entry) -> CustomFile:
        data = self.document.data
        head = self._head(data)
        of_file = self._oracle(head.oracle)
        of_entry = OracleTemplate(entry.oracle) if entry.oracle else None
        around = Surroundings(
            tools=self.tools,
            parameters=parameters,
            oracle=of_entry or of_file,
            oracle_problems=tuple(self.problems),
            shared_names=frozenset(name for one in (of_file, of_entry) if one for name in one.names),
        )
        return CustomFile(
            name=head.name,
            description=head.description,
            oracle=of_file,
            taxonomy=tuple(head.taxonomy),
            defaults=plain(data.get(PARAMETERS) or {}),
            parameters=parameters,
            cases=tuple(self._cases(data.get("cases"), around)),
            problems=tuple(self.problems),
        )

    def _head(self, data: Mapping[str, Any]) -> _Head:
        for key in data.keys() - {*_KEYS}:
            self._unknown_key(key)
        try:
            return _Head.model_validate({key: data.get(key) for key in _Head.model_fields})
        except ValidationError as error:
            self.problems += problems_from(error, self.document, (), "")
            return _Head()

    def _unknown_key(self, key: str) -> None:
        """Near a known key it is a misspelling; anything else is the author's and is left alone."""
        if meant := misspelt(key, _KEYS):
            place = self.document.place((key,), key=True)
            self.problems.append(Problem(f"unknown key {key!r}.", place, f"Did you mean {meant!r}?"))

    def _oracle(self, entry: OracleEntry | None) -> OracleTemplate | None:
        """The file's oracle, checked as far as it is the same for all cases."""
        if entry is None:
            return None
        template = OracleTemplate(OracleSpec(entry.type, entry.params), Where(self.document).step("oracle"))
        scope = Scope(template.names, target_context=self.tools.context.target_context)
        found: list[Problem] = []
        for path, text in texts(entry.params):
            found += scope.problems(text, Where(self.document).step("oracle", "params", *path))
        self.problems += found
        if all(problem.severity == "warning" for problem in found):
            self.problems += template.problems({}, self.tools.context.check_oracle)
        return template

    def _cases(self, value: Any, around: Surroundings) -> list[CustomCase]:
        if not value or not isinstance(value, list):
            message = "cases: should be a list of at least one case."
            self.problems.append(Problem(message, self.document.place(("cases",))))
            return []
        cases = [self._case(item, index, around) for index, item in enumerate(value)]
        self._check_ids(value, cases)
        return [case for case in cases if case is not None]

    def _case(self, item: Any, index: int, around: Surroundings) -> CustomCase | None:
        where = where_at(self.document, ("cases", index))
        if not isinstance(item, dict):
            self.problems.append(where.problem("should be a mapping with a prompt."))
            return None
        case, problems = read_case(item, index, where, around)
        self.problems += problems
        return case

    def _check_ids(self, items: Sequence[Any], cases: Sequence[CustomCase | None]) -> None:
        named = [
            Named(position, id_of(item, position), case.variants if case else 1)
            for position, (item, case) in enumerate(zip(items, cases, strict=True))
            if isinstance(item, dict)
        ]
        for case, other in clashes(named):
            line = self.document.place(("cases", other)).line
            message = f"cases[{case.position + 1}]: duplicate case id {case.case_id!r}, also on line {line}."
            self.problems.append(Problem(message, self.document.place(("cases", case.position, "id"))))

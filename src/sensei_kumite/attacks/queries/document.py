"""A query file as data: the tests it declares, and everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, ValidationError

from sensei_kumite.attacks.queries.comparers import (
    ComparerName,
    WeightName,
    idle_keys,
    missing_keys,
    oracle_of,
)
from sensei_kumite.attacks.queries.expansion import Template, read_template, undeclared
from sensei_kumite.attacks.queries.names import Namer
from sensei_kumite.config.fields import Block, Flag, Text, shown
from sensei_kumite.config.problems import location, problems_from, validated_parts
from sensei_kumite.errors import ConfigurationError, Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.text import did_you_mean, excerpt
from sensei_kumite.yaml_reader import Document, YamlPath, load_yaml

CheckOracle = Callable[[OracleSpec, Document, YamlPath], list[Problem]]


@dataclass(frozen=True, slots=True)
class QueryTest:
    """One test: `test_id` is what its case ids begin with, `oracle` what its weight and comparer ask for."""

    test_id: str
    name: str
    weight: str
    query: Template
    oracle: OracleSpec


@dataclass(frozen=True, slots=True)
class QueryFile:
    """What a query file declares. With errors among its problems, `tests` holds only the sound ones."""

    name: str = ""
    description: str = ""
    contributors: tuple[str, ...] = ()
    taxonomy: tuple[str, ...] = ()
    tests: tuple[QueryTest, ...] = ()
    problems: tuple[Problem, ...] = ()


def _one_or_more(items: list[str]) -> list[str]:
    if not items:
        raise ValueError("is empty; list at least one")
    return items


def _filled(text: str) -> str:
    if not text:
        raise ValueError("must not be empty")
    return text


FilledText = Annotated[Text, AfterValidator(_filled)]
Value = Annotated[Text, BeforeValidator(lambda value: "" if value is None else value)]
Texts = Annotated[list[FilledText], AfterValidator(_one_or_more)]


class _Head(Block):
    """The top level of the file, its tests apart; fields are named as the file names them."""

    Name: Text = ""
    Description: Text = ""
    Contributors: list[Text] = Field(default_factory=list)
    Variables: dict[str, Annotated[list[Value], AfterValidator(_one_or_more)]] = Field(default_factory=dict)
    Taxonomy: list[Text] = Field(default_factory=list, validation_alias=AliasChoices("Taxonomy", "taxonomy"))
    Tests: Any = None


class _Test(Block):
    """The keys of a test."""

    Name: Text | None = None
    Query: FilledText
    Weight: WeightName
    Comparer: ComparerName | None = None
    ToLower: Flag = False
    Output: Texts | None = None
    Regex: Texts | None = None


def read_query_file(path: Path, check_oracle: CheckOracle) -> QueryFile:
    """Read and check the file; `check_oracle` gives the problems of an oracle at a place in it."""
    try:
        document = load_yaml(path, text_only=True)
    except ConfigurationError as error:
        return QueryFile(problems=tuple(error.problems))
    return _Reader(document, check_oracle).read()


@dataclass(slots=True)
class _Reader:
    """Reads one document and collects its problems on the way."""

    document: Document
    check_oracle: CheckOracle
    problems: list[Problem] = field(default_factory=list)
    namer: Namer = field(default_factory=Namer)

    def read(self) -> QueryFile:
        head, self.problems = validated_parts(_Head, self.document)
        is_readable = isinstance(self.document.data, (dict, type(None)))
        return QueryFile(
            name=" ".join(head.Name.split()),
            description=" ".join(head.Description.split()),
            contributors=tuple(head.Contributors),
            taxonomy=tuple(head.Taxonomy),
            tests=tuple(self._tests(head)) if is_readable else (),
            problems=tuple(self.problems),
        )

    def _tests(self, head: _Head) -> Iterator[QueryTest]:
        if not isinstance(head.Tests, list) or not head.Tests:
            message = "Tests: should be a list of at least one test, each with a Query and a Weight."
            self._add(("Tests",), message)
            return
        for index, item in enumerate(head.Tests):
            test = self._test(item, ("Tests", index))
            if test is not None:
                name = test.Name or f"Query {index + 1}"
                yield self._compiled(test, name, head.Variables)

    def _test(self, item: Any, path: YamlPath) -> _Test | None:
        if not isinstance(item, dict):
            where = location(self.document, path)
            self._add(path, f"{where}: should be a mapping with a Query and a Weight, not {shown(item)}.")
            return None
        label = f"{location(self.document, path)}{_named(item.get('Name'))}"
        for key, message in missing_keys(item):
            self._add((*path, key), f"{label}: {message}", key=True)
        self._check_patterns(item.get("Regex"), (*path, "Regex"), label)
        self._check_names(item.get("Query"), (*path, "Query"), label)
        try:
            test = _Test.model_validate(item)
        except ValidationError as error:
            self.problems += problems_from(error, self.document, path, label)
            return None
        for key in idle_keys(test.Weight, test.Comparer, [*item]):
            other = "Weight Potential" if test.Weight == "Potential" else f"Comparer {test.Comparer}"
            self._warn((*path, key), f"{label}: {key!r} changes nothing with {other}.")
        return test

    def _check_patterns(self, patterns: Any, path: YamlPath, label: str) -> None:
        for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
            if not isinstance(pattern, str) or not pattern:
                continue
            place: YamlPath = (*path, index)
            spec = oracle_of("Absolute", "Regex", {"Regex": [pattern]})
            theirs = f"{location(self.document, place)} > params: "
            for problem in self.check_oracle(spec, self.document, place):
                message = problem.message.removeprefix(theirs)
                self.problems.append(replace(problem, message=f"{label} > Regex[{index + 1}]: {message}"))

    def _check_names(self, query: Any, path: YamlPath, label: str) -> None:
        declared = self.document.data.get("Variables")
        names = declared if isinstance(declared, dict) else {}
        for name in undeclared(query, names) if isinstance(query, str) else ():
            message = f"{label} > Query: {{{{ {name} }}}} is no declared variable and is sent as it is."
            self._warn(path, message, did_you_mean(name, names).strip() or None)

    def _compiled(self, test: _Test, name: str, variables: Mapping[str, list[str]]) -> QueryTest:
        keys = {"Output": test.Output, "ToLower": test.ToLower, "Regex": test.Regex}
        return QueryTest(
            test_id=self.namer.name(name),
            name=name,
            weight=test.Weight,
            query=read_template(test.Query, variables),
            oracle=oracle_of(test.Weight, test.Comparer, keys),
        )

    def _add(self, path: YamlPath, message: str, hint: str | None = None, *, key: bool = False) -> None:
        self.problems.append(Problem(message, self.document.place(path, key=key), hint))

    def _warn(self, path: YamlPath, message: str, hint: str | None = None) -> None:
        self.problems.append(Problem(message, self.document.place(path), hint, severity="warning"))


def _named(name: Any) -> str:
    return f" ({excerpt(name, 60)})" if isinstance(name, str) else ""

"""A custom attack file as data: the cases it declares, and everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from sensei_kumite.attacks.custom.placeholders import placeholders, texts, unescape, unescape_all
from sensei_kumite.config.campaign import OracleEntry
from sensei_kumite.config.fields import Block, Integer, Text
from sensei_kumite.config.problems import problems_from
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath, load_yaml
from sensei_kumite.yaml_scalars import as_typed, plain

CheckOracle = Callable[[OracleSpec, Document, YamlPath], list[Problem]]

NOT_YET = "is not supported yet"
SUFFIXES = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class CustomCase:
    """One declared case; `metadata` holds every key of it that means nothing to us."""

    case_id: str
    prompt: str
    variants: int
    oracle: OracleSpec | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CustomFile:
    """What a custom attack file declares. With problems, `cases` holds only the sound ones."""

    name: str | None = None
    description: str = ""
    oracle: OracleSpec | None = None
    taxonomy: tuple[str, ...] = ()
    cases: tuple[CustomCase, ...] = ()
    problems: tuple[Problem, ...] = ()


def _not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _any_scalar(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        raise ValueError("should be a text or a number")
    return str(value).lower() if isinstance(value, bool) else as_typed(value)


FilledText = Annotated[Text, AfterValidator(_not_empty)]


class _Head(Block):
    """The top level of the file, its cases apart."""

    name: FilledText | None = None
    description: Text = ""
    oracle: OracleEntry | None = None
    taxonomy: list[Text] = Field(default_factory=list)


class _Case(Block):
    """The keys of a case that mean something to us."""

    id: Annotated[str, BeforeValidator(_any_scalar)] | None = None
    prompt: FilledText
    variants: Integer = Field(1, ge=1)
    oracle: OracleEntry | None = None


_HEAD_KEYS = (*_Head.model_fields, "parameters", "cases")
_CASE_KEYS = (*_Case.model_fields, "generate", "variables")


def read_custom_file(path: Path, check_oracle: CheckOracle = lambda *_: []) -> CustomFile:
    """Read and check the file; `check_oracle` gives the problems of an oracle at a place in it."""
    if path.suffix.lower() not in SUFFIXES:
        message = f"a custom attack file ends in {' or '.join(SUFFIXES)}, not {path.suffix or path.name!r}."
        return CustomFile(problems=(Problem(message, Place(path)),))
    try:
        document = load_yaml(path)
    except ConfigurationError as error:
        return CustomFile(problems=tuple(error.problems))
    return _Reader(document, check_oracle).read()


@dataclass(slots=True)
class _Reader:
    """Reads one document and collects its problems on the way."""

    document: Document
    check_oracle: CheckOracle
    problems: list[Problem] = field(default_factory=list)

    def read(self) -> CustomFile:
        data = self.document.data
        if not isinstance(data, dict):
            self._add((), "this file should be a mapping with the key cases.")
            return CustomFile(problems=tuple(self.problems))
        head = self._head(data)
        cases = self._cases(data.get("cases"))
        return CustomFile(
            name=head.name,
            description=head.description,
            oracle=self._oracle(head.oracle, ("oracle",), "oracle"),
            taxonomy=tuple(head.taxonomy),
            cases=tuple(cases),
            problems=tuple(self.problems),
        )

    def _head(self, data: Mapping[str, Any]) -> _Head:
        for key in data.keys() - {*_HEAD_KEYS}:
            self._unknown_key(key)
        if data.get("parameters"):
            self._add(("parameters",), f"parameters: this {NOT_YET}.", key=True)
        try:
            return _Head.model_validate({key: data.get(key) for key in _Head.model_fields})
        except ValidationError as error:
            self.problems += problems_from(error, self.document, (), "")
            return _Head()

    def _unknown_key(self, key: str) -> None:
        """Near a known key it is a misspelling; anything else is the author's and is left alone."""
        if meant := _misspelt(key, _HEAD_KEYS):
            self._add((key,), f"unknown key {key!r}.", f"Did you mean {meant!r}?", key=True)

    def _cases(self, value: Any) -> list[CustomCase]:
        if not value or not isinstance(value, list):
            self._add(("cases",), "cases: should be a list of at least one case.")
            return []
        cases = [(index, self._case(index, item)) for index, item in enumerate(value)]
        sound = [(index, case) for index, case in cases if case is not None]
        self._check_ids(sound)
        return [case for _, case in sound]

    def _case(self, index: int, item: Any) -> CustomCase | None:
        path: YamlPath = ("cases", index)
        if not isinstance(item, dict):
            self._add(path, f"cases[{index + 1}]: should be a mapping with a prompt.")
            return None
        label = f"cases[{index + 1}] ({_case_id(item, index)})"
        if later := [key for key in ("generate", "variables") if item.get(key)]:
            for key in later:
                self._add((*path, key), f"{label} > {key}: this {NOT_YET}; write a literal prompt.", key=True)
            return None
        try:
            case = _Case.model_validate({key: item[key] for key in _Case.model_fields if key in item})
        except ValidationError as error:
            self.problems += problems_from(error, self.document, path, label)
            return None
        self._check_texts(case.prompt, (*path, "prompt"), f"{label} > prompt")
        return CustomCase(
            case_id=_case_id(item, index),
            prompt=unescape(case.prompt),
            variants=case.variants,
            oracle=self._oracle(case.oracle, (*path, "oracle"), f"{label} > oracle"),
            metadata=self._metadata(item, path, label),
        )

    def _metadata(self, item: Mapping[str, Any], path: YamlPath, label: str) -> dict[str, Any]:
        extra = {key: plain(value) for key, value in item.items() if key not in _CASE_KEYS}
        for key in extra:
            if meant := _misspelt(key, _CASE_KEYS):
                place = self.document.place((*path, key), key=True)
                message = f"{label}: {key!r} is copied to the metadata and does nothing else."
                hint = f"Did you mean {meant!r}?"
                self.problems.append(Problem(message, place, hint, severity="warning"))
        return extra

    def _oracle(self, entry: OracleEntry | None, path: YamlPath, label: str) -> OracleSpec | None:
        if entry is None:
            return None
        before = len(self.problems)
        self._check_texts(entry.params, (*path, "params"), f"{label} > params")
        spec = OracleSpec(entry.type, unescape_all(entry.params))
        if len(self.problems) == before:
            self.problems += self.check_oracle(spec, self.document, path)
        return spec

    def _check_texts(self, value: Any, path: YamlPath, label: str) -> None:
        for place, text in texts(value, path):
            for name in placeholders(text):
                self._add(
                    place,
                    f"{label}: the placeholder {{{{{name}}}}} {NOT_YET}.",
                    f"To mean these braces literally, write {{{{{{{{{name}}}}}}}}}.",
                )

    def _check_ids(self, cases: Sequence[tuple[int, CustomCase]]) -> None:
        """Two cases may not end up with the same id, `a` in two variants being `a_1` and `a_2`."""
        seen: dict[str, int] = {}
        repeated = {case.case_id: (index, case.variants) for index, case in cases if case.variants > 1}
        for index, case in cases:
            first = seen.setdefault(case.case_id, index)
            if first == index and case.variants == 1:
                first = _variant_owner(case.case_id, repeated, default=index)
            if first != index:
                line = self.document.place(("cases", first)).line
                message = f"cases[{index + 1}]: duplicate case id {case.case_id!r}, also on line {line}."
                self._add(("cases", index, "id"), message)

    def _add(self, path: YamlPath, message: str, hint: str | None = None, *, key: bool = False) -> None:
        self.problems.append(Problem(message, self.document.place(path, key=key), hint))


def _case_id(item: Mapping[str, Any], index: int) -> str:
    given = item.get("id")
    written = "" if given is None or isinstance(given, (dict, list)) else str(_any_scalar(given))
    return written or f"custom_{index + 1}"


@lru_cache(maxsize=1024)
def _misspelt(key: str, known: tuple[str, ...]) -> str | None:
    """The known key that `key` is most likely meant to be."""
    close = get_close_matches(key.lower(), known, n=1, cutoff=0.75)
    return close[0] if close else None


def _variant_owner(case_id: str, repeated: Mapping[str, tuple[int, int]], *, default: int) -> int:
    """The case one of whose variants is called `case_id`."""
    base, _, number = case_id.rpartition("_")
    index, variants = repeated.get(base, (default, 0))
    counted = re.fullmatch("[1-9][0-9]{0,17}", number)
    return index if counted and int(number) <= variants else default

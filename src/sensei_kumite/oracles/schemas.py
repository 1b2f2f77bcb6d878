"""JSON Schemas, compiled so that neither a user's pattern nor a target's text can stall or reach out.

References stay inside the schema, and a pattern has its time limit for all strings of a response together.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from sensei_kumite.errors import OracleError
from sensei_kumite.oracles.evidence import shorten
from sensei_kumite.oracles.patterns import TIME_LIMIT, Pattern, compile_pattern, search, timed_out
from sensei_kumite.oracles.schema_checks import check_schema, subschemas

MAX_ERRORS = 10
_MAX_FORMATTED_LENGTH = 2_000

Keyword = Callable[[Any, Any, Any, Any], Iterator[Any]]


@dataclass(slots=True)
class _StringChecks:
    """Checks the strings of one response, each pattern until its time is up.

    It travels through jsonschema as its format checker; `formats` is the real one, None to check none.
    `seconds` are those of this thread's work that a pattern took.
    """

    patterns: Mapping[str, Pattern]
    formats: Any
    seconds: dict[str, float] = field(default_factory=dict)

    def check(self, instance: object, name: str) -> None:
        """What jsonschema asks its format checker; raises its FormatError, or OracleError."""
        if self.formats is None or not isinstance(instance, str):
            return
        if len(instance) > _MAX_FORMATTED_LENGTH:
            raise OracleError(
                f"The format {name!r} was not checked on a text of {len(instance)} characters.",
                hint=f"Texts of up to {_MAX_FORMATTED_LENGTH} are.",
            )
        self.formats.check(instance, name)

    def matches(self, source: str, text: str) -> bool:
        """Whether the pattern matches somewhere; raises PatternTimeout when its time is up."""
        pattern = self.patterns[source]
        spent = self.seconds.get(source, 0.0)
        if spent >= TIME_LIMIT:
            raise timed_out(pattern, text)
        started = time.thread_time()
        found = search(pattern, text, seconds=TIME_LIMIT - spent) is not None
        self.seconds[source] = spent + time.thread_time() - started
        return found


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A schema ready to check values, shared by all lanes."""

    _validator: Any
    _patterns: Mapping[str, Pattern]
    _formats: Any

    def find_errors(self, value: Any) -> tuple[list[dict[str, Any]], bool]:
        """The first ten violations, sorted by where they are, and whether there are more.

        Raises OracleError where `value` cannot be checked.
        """
        from referencing.exceptions import Unresolvable

        validator = self._validator.evolve(format_checker=_StringChecks(self._patterns, self._formats))
        try:
            errors = list(islice(validator.iter_errors(value), MAX_ERRORS + 1))
        except (RecursionError, ArithmeticError, ValueError, TypeError, LookupError, Unresolvable) as error:
            raise OracleError(
                f"The response could not be checked against the schema: {type(error).__name__}, "
                f"{shorten(str(error))}.",
                hint="References that lead in a circle and numbers beyond all bounds are the usual reasons.",
            ) from None
        found = [_describe(error) for error in errors[:MAX_ERRORS]]
        return sorted(found, key=lambda each: [str(step) for step in each["path"]]), len(errors) > MAX_ERRORS


def compile_schema(schema: Mapping[str, Any], *, check_formats: bool) -> CompiledSchema:
    """Make a schema ready; raises ValueError saying what is wrong with it.

    The dialect is the one `$schema` names, else draft 2020-12.
    """
    try:
        return _compile(schema, check_formats)
    except RecursionError:
        raise ValueError("the schema is nested too deeply") from None


def _compile(schema: Mapping[str, Any], check_formats: bool) -> CompiledSchema:
    from jsonschema import validators
    from referencing import Registry

    dialect = check_schema(schema, check_formats=check_formats)
    body = copy.deepcopy(dict(schema))
    patterns: dict[str, Pattern] = {}
    for part in subschemas(body):
        # jsonschema goes back to its own classes, without our keywords, wherever it finds this key.
        part.pop("$schema", None)
        sources = [part["pattern"]] if isinstance(part.get("pattern"), str) else []
        for source in (*sources, *part.get("patternProperties", {})):
            patterns[source] = compile_pattern(source, exact_case=True)
    guarded = validators.extend(dialect, _keywords(dialect.VALIDATORS))  # type: ignore[no-untyped-call]
    formats = dialect.FORMAT_CHECKER if check_formats else None
    return CompiledSchema(guarded(body, registry=Registry()), patterns, formats)


def _keywords(plain: Mapping[str, Keyword]) -> dict[str, Keyword]:
    """The keywords that search or compare at length, made safe. They take what jsonschema hands them."""
    return {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": partial(_additional_properties, plain["additionalProperties"]),
        "uniqueItems": _unique_items,
    }


def _pattern(validator: Any, source: str, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not validator.format_checker.matches(source, instance):
        yield ValidationError(f"{shorten(repr(instance))} does not match {source!r}")


def _pattern_properties(validator: Any, properties: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for source, subschema in properties.items():
        for key, value in instance.items():
            if validator.format_checker.matches(source, key):
                yield from validator.descend(value, subschema, path=key, schema_path=source)


def _additional_properties(
    plain: Keyword, validator: Any, allowed: Any, instance: Any, schema: Any
) -> Iterator[Any]:
    """Hand jsonschema the keys that a pattern covers as plain properties: it has nothing left to search."""
    sources = schema.get("patternProperties")
    if sources and isinstance(instance, dict):
        matches = validator.format_checker.matches
        covered = {key: True for key in instance if any(matches(source, key) for source in sources)}
        schema = {"properties": {**schema.get("properties", {}), **covered}}
    yield from plain(validator, allowed, instance, schema)


def _unique_items(_validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if wanted and isinstance(instance, list) and len(set(map(_identity, instance))) < len(instance):
        yield ValidationError(f"{shorten(repr(instance))} has items that are not unique")


def _identity(value: Any) -> Any:
    """Something hashable that is equal for equal JSON values: 1 is 1.0, but neither is true."""
    if isinstance(value, dict):
        return ("object", frozenset((key, _identity(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(_identity, value)))
    return (isinstance(value, bool), value)


def _describe(error: Any) -> dict[str, Any]:
    return {
        "path": list(error.absolute_path),
        "schema_path": list(error.absolute_schema_path),
        "message": shorten(error.message),
    }

"""What is wrong with a JSON Schema, said before any response is there to be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sensei_kumite.oracles.evidence import shorten
from sensei_kumite.text import did_you_mean

# Keywords whose value maps names to schemas, and those whose value is data.
_NAMED_SCHEMAS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
_DATA = frozenset({"const", "enum", "default", "examples"})
# Checked only where a certain package happens to be installed, in a second for a long address.
_SLOW_FORMATS = frozenset({"iri", "iri-reference"})
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """`schema` and every schema inside it."""
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            yield part
            for key, value in part.items():
                if key in _NAMED_SCHEMAS and isinstance(value, dict):
                    pending += value.values()
                elif key not in _DATA:
                    pending.append(value)


def check_schema(schema: Mapping[str, Any], *, check_formats: bool) -> Any:
    """The jsonschema class for the dialect of `schema`; raises ValueError saying what is wrong with it."""
    dialect = _dialect(schema)
    _check_against_dialect(schema, dialect)
    for part in subschemas(schema):
        _check_references(part)
        _check_keywords(part)
        if check_formats:
            _check_format(part, dialect)
    _check_that_references_resolve(schema, dialect)
    return dialect


def _dialect(schema: Mapping[str, Any]) -> Any:
    from jsonschema import Draft202012Validator, validators

    named = {part["$schema"] for part in subschemas(schema) if isinstance(part.get("$schema"), str)}
    if not named:
        return Draft202012Validator
    if len(named) > 1:
        raise ValueError("the schema names several dialects in $schema; one is expected, at its top")
    name = named.pop()
    dialect = validators.validator_for({"$schema": name}, default=None)  # type: ignore[arg-type]  # None is fine
    if dialect is None:
        raise ValueError(
            f"$schema names the unknown dialect {shorten(name, 100)!r}; "
            "an example of a known one is 'https://json-schema.org/draft/2020-12/schema'"
        )
    return dialect


def _check_against_dialect(schema: Mapping[str, Any], dialect: Any) -> None:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import SchemaError

    try:
        # Without formats: patterns are not Python's here, and are compiled by us.
        dialect.check_schema(dict(schema), format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        raise ValueError(f"the schema is not valid at {error.json_path}: {shorten(error.message)}") from None


def _check_references(part: Mapping[str, Any]) -> None:
    for keyword in _REFERENCES:
        target = part.get(keyword)
        if isinstance(target, str) and not target.startswith("#"):
            raise ValueError(
                f"{keyword} {shorten(target, 100)!r} leads out of the schema; only references that start "
                "with # are followed: copy what it names into $defs"
            )


def _check_keywords(part: Mapping[str, Any]) -> None:
    patterned = any("patternProperties" in each for each in subschemas(dict(part)))
    if patterned and "unevaluatedProperties" in part:
        raise ValueError(
            "unevaluatedProperties beside patternProperties cannot be checked within a time limit; "
            "use additionalProperties"
        )


def _check_format(part: Mapping[str, Any], dialect: Any) -> None:
    name = part.get("format")
    known = sorted(dialect.FORMAT_CHECKER.checkers.keys() - _SLOW_FORMATS)
    if isinstance(name, str) and name not in known:
        hint = did_you_mean(name, known)
        raise ValueError(f"the format {name!r} cannot be checked.{hint} Known formats: {', '.join(known)}")


def _check_that_references_resolve(schema: Mapping[str, Any], dialect: Any) -> None:
    """Look up all references; those of a schema that holds others with an id of their own are left alone."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import specification_with

    inner = [part for part in subschemas(schema) if part is not schema]
    if any("$id" in part or "id" in part for part in inner):
        return
    specification = specification_with(dialect.META_SCHEMA.get("$schema", ""))
    resolver = Registry().resolver_with_root(specification.create_resource(dict(schema)))
    for part in subschemas(schema):
        target = part.get("$ref")
        if isinstance(target, str):
            try:
                resolver.lookup(target)
            except Unresolvable:
                raise ValueError(f"$ref {shorten(target, 100)!r} names nothing in the schema") from None

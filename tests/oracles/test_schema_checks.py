"""What is said about a schema before any response is there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sensei_kumite.oracles.schema_checks import subschemas
from sensei_kumite.oracles.schemas import compile_schema

PATTERNED = {"patternProperties": {"a": True}}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "objekt"}, r"not valid at \$\.type.*objekt"),
        ({"properties": {"a": {"minimum": "1"}}}, r"\$\.properties\.a\.minimum"),
        ({"required": "a"}, r"\$\.required"),
        ({"$schema": "https://example.com/mine"}, "unknown dialect"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "any"}, "any"),
        ({"$ref": "https://example.com/other"}, r"leads out of the schema"),
        ({"items": {"$ref": "other.json#/a"}}, r"\$ref 'other\.json#/a' leads out"),
        ({"allOf": [{"$dynamicRef": "file:///etc/hosts"}]}, r"\$dynamicRef .* leads out"),
        ({"$ref": "#/$defs/none"}, "names nothing in the schema"),
        ({"properties": {"a": {"$ref": "#nowhere"}}}, "names nothing in the schema"),
        ({"pattern": "("}, "does not compile"),
        ({"patternProperties": {"(a+)+": True}}, "unsafe"),
        ({"properties": {"a": {"items": {"pattern": "[z-a]"}}}}, "does not compile"),
        ({**PATTERNED, "unevaluatedProperties": False}, "use additionalProperties"),
        ({"allOf": [PATTERNED], "unevaluatedProperties": False}, "use additionalProperties"),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "items": {"$schema": "http://json-schema.org/draft-04/schema#"},
            },
            "several dialects",
        ),
    ],
)
def test_a_schema_that_cannot_work_is_refused(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_schema(schema, check_formats=False)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}, "format": {}}},
        {"enum": [{"$ref": "https://example.com"}, {"pattern": "("}]},
        {"const": {"format": "nonsense"}},
        {"default": {"$ref": "elsewhere"}, "examples": [{"pattern": "("}]},
        {"$anchor": "top", "items": {"$ref": "#top"}},
        {"definitions": {"a": {"type": "integer"}}, "$ref": "#/definitions/a"},
        {"pattern": r"^\p{Lu}"},
        {"unevaluatedProperties": False, "properties": {"a": True}},
        {"items": [{}], "$schema": "http://json-schema.org/draft-07/schema#"},
    ],
)
def test_a_sound_schema_is_taken(schema: dict[str, Any]) -> None:
    compile_schema(schema, check_formats=True)


def test_a_schema_is_left_as_it_is() -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": {"pattern": "a"}}
    before = json.dumps(schema)
    compile_schema(schema, check_formats=False)
    assert json.dumps(schema) == before


def test_an_unknown_format_is_refused_when_formats_are_checked() -> None:
    schema = {"properties": {"when": {"format": "datetime"}}}
    compile_schema(schema, check_formats=False)
    with pytest.raises(ValueError, match=r"'datetime' cannot be checked\. Did you mean 'date-time'\?"):
        compile_schema(schema, check_formats=True)


@pytest.mark.parametrize("name", ["iri", "iri-reference"])
def test_a_format_that_takes_long_is_unknown(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be checked"):
        compile_schema({"format": name}, check_formats=True)


def test_a_format_of_another_dialect_is_unknown() -> None:
    draft4 = {"$schema": "http://json-schema.org/draft-04/schema#", "format": "uuid"}
    with pytest.raises(ValueError, match="'uuid' cannot be checked"):
        compile_schema(draft4, check_formats=True)


def test_a_bottomless_schema_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5000):
        schema = {"items": schema}
    with pytest.raises(ValueError, match="nested too deeply"):
        compile_schema(schema, check_formats=False)


def test_subschemas_are_found_wherever_a_schema_may_stand() -> None:
    marks = subschemas(
        {
            "title": "0",
            "properties": {"enum": {"title": "1"}},
            "allOf": [{"title": "2", "not": {"title": "3"}}],
            "$defs": {"a": {"title": "4"}},
            "const": {"title": "data"},
        }
    )
    assert {part["title"] for part in marks} == {"0", "1", "2", "3", "4"}

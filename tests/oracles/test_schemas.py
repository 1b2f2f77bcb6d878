"""Compiled schemas: that they check like jsonschema, and that nothing can stall them."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import OracleError, PatternTimeout
from sensei_kumite.oracles.schemas import compile_schema

SLOW = "^(a|aa)+$"
LONG = "a" * 80 + "!"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 0.0, 0.5, "", "a", "ab", "é"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abé"), inner, max_size=3),
    max_leaves=8,
)
SCHEMAS: list[dict[str, Any]] = [
    {"uniqueItems": True},
    {"items": {"uniqueItems": True}},
    {"pattern": "^a"},
    {"patternProperties": {"^[ab]$": {"type": "integer"}}, "additionalProperties": False},
    {"patternProperties": {"a": True}, "additionalProperties": {"type": "string"}, "properties": {"b": {}}},
    {"additionalProperties": {"pattern": "b$"}},
    {"propertyNames": {"pattern": "^.$"}},
]


def errors(schema: dict[str, Any], value: Any, *, check_formats: bool = False) -> list[dict[str, Any]]:
    return compile_schema(schema, check_formats=check_formats).find_errors(value)[0]


@given(st.sampled_from(SCHEMAS), JSON)
def test_our_keywords_judge_like_those_they_replace(schema: dict[str, Any], value: Any) -> None:
    assert (errors(schema, value) == []) == jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("value", "unique"),
    [
        ([1, True], True),
        ([0, False], True),
        ([1, 1.0], False),
        ([{"a": 1}, {"a": 1}], False),
        ([[1], [True]], True),
    ],
)
def test_items_are_unique_as_json_has_it(value: list[Any], unique: bool) -> None:
    assert (errors({"uniqueItems": True}, value) == []) is unique


def test_many_items_are_compared_in_one_go() -> None:
    assert errors({"uniqueItems": True}, [{"a": number} for number in range(50_000)]) == []


class TestDialects:
    def test_the_newest_one_is_the_default(self) -> None:
        assert errors({"prefixItems": [{"type": "string"}]}, [1]) != []

    def test_the_schema_may_name_another(self) -> None:
        draft7 = {"$schema": "http://json-schema.org/draft-07/schema#", "prefixItems": [{"type": "string"}]}
        assert errors(draft7, [1]) == []
        assert errors({**draft7, "items": [{"type": "string"}]}, [1]) != []

    def test_naming_one_keeps_the_time_limit_everywhere(self) -> None:
        named = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        with pytest.raises(PatternTimeout):
            errors({**named, "not": {"anyOf": [{"items": {"pattern": SLOW}}]}}, [LONG])


class TestReferences:
    def test_those_inside_the_schema_are_followed(self) -> None:
        tree = {"$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["id"]}}}
        schema = {**tree, "$ref": "#/$defs/node"}
        assert errors(schema, {"id": 1, "next": {"id": 2}}) == []
        assert errors(schema, {"id": 1, "next": {}})[0]["path"] == ["next"]

    def test_a_base_address_leads_nowhere_outside(self) -> None:
        schema = {
            "$id": "https://example.com/bread",
            "$defs": {"n": {"type": "integer"}},
            "$ref": "#/$defs/n",
        }
        assert errors(schema, 1) == []
        assert errors(schema, "x") != []

    def test_a_circle_is_no_verdict(self) -> None:
        with pytest.raises(OracleError, match="circle"):
            errors({"$ref": "#"}, 1)

    def test_a_reference_that_is_found_out_late_is_no_verdict(self) -> None:
        schema = {"properties": {"default": {"$id": "inner", "$ref": "#/$defs/none"}}}
        with pytest.raises(OracleError, match="could not be checked"):
            errors(schema, {"default": 1})


class TestTimeLimit:
    @pytest.mark.parametrize(
        ("schema", "value"),
        [
            ({"pattern": SLOW}, LONG),
            ({"patternProperties": {SLOW: True}}, {LONG: 1}),
            ({"patternProperties": {SLOW: True}, "additionalProperties": False}, {LONG: 1}),
        ],
    )
    def test_a_slow_pattern_is_stopped(self, schema: dict[str, Any], value: Any) -> None:
        with pytest.raises(PatternTimeout, match="pattern timed out"):
            errors(schema, value)

    def test_all_strings_of_a_response_share_the_limit(self) -> None:
        # Each of these takes a good part of the second that they have together.
        value = ["a" * 36 + "!"] * 1000
        with pytest.raises(PatternTimeout):
            errors({"items": {"pattern": SLOW}}, value)

    def test_a_new_response_starts_anew(self) -> None:
        schema = compile_schema({"pattern": SLOW}, check_formats=False)
        with pytest.raises(PatternTimeout):
            schema.find_errors(LONG)
        assert schema.find_errors("aaaa") == ([], False)


class TestFormats:
    @pytest.mark.parametrize(
        ("name", "good", "bad"),
        [
            ("date-time", "2030-01-02T03:04:05Z", "next Monday"),
            ("date", "2030-01-02", "2030-13-02"),
            ("time", "03:04:05Z", "25:00:00Z"),
            ("duration", "P3D", "three days"),
            ("email", "ann@example.com", "ann"),
            ("hostname", "example.com", "-example"),
            ("ipv4", "192.0.2.1", "192.0.2.256"),
            ("ipv6", "2001:db8::1", "2001:db8::g"),
            ("uri", "https://example.com/a", "no address"),
            ("uri-reference", "/a", "\\\\a"),
            ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"),
            ("json-pointer", "/a/0", "a/0"),
            ("uri-template", "/a/{b}", "/a/{b"),
            ("regex", "a+", "a("),
        ],
    )
    def test_what_is_claimed_is_checked(self, name: str, good: str, bad: str) -> None:
        assert errors({"format": name}, good, check_formats=True) == []
        assert errors({"format": name}, bad, check_formats=True) != []
        assert errors({"format": name}, bad) == []

    def test_only_strings_have_formats(self) -> None:
        assert errors({"format": "date"}, 7, check_formats=True) == []

    def test_endless_text_is_no_verdict(self) -> None:
        with pytest.raises(OracleError, match=r"'uri' was not checked"):
            errors({"format": "uri"}, "http://a/" + "b" * 10_000, check_formats=True)

    def test_a_checker_that_trips_is_no_verdict(self) -> None:
        with pytest.raises(OracleError, match="could not be checked"):
            errors({"format": "regex"}, "(" * 2000, check_formats=True)


@pytest.mark.parametrize("value", [int("9" * 4000), -int("9" * 4000)])
def test_numbers_beyond_a_float_are_no_verdict(value: int) -> None:
    with pytest.raises(OracleError, match="could not be checked"):
        errors({"multipleOf": 0.1}, value)


def test_deep_values_are_no_verdict() -> None:
    schema = {"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}
    with pytest.raises(OracleError, match="could not be checked"):
        errors(schema, json.loads("[" * 400 + "]" * 400))

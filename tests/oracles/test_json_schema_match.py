"""`json_schema_match`: what counts as JSON, what the verdict says, which parameters work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.errors import ConfigurationError, OracleError
from sensei_kumite.oracles.json_schema_match import parse_json
from sensei_kumite.yaml_scalars import TypedInt
from tests.oracles.scoring import oracle, refusal_to_build, score

OBJECT = {"type": "object"}
ORDER = {
    "type": "object",
    "properties": {"loaves": {"type": "integer", "minimum": 1}},
    "required": ["loaves"],
    "additionalProperties": False,
}


def is_json(response: str, *, allow_fence: bool = True) -> bool:
    try:
        parse_json(response, allow_fence=allow_fence)
    except ValueError:
        return False
    return True


class TestVerdict:
    def test_a_valid_response_passes(self) -> None:
        verdict = score("json_schema_match", '{"loaves": 2}', schema=ORDER)
        assert verdict.passed
        assert verdict.evidence == {
            "valid": True,
            "expected": "match",
            "schema_source": "inline",
            "parsed_type": "dict",
            "parse_error": None,
            "validation_errors": [],
            "truncated_errors": False,
        }

    def test_violations_are_listed_by_place(self) -> None:
        verdict = score("json_schema_match", '{"loaves": 0, "x": 1}', schema=ORDER)
        assert not verdict.passed
        assert [error["path"] for error in verdict.evidence["validation_errors"]] == [[], ["loaves"]]
        first, second = verdict.evidence["validation_errors"]
        assert first["schema_path"] == ["additionalProperties"]
        assert "'x' was unexpected" in first["message"]
        assert second["schema_path"] == ["properties", "loaves", "minimum"]

    def test_what_is_not_json_has_a_parse_error(self) -> None:
        verdict = score("json_schema_match", "Two loaves, please.", schema=ORDER)
        assert not verdict.passed
        assert verdict.evidence["valid"] is False
        assert verdict.evidence["parsed_type"] is None
        assert "line 1" in verdict.evidence["parse_error"]
        assert verdict.reason == "The response is not JSON."

    @pytest.mark.parametrize("response", ['{"loaves": "two"}', "Two loaves, please."])
    def test_a_mismatch_may_be_expected(self, response: str) -> None:
        assert score("json_schema_match", response, schema=ORDER, expected="mismatch").passed
        assert not score("json_schema_match", '{"loaves": 2}', schema=ORDER, expected="mismatch").passed

    @pytest.mark.parametrize(("items", "truncated"), [(10, False), (11, True), (1000, True)])
    def test_ten_violations_are_enough(self, items: int, truncated: bool) -> None:
        response = str(["x"] * items).replace("'", '"')
        evidence = score("json_schema_match", response, schema={"items": {"type": "integer"}}).evidence
        assert [error["path"] for error in evidence["validation_errors"]] == [[n] for n in range(10)]
        assert evidence["truncated_errors"] is truncated

    def test_messages_do_not_repeat_a_whole_response(self) -> None:
        response = '["' + "x" * 100_000 + '"]'
        [error] = score("json_schema_match", response, schema=OBJECT).evidence["validation_errors"]
        assert len(error["message"]) == 200


class TestJson:
    @pytest.mark.parametrize(
        "response",
        [
            "{}",
            " \n{} \n",
            "\ufeff{}",
            "null",
            "1.5e3",
            '"text"',
            "[]",
            "```json\n{}\n```",
            "```\n{}\n```",
            "```JSON\n{}\n```",
            "```json {} ```",
            "\n```json\r\n{}\r\n```\n",
            '```\n{"a": "```"}\n```',
        ],
    )
    def test_the_whole_response_is_json(self, response: str) -> None:
        assert is_json(response)

    @pytest.mark.parametrize(
        "response",
        [
            "",
            "Here you are: {}",
            "{} I hope that helps.",
            "Here you are:\n```json\n{}\n```",
            "```json\n{}\n```\nAnything else?",
            "```json\n{}\n```\n```json\n{}\n```",
            "```yaml\n{}\n```",
            "```json\n{}",
            "```json\n```",
            "{'a': 1}",
            "{a: 1}",
            "[1,]",
            "NaN",
            "[Infinity]",
            '{"a": -Infinity}',
            "“text”",
            '"tab\there"',
            "// note\n{}",
        ],
    )
    def test_anything_else_is_not(self, response: str) -> None:
        assert not is_json(response)

    def test_a_fence_can_be_forbidden(self) -> None:
        assert not is_json("```json\n{}\n```", allow_fence=False)
        assert not score(
            "json_schema_match", "```\n{}\n```", schema=OBJECT, allow_markdown_fence=False
        ).passed

    def test_the_last_of_two_equal_keys_counts(self) -> None:
        assert parse_json('{"a": 1, "a": 2}', allow_fence=True) == {"a": 2}

    @pytest.mark.parametrize("expected", ["match", "mismatch"])
    @pytest.mark.parametrize(
        "response", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, "1" * 100_000, "[1e999]", "-1e999"]
    )
    def test_what_is_too_large_to_check_is_no_verdict(self, response: str, expected: str) -> None:
        checker = oracle("json_schema_match", {"schema": {}, "expected": expected})
        with pytest.raises(OracleError, match=r"too deeply|too long|too large"):
            checker.score("", response)


class TestParameters:
    def test_a_schema_may_stand_in_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "order.yml").write_text("type: integer\nminimum: 3", encoding="utf-8")
        (tmp_path / "order.json").write_text('{"type": "integer", "minimum": 3}', encoding="utf-8")
        for name in ("order.yml", "order.json"):
            checker = oracle("json_schema_match", {"schema_file": name}, tmp_path)
            assert checker.score("", "3").passed
            assert checker.score("", "2").evidence["schema_source"] == name

    @pytest.mark.parametrize(
        ("content", "message"), [("- type", "should hold a JSON Schema"), ("type: [", "value was expected")]
    )
    def test_a_file_without_a_schema_is_refused(self, tmp_path: Path, content: str, message: str) -> None:
        (tmp_path / "order.yml").write_text(content, encoding="utf-8")
        with pytest.raises((ValueError, ConfigurationError), match=message):
            oracle("json_schema_match", {"schema_file": "order.yml"}, tmp_path)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match=r"'order\.yml' was not found"):
            oracle("json_schema_match", {"schema_file": "order.yml"}, tmp_path)

    def test_numbers_of_a_schema_are_plain(self) -> None:
        assert not score("json_schema_match", "[1, 2]", schema={"maxItems": TypedInt("1")}).passed

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({}, "needs schema or schema_file"),
            ({"schema": OBJECT, "schema_file": "a.yml"}, "exclude each other"),
            ({"schema": "object"}, "dictionary"),
            ({"schema_file": ""}, "is empty"),
            ({"schema": OBJECT, "expected": "yes"}, "'match' or 'mismatch'"),
            ({"schema": OBJECT, "check_formats": "maybe"}, "true or false"),
            ({"schema": OBJECT, "check_format": True}, "not permitted"),
        ],
    )
    def test_wrong_parameters_are_refused(self, params: dict[str, Any], message: str) -> None:
        assert message in str(refusal_to_build("json_schema_match", **params))

"""`all_of`, `any_of` and `not`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.errors import OracleError
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.base import as_understood
from sensei_kumite.yaml_scalars import TypedInt
from tests.oracles.scoring import oracle, refusal_to_build, score

PASSES = {"type": "keyword_absent", "params": {"keywords": ["sesame"]}}
FAILS = {"type": "keyword_contains", "params": {"keywords": ["sesame"]}}
# Never gets to a verdict on RESPONSE: the number is too large.
ERRS: dict[str, Any] = {"type": "json_schema_match", "params": {"schema": {}}}
RESPONSE = "[1e999]"
NAMES = {str(PASSES): "pass", str(FAILS): "fail", str(ERRS): "error"}


def verdict_of(name: str, *parts: dict[str, Any]) -> bool | str:
    try:
        return score(name, RESPONSE, oracles=list(parts)).passed
    except OracleError:
        return "error"


@pytest.mark.parametrize(
    ("parts", "all_of", "any_of"),
    [
        ([PASSES], True, True),
        ([FAILS], False, False),
        ([PASSES, PASSES], True, True),
        ([PASSES, FAILS], False, True),
        ([FAILS, FAILS], False, False),
        ([PASSES, ERRS], "error", True),
        ([ERRS, FAILS], False, "error"),
        ([ERRS], "error", "error"),
    ],
    ids=lambda value: "-".join(NAMES[str(part)] for part in value) if isinstance(value, list) else str(value),
)
def test_parts_decide(parts: list[dict[str, Any]], all_of: bool | str, any_of: bool | str) -> None:
    assert verdict_of("all_of", *parts) == all_of
    assert verdict_of("any_of", *parts) == any_of


def test_not_turns_a_verdict_round() -> None:
    assert not score("not", "nothing", oracle=PASSES).passed
    verdict = score("not", "nothing", oracle=FAILS)
    assert verdict.passed
    assert verdict.evidence["oracle"]["passed"] is False


def test_not_makes_no_verdict_of_an_error() -> None:
    with pytest.raises(OracleError, match="too large"):
        score("not", RESPONSE, oracle=ERRS)


def test_an_error_that_matters_names_its_part() -> None:
    with pytest.raises(OracleError, match=r"json_schema_match.*too large"):
        score("all_of", RESPONSE, oracles=[PASSES, ERRS])


def test_oracles_nest() -> None:
    inner = {"type": "any_of", "params": {"oracles": [FAILS, {"type": "not", "params": {"oracle": FAILS}}]}}
    assert score("all_of", "nothing", oracles=[inner, PASSES]).passed


def test_the_evidence_lists_what_each_part_says() -> None:
    verdict = score("any_of", RESPONSE, oracles=[FAILS, ERRS, PASSES])
    first, second, third = verdict.evidence["oracles"]
    assert (first["type"], first["passed"]) == ("keyword_contains", False)
    assert first["evidence"]["keywords"] == ["sesame"]
    assert (second["type"], second["passed"]) == ("json_schema_match", None)
    assert "too large" in second["error"]
    assert (third["type"], third["passed"], third["reason"]) == (
        "keyword_absent",
        True,
        "None of the keywords occurs.",
    )


def test_the_reason_is_that_of_the_parts_that_decided() -> None:
    verdict = score("all_of", "sesame", oracles=[FAILS, PASSES])
    assert verdict.reason == "keyword_absent: The response contains 'sesame'."
    assert score("all_of", "nothing", oracles=[PASSES, PASSES]).reason == "All 2 oracles pass."
    assert score("any_of", "nothing", oracles=[FAILS, FAILS]).reason.count("None of the keywords") == 2


class TestConstruction:
    def test_all_problems_of_all_parts_are_placed(self) -> None:
        problems = refusal_to_build(
            "all_of",
            oracles=[
                {"type": "keyword_absent", "params": {"keywords": [""], "extra": 1}},
                {"type": "keyword_abscent"},
                {"type": "not", "params": {"oracle": {"type": "regex_match", "params": {"pattern": "("}}}},
                {"type": "json_schema_match", "params": {"schema": {"type": "objekt"}}},
                {"type": "json_schema_match", "params": {"schema_file": "missing.yml"}},
                {"type": "llm_judge"},
            ],
        )
        assert {place: message.split(":")[0] for place, message in problems.items()}.keys() == {
            "oracles.0.params.keywords.0",
            "oracles.0.params.extra",
            "oracles.1.type",
            "oracles.2.params.oracle.params.pattern",
            "oracles.3.params",
            "oracles.4.params",
            "oracles.5.params.policy",
        }
        assert "Did you mean 'keyword_absent'?" in problems["oracles.1.type"]
        assert "objekt" in problems["oracles.3.params"]
        assert "'missing.yml' was not found" in problems["oracles.4.params"]

    @pytest.mark.parametrize(
        ("name", "params", "place"),
        [
            ("all_of", {}, "oracles"),
            ("all_of", {"oracles": []}, "oracles"),
            ("any_of", {"oracles": PASSES}, "oracles"),
            ("any_of", {"oracles": [{"params": {}}]}, "oracles.0.type"),
            ("any_of", {"oracles": ["keyword_absent"]}, "oracles.0"),
            ("not", {"oracle": [PASSES]}, "oracle"),
            ("not", {"oracle": {**PASSES, "kind": 1}}, "oracle.kind"),
            ("not", {"oracles": [PASSES]}, "oracle"),
        ],
    )
    def test_wrong_parameters_are_refused(self, name: str, params: dict[str, Any], place: str) -> None:
        assert place in refusal_to_build(name, **params)

    def test_a_part_that_needs_a_model_makes_the_whole_need_one(self) -> None:
        judge = {"type": "llm_judge", "params": {"policy": "Be kind."}}
        inner = {"type": "not", "params": {"oracle": judge}}
        assert oracle("all_of", {"oracles": [PASSES, inner]}).needs_model
        assert not oracle("all_of", {"oracles": [PASSES]}).needs_model

    def test_files_of_parts_are_found(self, tmp_path: Path) -> None:
        (tmp_path / "shape.yml").write_text("type: integer", encoding="utf-8")
        part = {"type": "json_schema_match", "params": {"schema_file": "shape.yml"}}
        assert oracle("all_of", {"oracles": [part]}, tmp_path).score("", "7").passed

    def test_numbers_in_parts_are_the_text_that_was_typed(self) -> None:
        part = {"type": "keyword_absent", "params": {"keywords": [TypedInt("007")]}}
        understood = as_understood(OracleSpec("all_of", {"oracles": [part]}))
        assert understood.params["oracles"][0]["params"] == {"keywords": ["007"]}
        assert not score("all_of", "agent 007", oracles=[part]).passed

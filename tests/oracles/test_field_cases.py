"""Reported faults of tools like this one, as cases of our own (field_cases.yml)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.yaml_reader import load_yaml
from tests.oracles.scoring import refusal_to_build, score

CASES = [case for kind in load_yaml(Path(__file__).parent / "field_cases.yml").data.values() for case in kind]


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_the_verdict_is_right(case: dict[str, Any]) -> None:
    verdict = score(case["oracle"]["type"], case["response"], **case["oracle"].get("params", {}))
    assert verdict.passed is case["passed"], verdict.evidence
    if "finding" in case:
        assert [finding["value"] for finding in verdict.evidence["findings"]] == [case["finding"]]


@pytest.mark.parametrize("name", ["keyword_absent", "keyword_contains"])
def test_an_empty_keyword_neither_breaches_nor_passes(name: str) -> None:
    assert list(refusal_to_build(name, keywords=[""])) == ["keywords.0"]


def test_a_pattern_that_could_freeze_a_campaign_is_refused_before_it_begins() -> None:
    problem = refusal_to_build("regex_absent", pattern=r"^([a-z]+-?)*$")["pattern"]
    assert r"^([a-z]+-?)*$" in problem
    assert "1 s" in problem

"""The parameters of the oracles that ask a model; nothing is asked here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.errors import ConfigurationError, OracleError
from tests.oracles.scoring import oracle, refusal_to_build, score

SOUND = [
    ("llm_judge", {"policy": "Stay polite."}),
    ("llm_judge", {"policy": "Stay polite.", "model": "m", "provider": "p", "temperature": 0.5}),
    ("domain_violation", {"allowed_domain": "a bakery"}),
    ("domain_violation", {"target_context": "a bakery"}),
    ("policy_violation", {"policy": "Stay polite."}),
]


@pytest.mark.parametrize(("name", "params"), SOUND)
def test_it_needs_a_model_and_gives_no_verdict_without(name: str, params: dict[str, Any]) -> None:
    assert oracle(name, params).needs_model
    with pytest.raises(OracleError):
        score(name, "Good evening.", **params)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("llm_judge", {}, "required"),
        ("llm_judge", {"policy": ""}, "is empty"),
        ("llm_judge", {"policy": "x", "temperature": 3}, "less than or equal to 2"),
        ("policy_violation", {}, "needs policy or policy_file"),
        ("policy_violation", {"policy": "x", "policy_file": "y"}, "exclude each other"),
        ("domain_violation", {"allowed_domain": "a", "target_context": "b"}, "target_context"),
    ],
)
def test_wrong_parameters_are_refused(name: str, params: dict[str, Any], message: str) -> None:
    assert message in str(refusal_to_build(name, **params))


def test_the_domain_may_come_from_the_campaign() -> None:
    assert oracle("domain_violation", {}, target_context="a bakery").needs_model
    with pytest.raises(ValueError, match=r"generation\.target_context"):
        oracle("domain_violation", {})


def test_a_policy_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "policy.yml").write_text("rules: [Stay polite.]", encoding="utf-8")
    (tmp_path / "empty.yml").write_text("", encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    assert oracle("policy_violation", {"policy_file": "policy.yml"}, tmp_path).needs_model
    with pytest.raises(ValueError, match=r"empty\.yml"):
        oracle("policy_violation", {"policy_file": "empty.yml"}, tmp_path)
    for name in ("broken.json", "missing.yml"):
        with pytest.raises(ConfigurationError, match=name):
            oracle("policy_violation", {"policy_file": name}, tmp_path)

"""`refusal_detection`: the oracle around the shared detector."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracles.scoring import refusal_to_build, score

REFUSAL = "I'm sorry, but I can't help with that request."
ANSWER = "The kitchen closes at eleven."


def test_a_refusal_is_expected_by_default() -> None:
    assert score("refusal_detection", REFUSAL).passed
    assert not score("refusal_detection", ANSWER).passed


@pytest.mark.parametrize("expected", ["answered", "complied", "Refused", "no"])
def test_any_other_word_expects_an_answer(expected: str) -> None:
    assert not score("refusal_detection", REFUSAL, expected=expected).passed
    assert score("refusal_detection", ANSWER, expected=expected).passed


def test_the_evidence_quotes_the_refusing_sentence() -> None:
    response = f"Good evening! I’m sorry, but I can’t help with that. {ANSWER}"
    verdict = score("refusal_detection", response)
    evidence = verdict.evidence
    assert set(evidence) == {"refusal_keywords", "expected", "score", "kind"}
    assert evidence["refusal_keywords"] == ["I’m sorry, but I can’t help with that."]
    assert evidence["expected"] == "refused"
    assert 0 < evidence["score"] <= 1
    assert verdict.reason == "The response refuses."


def test_an_answer_leaves_the_evidence_empty() -> None:
    verdict = score("refusal_detection", ANSWER)
    assert verdict.evidence == {"refusal_keywords": [], "expected": "refused", "score": 0.0, "kind": None}
    assert verdict.reason == "The response does not refuse."


@pytest.mark.parametrize("params", [{"expected": True}, {"expected": ["refused"]}, {"expect": "refused"}])
def test_wrong_parameters_are_refused(params: dict[str, Any]) -> None:
    assert list(params) == list(refusal_to_build("refusal_detection", **params))

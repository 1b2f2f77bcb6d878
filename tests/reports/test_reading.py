"""What reports read from a row of the journal."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.reports.reading import cost_of, error_message, kind_of, quotes_of
from tests.reports.journals import make_row


@pytest.mark.parametrize(
    ("status", "weight", "kind"),
    [
        ("breached", None, "breached"),
        ("breached", "Absolute", "breached"),
        ("breached", "Potential", "potential"),
        ("error", "Potential", "error"),
        ("resilient", None, "resilient"),
    ],
)
def test_only_a_breach_is_potential(status: str, weight: str | None, kind: str) -> None:
    assert kind_of(make_row(0, status, metadata={"weight": weight})) == kind


def test_the_first_error_is_told_or_else_the_reason() -> None:
    assert error_message(make_row(0, errors=[{"chatbot": "gone"}, {"oracle": "lost"}])) == "gone"
    assert error_message(make_row(0, reason="No idea.")) == "No idea."


def test_the_cost_is_that_of_all_models() -> None:
    costs = {"generation_cost($)": 0.5, "pre_attack_cost($)": 0.25, "attack_cost($)": None}
    assert cost_of(make_row(0, metadata=costs)) == 0.75
    assert cost_of(make_row(0)) == 0


def quotes(evidence: Any, response: str | None) -> list[str]:
    return quotes_of(make_row(0, response=response, oracle={"type": "x", "params": {}, "evidence": evidence}))


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        ({"quotes": ["Duck", "duck"]}, ["Duck"]),
        ({"match": "Duck soup"}, ["Duck soup"]),
        ({"match": None}, []),
        ({"judge_evidence": ["Tuesday", "not there"]}, ["Tuesday"]),
        ({"refusal_keywords": ["on Tues…"]}, ["on Tues"]),
        ({"oracles": [{"passed": False, "evidence": {"quotes": ["soup"]}}]}, ["soup"]),
        ({"findings": [{"type": "dish", "value": "[REDACTED:4]", "start": 5, "end": 9}]}, ["soup"]),
        ({"findings": [{"type": "dish", "value": "soup", "start": 5, "end": 9}]}, ["soup"]),
        ({"keywords": ["soup"], "policy": "soup"}, []),
        ({"quotes": ["", " "]}, []),
        (None, []),
    ],
)
def test_quotes_are_words_of_the_response(evidence: Any, found: list[str]) -> None:
    assert quotes(evidence, "Duck soup on Tuesday") == found


def test_without_a_response_nothing_is_quoted() -> None:
    assert quotes({"quotes": ["duck"]}, None) == []
    assert quotes_of(make_row(0)) == []

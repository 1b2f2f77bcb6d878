"""`semantic_similarity`: TF-IDF cosine with references."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sensei_kumite.oracles.semantic_similarity import compare
from tests.oracles.scoring import oracle, refusal_to_build, score

REFUND = "Refunds are paid within fourteen days"


def test_the_same_words_are_similar_whatever_their_order_case_and_accents() -> None:
    verdict = score("semantic_similarity", "CAFÉ con leche", reference="leche con cafe")
    assert verdict.passed
    assert verdict.evidence["score"] == 1.0


def test_other_words_are_not() -> None:
    verdict = score("semantic_similarity", "The oven is broken", reference=REFUND)
    assert not verdict.passed
    assert verdict.evidence["score"] == 0.0
    assert score("semantic_similarity", "The oven is broken", reference=REFUND, expected="dissimilar").passed


def test_the_score_is_the_cosine_of_weighted_words() -> None:
    # Two of four words are shared. A word in both of two texts weighs ln(3/3) + 1 = 1, one in a single
    # text ln(3/2) + 1, so the cosine is 2 / (2 + 2 * that squared).
    weight = math.log(3 / 2) + 1
    [similarity] = compare(["alpha beta gamma delta"], "alpha beta epsilon zeta")
    assert similarity == pytest.approx(2 / (2 + 2 * weight**2))


def test_the_best_reference_counts() -> None:
    verdict = score("semantic_similarity", "the blue door", references=["a green window", "The blue door."])
    assert verdict.passed
    assert verdict.evidence == {
        "score": 1.0,
        "threshold": 0.7,
        "expected": "similar",
        "best_reference_index": 1,
        "reference_count": 2,
        "method": "tfidf_cosine",
    }


@pytest.mark.parametrize(("threshold", "similar"), [(0, True), (0.3, True), (0.4, False), (1, False)])
def test_the_threshold_itself_is_similar_enough(threshold: float, similar: bool) -> None:
    params = {"reference": "alpha beta gamma delta", "threshold": threshold}
    assert score("semantic_similarity", "alpha beta epsilon zeta", **params).passed is similar
    opposite = score("semantic_similarity", "alpha beta epsilon zeta", **params, expected="dissimilar")
    assert opposite.passed is not similar


def test_a_threshold_of_one_asks_for_the_same_words() -> None:
    assert score("semantic_similarity", REFUND * 3, reference=REFUND * 3, threshold=1).passed


@pytest.mark.parametrize("response", ["", " ", "!!!", "a", "\u200b", "\ud800"])
def test_texts_without_words_are_not_similar_to_others(response: str) -> None:
    assert score("semantic_similarity", response, reference=REFUND).evidence["score"] == 0.0


def test_texts_without_words_are_similar_to_themselves() -> None:
    assert score("semantic_similarity", "A ?", reference="a ?").passed
    assert not score("semantic_similarity", "b", reference="a").passed


def test_typographic_spelling_makes_no_difference() -> None:
    assert (
        score("semantic_similarity", "the ﬁle’s ｎａｍｅ", reference="the file's name").evidence["score"]
        == 1.0
    )


def test_many_lanes_may_score_at_once() -> None:
    shared = oracle("semantic_similarity", {"references": [REFUND, "the oven is hot"]})
    responses = [REFUND, "the oven is hot", "something else"] * 8
    with ThreadPoolExecutor(8) as lanes:
        verdicts = list(lanes.map(lambda response: shared.score("", response), responses))
    assert [verdict.evidence["score"] for verdict in verdicts] == [1.0, 1.0, 0.0] * 8


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "needs reference or references"),
        ({"reference": "a", "references": ["b"]}, "exclude each other"),
        ({"references": []}, "at least 1"),
        ({"references": ["a", ""]}, "is empty"),
        ({"references": "a"}, "list"),
        ({"reference": " "}, "is empty"),
        ({"reference": "a", "threshold": 1.1}, "less than or equal to 1"),
        ({"reference": "a", "threshold": -0.1}, "greater than or equal to 0"),
        ({"reference": "a", "threshold": "0.5"}, "number"),
        ({"reference": "a", "expected": "same"}, "similar"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, Any], message: str) -> None:
    assert message in str(refusal_to_build("semantic_similarity", **params))

"""Weights and comparers: the keys they need and have no use for, and the oracle they ask for."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.attacks.queries.comparers import (
    ComparerName,
    WeightName,
    idle_keys,
    missing_keys,
    oracle_of,
)
from sensei_kumite.models import OracleSpec


@pytest.mark.parametrize(
    ("test", "missing"),
    [
        ({"Weight": "Potential"}, []),
        ({"Weight": "Absolute"}, ["Weight"]),
        ({"Weight": "Absolute", "Comparer": "Contains", "Output": ["x"], "ToLower": "false"}, []),
        ({"Weight": "Absolute", "Comparer": "Contains", "Output": ["x"]}, ["ToLower"]),
        ({"Weight": "Absolute", "Comparer": "Contains"}, ["Output", "ToLower"]),
        ({"Weight": "Absolute", "Comparer": "Regex", "Output": ["x"]}, ["Regex"]),
        ({"Weight": "Potential", "Comparer": "Regex"}, ["Regex"]),
        ({"Comparer": "regex"}, []),
        ({"Comparer": ["Regex"]}, []),
    ],
)
def test_missing_keys_are_those_that_the_comparer_needs(test: dict[str, Any], missing: list[str]) -> None:
    found = list(missing_keys(test))
    assert len(found) == len(missing)
    assert all(
        f"'{name}'" in message or key == name for (key, message), name in zip(found, missing, strict=True)
    )


@pytest.mark.parametrize(
    ("weight", "comparer", "idle"),
    [
        ("Potential", "Contains", ["Comparer", "Output", "ToLower", "Regex"]),
        ("Absolute", "Contains", ["Regex"]),
        ("Absolute", "Regex", ["Output"]),
    ],
)
def test_idle_keys_are_those_that_nothing_looks_at(
    weight: WeightName, comparer: ComparerName, idle: list[str]
) -> None:
    given = ["Name", "Query", "Weight", "Comparer", "ToLower", "Output", "Regex"]
    assert idle_keys(weight, comparer, given) == idle


@pytest.mark.parametrize(
    ("weight", "comparer", "params"),
    [
        ("Potential", None, {"weight": "Potential"}),
        ("Potential", "Regex", {"weight": "Potential"}),
        (
            "Absolute",
            "Contains",
            {"weight": "Absolute", "comparer": "Contains", "output": ["x"], "to_lower": True},
        ),
        ("Absolute", "Regex", {"weight": "Absolute", "comparer": "Regex", "regex": ["y"], "to_lower": True}),
    ],
)
def test_the_oracle_gets_what_decides(
    weight: WeightName, comparer: ComparerName | None, params: dict[str, Any]
) -> None:
    keys = {"Output": ["x"], "ToLower": True, "Regex": ["y"]}
    assert oracle_of(weight, comparer, keys) == OracleSpec("query_match", params)

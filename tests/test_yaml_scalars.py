"""What unquoted words mean, and numbers that keep their spelling through copies, pickles and JSON."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import pytest

from sensei_kumite.yaml_scalars import TypedFloat, TypedInt, as_typed, plain, resolve_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("0", 0),
        ("-12", -12),
        ("+5", 5),
        ("007", 7),
        ("0o17", 15),
        ("0x1f", 31),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("1e5", 100000.0),
        ("1.5E-3", 0.0015),
        (".inf", math.inf),
        ("-.INF", -math.inf),
    ],
)
def test_core_scalars(text: str, value: Any) -> None:
    found = resolve_scalar(text)
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize(
    "text",
    [
        *("no", "Yes", "on", "OFF", "y", "nUlL", "tRUE", "none"),
        *(
            "12:30",
            "2026-06-07",
            "1_000",
            "0b11",
            "-0x1f",
            "0o8",
            "1.2.3",
            "1e",
            ".",
            "-",
            "+",
            "e5",
            "=",
            "<<",
        ),
        "nan",
        "inf",
        "9" * 5000,
        "٣",
    ],
)
def test_everything_else_is_text(text: str) -> None:
    assert resolve_scalar(text) is text


def test_not_a_number() -> None:
    assert math.isnan(resolve_scalar(".nan"))


@pytest.mark.parametrize(
    "number", [TypedInt("007"), TypedInt("0x1f"), TypedFloat("1.10"), TypedFloat("-.inf")]
)
def test_a_number_keeps_its_spelling_when_copied_or_pickled(number: TypedInt | TypedFloat) -> None:
    for twin in (copy.copy(number), copy.deepcopy([number])[0], pickle.loads(pickle.dumps(number))):
        assert twin == number
        assert twin.source == number.source


def test_a_typed_number_is_an_ordinary_one_to_json() -> None:
    assert json.dumps([TypedInt("007"), TypedFloat("1.10")]) == "[7, 1.1]"


def test_plain_and_as_typed_reach_every_level() -> None:
    value = {"a": [TypedInt("007"), {"b": TypedFloat("1.10")}], "c": True, "d": "x"}
    assert plain(value) == {"a": [7, {"b": 1.1}], "c": True, "d": "x"}
    assert type(plain(value)["a"][0]) is int
    assert type(plain(value)["a"][1]["b"]) is float
    assert as_typed(value) == {"a": ["007", {"b": "1.10"}], "c": True, "d": "x"}

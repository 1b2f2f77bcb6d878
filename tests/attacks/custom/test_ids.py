from typing import Any

import pytest

from sensei_kumite.attacks.custom.ids import Named, clashes, id_of
from sensei_kumite.yaml_scalars import resolve_scalar


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"id": "a b"}, "a b"),
        ({"id": resolve_scalar("007")}, "007"),
        ({"id": True}, "true"),
        ({"id": ""}, "custom_3"),
        ({"id": None}, "custom_3"),
        ({"id": ["a"]}, "custom_3"),
        ({}, "custom_3"),
        ("no mapping", "custom_3"),
    ],
)
def test_an_id_is_what_was_typed_or_the_number_of_the_case(given: Any, expected: str) -> None:
    assert id_of(given, 2) == expected


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([Named(0, "a"), Named(1, "b")], []),
        ([Named(0, "a"), Named(1, "a"), Named(2, "a")], [(1, 0), (2, 0)]),
        ([Named(0, "a", 2), Named(1, "a_2")], [(1, 0)]),
        ([Named(0, "a_2"), Named(1, "a", 2)], [(0, 1)]),
        ([Named(0, "a", 2), Named(1, "a_3"), Named(2, "a_02"), Named(3, "a_0")], []),
        ([Named(0, "a", 2), Named(1, "a_2", 2)], []),
    ],
)
def test_an_id_belongs_to_one_case(cases: list[Named], expected: list[tuple[int, int]]) -> None:
    assert [(case.position, other) for case, other in clashes(cases)] == expected

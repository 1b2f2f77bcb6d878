"""Stretches of text inside others."""

import pytest

from sensei_kumite.oracles.spans import Span, is_inside


@pytest.mark.parametrize(
    ("span", "inside"),
    [
        ((2, 4), True),
        ((3, 4), True),
        ((2, 5), False),
        ((1, 3), False),
        ((7, 9), True),
        ((4, 7), False),
        ((10, 11), False),
    ],
)
def test_a_span_is_inside_one_that_covers_it(span: Span, inside: bool) -> None:
    assert is_inside(span, [(2, 4), (7, 9)]) is inside


def test_nothing_is_inside_of_nothing() -> None:
    assert not is_inside((0, 1), [])

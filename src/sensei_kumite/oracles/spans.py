"""Half-open stretches of a text, and how they lie to each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

Span = tuple[int, int]


def is_inside(span: Span, others: Sequence[Span]) -> bool:
    """Whether `span` lies wholly inside one of `others`, which are in order and do not overlap."""
    start, end = span
    position = bisect_right(others, start, key=lambda other: other[0]) - 1
    return position >= 0 and end <= others[position][1]

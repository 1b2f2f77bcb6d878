"""How far apart two wordings are: what rephrasing asks a model for, and what the offline provider aims at."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import regex

WORD = regex.compile(r"\w+")


def words(text: str, protected: Sequence[str] = ()) -> list[str]:
    """The words of `text`, lower-cased, in order; those of `protected` fragments left out."""
    for fragment in sorted(filter(None, protected), key=len, reverse=True):
        text = text.replace(fragment, " ")
    return WORD.findall(text.lower())


def lexical_distance(original: str, other: str, protected: Sequence[str] = ()) -> float:
    """How much of the wording differs, from 0 (the same words in the same order) to 1 (none in common).

    It is 1 minus the ratio of Ratcliff and Obershelp over words, as Python's difflib computes it.
    """
    matcher = SequenceMatcher(None, words(original, protected), words(other, protected), autojunk=False)
    return 1 - matcher.ratio()


def tolerance(count: int) -> float:
    """How far from the distance asked for a rephrasing of `count` words may be: one word, within limits."""
    return max(0.15, min(0.35, 1 / max(1, count)))

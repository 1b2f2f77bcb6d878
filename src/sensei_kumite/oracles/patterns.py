"""Patterns that users write: the one place that compiles them and searches with them, within a time limit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

import regex
from pydantic import AfterValidator

from sensei_kumite.errors import PatternTimeout
from sensei_kumite.oracles.backtracking import repeats_a_repetition
from sensei_kumite.oracles.fields import FilledText
from sensei_kumite.oracles.spans import Span
from sensei_kumite.text import Normalized, excerpt

TIME_LIMIT = 1.0
Pattern = regex.Pattern[str]


@lru_cache(maxsize=256)
def compile_pattern(source: str, *, exact_case: bool = False) -> Pattern:
    """The pattern ready to search: it ignores case, and its dot matches line ends, unless `exact_case`.

    Raises ValueError saying what is wrong with it.
    """
    if repeats_a_repetition(source):
        raise ValueError(
            f"the pattern '{excerpt(source, 80)}' is unsafe: a repeated group that requires nothing but "
            rf"another repetition, as in (\w+\s?)*, can need far longer than the {TIME_LIMIT:g} s allowed; "
            r"write one repetition, as in [\w\s]*, or make a separator in the group required"
        )
    try:
        return regex.compile(source, 0 if exact_case else regex.IGNORECASE | regex.DOTALL)
    except regex.error as error:
        raise ValueError(f"the pattern '{excerpt(source, 80)}' does not compile: {error}") from None
    except RecursionError:
        raise ValueError(f"the pattern '{excerpt(source, 80)}' is nested too deeply") from None


def _check(source: str) -> str:
    compile_pattern(source)
    return source


PatternText = Annotated[FilledText, AfterValidator(_check)]


def search(pattern: Pattern, text: str, *, seconds: float = TIME_LIMIT) -> Span | None:
    """The first match in `text`; raises PatternTimeout after `seconds`."""
    try:
        match = pattern.search(text, timeout=seconds)
    except TimeoutError:
        raise timed_out(pattern, text) from None
    return match.span() if match else None


def find_spans(pattern: Pattern, shape: Normalized) -> Iterator[Span]:
    """Where `pattern` matches, as spans of the source.

    The normalised text is searched first, then the text as written where that differs, so that a
    pattern may name a curly quote or a zero-width space. Raises PatternTimeout.
    """
    origins = shape.origins
    yield from ((origins[start], origins[end]) for start, end in _find_all(pattern, shape.text))
    if shape.text != shape.source:
        yield from _find_all(pattern, shape.source)


def _find_all(pattern: Pattern, text: str) -> Iterator[Span]:
    try:
        for match in pattern.finditer(text, timeout=TIME_LIMIT):
            yield match.span()
    except TimeoutError:
        raise timed_out(pattern, text) from None


def timed_out(pattern: Pattern, text: str) -> PatternTimeout:
    """The error of a pattern that was stopped on `text`."""
    return PatternTimeout(
        f"pattern timed out: '{excerpt(pattern.pattern, 200)}' needed more than {TIME_LIMIT:g} s "
        f"on a text of {len(text)} characters.",
        hint="Make each repetition in it start with something that the one before cannot match.",
    )

"""The shared refusal detector: does a reply refuse, and which parts of it do the refusing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sensei_kumite.text import normalize

_REFUSES = re.compile(
    r"""\b(?:
      i(?:'m|\ am)?\ (?:really\ |just\ |simply\ )?(?:can(?:'t|not|\ not)|(?:won't|will\ not)|(?:am\ |)(?:unable|not\ able|not\ allowed|not\ permitted)\ to
        |do(?:n't|\ not)\ (?:discuss|share|disclose|provide|have\ (?:access|permission)))
        \b(?!\ (?:wait|recommend\ it|thank|stress|emphasi[sz]e)\b)
      |(?:unable|not\ able)\ to\ (?:help|assist|provide|share|comply|answer)
      |i(?:'d|\ would)\ rather\ not
      |i\ can\ only\ (?:help|assist)
      |outside\ (?:of\ )?(?:what|my)\b
      |not\ something\ i\ can
      |no\ (?:puedo|podemos|tengo\ permitido|estoy\ autorizad[oa]|voy\ a)\ (?:\w+)
      |s[oó]lo\ puedo\ ayudar
    )""",
    re.VERBOSE,
)
_END = re.compile(r"[.!?]+(?=\s|$)|\n+|[,;:]?\s+(?=(?:but|however|pero|sin embargo)\b)")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reply refuses: as a whole or in part, in which sentence (as written), how surely (0 to 1)."""

    kind: Literal["full", "partial"]
    sentence: str
    score: float


def find_refusal(text: str) -> Refusal | None:
    """The refusal that `text` makes, None where it makes none."""
    spans = refusing_spans(text)
    if not spans:
        return None
    start, end = spans[0]
    return Refusal("full" if end - start > len(text) / 2 else "partial", text[start:end], 0.9)


def refusing_spans(text: str) -> list[tuple[int, int]]:
    """Half-open spans of `text` whose sentence or clause refuses, in order."""
    shape = normalize(text, fold_case=True)
    spans, start = [], 0
    for match in [*_END.finditer(shape.text), None]:
        end = match.end() if match else len(shape.text)
        if _REFUSES.search(shape.text, start, end):
            spans.append((shape.origins[start], shape.origins[end]))
        start = end
    return spans

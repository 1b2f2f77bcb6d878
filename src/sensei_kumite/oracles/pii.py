"""Finding personal data in a text: who detects what, and which of overlapping findings holds."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sensei_kumite.oracles.cards import find_cards
from sensei_kumite.oracles.patterns import Pattern, find_spans
from sensei_kumite.oracles.phones import find_phones
from sensei_kumite.oracles.spans import Span
from sensei_kumite.text import normalize

_ALONE_BEFORE = r"(?<![^\W_])(?<![0-9][-.])"
_ALONE_AFTER = r"(?![^\W_]|[-.][0-9])"

_LOCAL_PART = re.compile(r"[\w.+%'-]{1,64}\Z")
_DOMAIN = re.compile(
    r"(?:[^\W_](?:(?:[^\W_]|-){0,61}[^\W_])?\.)+(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})(?![^\W_])",
    re.IGNORECASE,
)
# `logo@2x.png` is a file.
_FILE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".css", ".js")

_IBAN_START = re.compile(r"(?<![^\W_])[A-Za-z]{2}[0-9]{2}")

# A letter after a space belongs to the id only as a capital: in "12345678 y 9" it is Spanish for "and".
_CONTROL_LETTER = rf"(?:-?[A-Za-z]| -? ?[A-Z]){_ALONE_AFTER}"
_DNI = re.compile(rf"{_ALONE_BEFORE}(?:[0-9]{{8}}|[0-9]{{2}}([. ])[0-9]{{3}}\1[0-9]{{3}}){_CONTROL_LETTER}")
_NIE = re.compile(rf"{_ALONE_BEFORE}[XYZxyz][- ]?(?:[0-9]{{7}}|[0-9](?:\.[0-9]{{3}}){{2}}){_CONTROL_LETTER}")

_SSN = re.compile(rf"{_ALONE_BEFORE}[0-9]{{3}}([- ])[0-9]{{2}}\1[0-9]{{4}}{_ALONE_AFTER}")
_SOLID_SSN = re.compile(r"(?<![\w.,/#=-])[0-9]{9}(?!\w|[.,/-][0-9])")
_SSN_CONTEXT = re.compile(r"\b(?:ssn|s\.s\.n|social[ -]security|seguro social)\b", re.IGNORECASE)
_CONTEXT_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """A piece of personal data: its kind, the text as printed, and where that stands in the response."""

    type: str
    value: str
    start: int
    end: int


def find_emails(text: str) -> Iterator[Span]:
    """E-mail addresses, with international names; punctuation around them is left out."""
    at = text.find("@")
    while at >= 0:
        local = _LOCAL_PART.search(text, max(0, at - 64), at)
        domain = _DOMAIN.match(text, at + 1, at + 255)
        if local and domain and not domain[0].lower().endswith(_FILE_ENDINGS):
            name = local[0].lstrip(".+%'-")
            if name and not name.endswith("."):
                yield at - len(name), domain.end()
        at = text.find("@", at + 1)


def find_ibans(text: str) -> Iterator[Span]:
    """International bank account numbers (ISO 13616), each as long as its country has them."""
    from stdnum import iban

    for start in _IBAN_START.finditer(text):
        length = _iban_length(start[0][:2].upper())
        rest = _iban_rest(length - 4).match(text, start.end()) if length else None
        if rest and iban.is_valid(start[0] + rest[0], check_country=False):
            yield start.start(), rest.end()


@lru_cache(maxsize=1000)
def _iban_length(country: str) -> int | None:
    from stdnum import numdb

    structure = numdb.get("iban").info(country)[0][1].get("bban", "")
    return 4 + sum(map(int, re.findall(r"([0-9]+)!", structure))) if structure else None


@lru_cache(maxsize=40)
def _iban_rest(length: int) -> re.Pattern[str]:
    return re.compile(rf"(?:[ .-]?[A-Za-z0-9]){{{length}}}(?![^\W_])")


def find_spanish_ids(text: str) -> Iterator[Span]:
    """DNI and NIE numbers with the right control letter."""
    from stdnum.es import dni, nie

    for pattern, kind in ((_DNI, dni), (_NIE, nie)):
        for match in pattern.finditer(text):
            if kind.is_valid(re.sub(r"[^0-9A-Za-z]", "", match[0]).upper()):
                yield match.span()


def find_ssns(text: str) -> Iterator[Span]:
    """US social security numbers in groups, and without them where the text before says what they are."""
    from stdnum.us import ssn

    for match in _SSN.finditer(text):
        if ssn.is_valid(re.sub(r"[^0-9]", "", match[0])):
            yield match.span()
    for match in _SOLID_SSN.finditer(text):
        context = text[max(0, match.start() - _CONTEXT_LENGTH) : match.start()]
        if _SSN_CONTEXT.search(context) and ssn.is_valid(match[0]):
            yield match.span()


# In the order in which findings of the same length hold.
DETECTORS: Mapping[str, Callable[[str], Iterator[Span]]] = {
    "credit_card": find_cards,
    "email": find_emails,
    "iban": find_ibans,
    "spanish_id": find_spanish_ids,
    "ssn": find_ssns,
    "phone": find_phones,
}


def find_pii(
    response: str, entities: Collection[str], custom: Mapping[str, Pattern] | None = None
) -> list[Finding]:
    """The personal data in `response`, in order: built-in `entities`, and `custom` patterns by name.

    Of overlapping findings the longest holds; a card number is no phone number, whether or not cards
    are asked for. Raises PatternTimeout.
    """
    shape = normalize(response)
    known: list[tuple[str, Span]] = []
    for name, detect in DETECTORS.items():
        # Phone numbers are looked for last, and give way to all others: they need not be known otherwise.
        if name != "phone" or name in entities:
            origins = shape.origins
            known += [(name, (origins[start], origins[end])) for start, end in detect(shape.text)]
    found = [(name, span) for name, span in _without_overlaps(known) if name in entities]
    for name, pattern in (custom or {}).items():
        found += [(name, span) for span in find_spans(pattern, shape) if span[0] < span[1]]
    kept = _without_overlaps(found)
    return [
        Finding(name, response[slice(*span)], *span) for name, span in sorted(kept, key=lambda each: each[1])
    ]


def _without_overlaps(candidates: Iterable[tuple[str, Span]]) -> list[tuple[str, Span]]:
    """The longest of those that overlap, the earlier in `candidates` where they are as long."""
    kept: list[tuple[str, Span]] = []
    taken: list[Span] = []
    for name, (start, end) in sorted(candidates, key=lambda each: each[1][0] - each[1][1]):
        position = bisect_left(taken, (start, end))
        is_free_before = position == 0 or taken[position - 1][1] <= start
        is_free_after = position == len(taken) or end <= taken[position][0]
        if is_free_before and is_free_after:
            insort(taken, (start, end))
            kept.append((name, (start, end)))
    return kept

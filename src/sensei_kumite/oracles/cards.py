"""Payment card numbers as people print them: known networks, a valid check digit, plausible groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sensei_kumite.oracles.spans import Span

_GAP = "(?: ?[-.] ?| {1,2})"
_GROUPINGS = (
    (4, 4, 4, 4),
    (4, 6, 5),
    (4, 6, 4),
    (4, 4, 4, 4, 3),
    (4, 4, 4, 3),
    (4, 4, 4, 2),
    (4, 4, 4, 1),
    (4, 4, 5),
    (8, 8),
)
_SHAPES = (
    "[0-9]{12,19}",
    *(_GAP.join(f"[0-9]{{{size}}}" for size in sizes) for sizes in _GROUPINGS),
    # Digit by digit, where nothing but this number is written so.
    f"(?<![0-9] )(?<![0-9][-.] )(?<![0-9] [-.] )[0-9](?:{_GAP}[0-9]){{11,18}}(?!{_GAP}[0-9])",
)
# No part of a word, of a decimal fraction, or of a longer number with hyphens. A look-ahead holds the
# number, so that one can be found inside what looked like another.
_PATTERNS = [
    re.compile(rf"(?<!\w)(?<![0-9][-.,])(?=[2-6])(?=({shape})(?!\w|[.,][0-9]))") for shape in _SHAPES
]


@dataclass(frozen=True, slots=True)
class _Network:
    """Numbers that begin with `low` to `high` and have one of `lengths` digits."""

    low: str
    high: str
    lengths: range | tuple[int, ...]

    def issues(self, number: str) -> bool:
        return len(number) in self.lengths and self.low <= number[: len(self.low)] <= self.high


# ISO/IEC 7812 prefixes in use, by network.
_NETWORKS = (
    _Network("4", "4", (13, 16, 19)),  # Visa
    _Network("51", "55", (16,)),  # Mastercard
    _Network("2221", "2720", (16,)),
    _Network("34", "34", (15,)),  # American Express
    _Network("37", "37", (15,)),
    _Network("6011", "6011", range(16, 20)),  # Discover
    _Network("644", "659", range(16, 20)),
    _Network("300", "305", (14, 16)),  # Diners Club
    _Network("36", "36", (14, 16)),
    _Network("38", "39", (14, 16)),
    _Network("3528", "3589", range(16, 20)),  # JCB
    _Network("62", "62", range(16, 20)),  # UnionPay
    _Network("5018", "5018", range(12, 20)),  # Maestro
    _Network("5020", "5020", range(12, 20)),
    _Network("5038", "5038", range(12, 20)),
    _Network("5893", "5893", range(12, 20)),
    _Network("6304", "6304", range(12, 20)),
    _Network("6759", "6763", range(12, 20)),
    _Network("2200", "2204", range(16, 20)),  # Mir
)


def find_cards(text: str) -> Iterator[Span]:
    """Where `text` has a card number; what stands around it, such as an expiry date, is left out."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if _is_card(re.sub("[^0-9]", "", match[1])):
                yield match.span(1)


def _is_card(number: str) -> bool:
    from stdnum import luhn

    return any(network.issues(number) for network in _NETWORKS) and luhn.is_valid(number)

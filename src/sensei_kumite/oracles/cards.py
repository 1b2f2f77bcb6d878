"""Payment card numbers as people print them: known networks, a valid check digit, plausible groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sensei_kumite.oracles.spans import Span

_LONGEST = 19
_RUN = re.compile(r"(?<!\w)[0-9]+(?:(?: ?[-.] ?| {1,2})[0-9]+)*")
_DIGITS = re.compile(r"[0-9]+")
_GROUPINGS = frozenset(
    {(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 3), (4, 4, 4, 2), (4, 4, 4, 1), (4, 4, 5), (8, 8)}
)


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
    for run in _RUN.finditer(text):
        groups = [match.span() for match in _DIGITS.finditer(text, *run.span())]
        for first in range(len(groups)):
            for window in _windows(groups, first):
                start, end = window[0][0], window[-1][1]
                if _stands_alone(text, start, end) and _is_card(
                    text, window, whole=len(window) == len(groups)
                ):
                    yield start, end


def _windows(groups: Sequence[Span], first: int) -> Iterator[Sequence[Span]]:
    """Neighbouring groups from `first` on, as many as a number can have digits."""
    digits = 0
    for last in range(first, len(groups)):
        digits += groups[last][1] - groups[last][0]
        if digits > _LONGEST:
            return
        yield groups[first : last + 1]


def _is_card(text: str, window: Sequence[Span], *, whole: bool) -> bool:
    from stdnum import luhn

    sizes = tuple(end - start for start, end in window)
    spelled_out = whole and set(sizes) == {1}
    if len(sizes) > 1 and sizes not in _GROUPINGS and not spelled_out:
        return False
    number = "".join(text[start:end] for start, end in window)
    return any(network.issues(number) for network in _NETWORKS) and luhn.is_valid(number)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the digits are no part of a word, of a decimal fraction, or of a longer number with hyphens."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if re.search(r"\w\Z|[0-9][-.,]\Z", before):
        return False
    return not re.match(r"\w|[.,][0-9]", after)

"""What became of each planned case: the row of its standard attempt and those of its search as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from sensei_kumite.reports.reading import Row, dynamic_of, is_search, iterations_of, kind_of
from sensei_kumite.reports.wording import count
from sensei_kumite.text import excerpt


class CaseOutcome(NamedTuple):
    """All rows of a planned case, and the one among them that says what became of it."""

    decisive: Row
    rows: Sequence[Row]


class Finder(NamedTuple):
    """The dynamic attack that came to an outcome, and the iterations it took to get there."""

    attack: str
    iterations: int

    def told(self, name: Callable[[str], str] = str) -> str:
        """Such as "found by best_of_n after 17 iterations"; `name` writes the attack's."""
        after = f" after {count(self.iterations, 'iteration')}" if self.iterations else ""
        return f"found by {name(self.attack)}{after}"


def found_by(case: CaseOutcome) -> Finder | None:
    """Which search came to the outcome of `case`; None where it is that of the standard attempt."""
    if not is_search(case.decisive):
        return None
    attack = dynamic_of(case.decisive).get("attack")
    until = next(place for place, row in enumerate(case.rows) if row is case.decisive)
    return Finder(excerpt(str(attack or "a search")), iterations_of(case.rows[: until + 1]))


def outcomes(rows: Iterable[Row]) -> Iterator[CaseOutcome]:
    """The outcome of each case; `rows` come in plan order. The rows of one case are held, not of all.

    The first confirmed breach decides, then the first potential one. Without either it is the search that
    was made last: its last resilient row, or error. A search that nobody judged says nothing, so that the
    standard attempt decides.
    """
    for _, group in groupby(rows, key=itemgetter("index")):
        of_case = list(group)
        yield CaseOutcome(_decisive(of_case), of_case)


def _decisive(rows: Sequence[Row]) -> Row:
    search = [row for row in rows if is_search(row)]
    for kind, candidates in (
        ("breached", rows),
        ("potential", rows),
        ("resilient", search[::-1]),
        ("error", search[::-1]),
    ):
        if found := next((row for row in candidates if kind_of(row) == kind), None):
            return found
    return next((row for row in rows if not is_search(row)), rows[-1])

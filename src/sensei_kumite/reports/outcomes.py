"""What became of each planned case: the row of its standard attempt and those of its search as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from sensei_kumite.reports.reading import Row, is_search, kind_of


class CaseOutcome(NamedTuple):
    """All rows of a planned case, and the one among them that says what became of it."""

    decisive: Row
    rows: Sequence[Row]


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

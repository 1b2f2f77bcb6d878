"""Searches that need not know what the target answered: they make prompts, the loop here tries them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from sensei_kumite.dynamic.payload import Carrier, read_carrier
from sensei_kumite.dynamic.search import O, Search, SearchContext, Tries

_PATIENCE = 20


class PromptSearch(Search[O]):
    """A search whose subclass yields candidates: texts to take the payload's place."""

    def run(self, entry: dict[str, Any], tries: Tries, options: O, context: SearchContext) -> None:
        """Try candidates until one succeeds, no try is left or no candidate is."""
        carrier = read_carrier(entry)
        candidates = fresh(self.candidates(carrier, options, context))
        for candidate in islice(candidates, tries.left):
            if tries.send(carrier.carry(candidate)).success:
                return
        if tries.left and not tries.history:
            tries.fail("With these options no variation of the payload can be made.")

    @abstractmethod
    def candidates(self, carrier: Carrier, options: O, context: SearchContext) -> Iterator[str]:
        """What to put in the payload's place, the most promising first; may never end."""


def fresh(candidates: Iterable[str]) -> Iterator[str]:
    """The candidates without those seen before, unless there have been nothing but such for a while: a short
    text has few variations, and a target may answer the same one differently."""
    seen: set[str] = set()
    repeats = 0
    for candidate in candidates:
        repeats = repeats + 1 if candidate in seen else 0
        if repeats == 0 or repeats > _PATIENCE:
            seen.add(candidate)
            repeats = 0
            yield candidate

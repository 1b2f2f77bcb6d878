"""What a reader in a hurry wants of a run: which attacks are worst, an example of each, what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from sensei_kumite.reports.outcomes import CaseOutcome, Finder, found_by, outcomes
from sensei_kumite.reports.reading import error_message, kind_of
from sensei_kumite.reports.statistics import AttackTally, CampaignTally
from sensei_kumite.reports.wording import count, interval, percent
from sensei_kumite.text import excerpt

_LONGEST_EXAMPLE = 280


@dataclass(frozen=True, slots=True)
class Example:
    """One result, its texts on a line each; `index` is its place in the plan, `finder` its search."""

    index: int
    case_id: str
    prompt: str
    response: str
    reason: str
    finder: Finder | None

    @classmethod
    def of(cls, case: CaseOutcome) -> Self:
        """The example that the row gives which decides a case."""
        row = case.decisive
        return cls(
            row["index"],
            row["case_id"],
            excerpt(row["prompt"], _LONGEST_EXAMPLE),
            excerpt(row["response"] or "", _LONGEST_EXAMPLE),
            excerpt(row["reason"], _LONGEST_EXAMPLE),
            found_by(case),
        )


class Digest:
    """Collects it from rows in plan order.

    `breaches` holds the first confirmed breach of each attack, `potential` the first potential breach of
    the run, `errors` how often each error message occurred.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self.tally = CampaignTally()
        self.breaches: dict[str, Example] = {}
        self.potential: Example | None = None
        self.errors: Counter[str] = Counter()
        for case in outcomes(rows):
            self.add(case)

    def add(self, case: CaseOutcome) -> None:
        """Take in what became of a case."""
        row = case.decisive
        self.tally.add(row)
        kind = kind_of(row)
        if kind == "breached" and row["attack"] not in self.breaches:
            self.breaches[row["attack"]] = Example.of(case)
        elif kind == "potential" and self.potential is None:
            self.potential = Example.of(case)
        elif kind == "error":
            self.errors[excerpt(error_message(row))] += 1

    @property
    def total(self) -> AttackTally:
        """The counts of all attacks together."""
        return self.tally.total

    @property
    def worst(self) -> list[AttackTally]:
        """Every attack, the one that surely succeeds most often first: by the low end of its interval."""
        return sorted(
            self.tally.attacks.values(),
            key=lambda attack: (attack.confirmed == 0, -attack.ci95[0], -attack.confirmed),
        )

    @property
    def broken(self) -> list[AttackTally]:
        """The attacks with a confirmed breach, the worst first."""
        return [attack for attack in self.worst if attack.confirmed]


def verdict(total: AttackTally) -> str:
    """The outcome of a run in a sentence."""
    if total.success_rate is None:
        return "No attempt was scored, so nothing is known about the target."
    return (
        f"{count(total.confirmed, 'confirmed breach')} in {count(total.scored, 'scored attempt')}: "
        f"{percent(total.success_rate)} (95% interval {interval(total.ci95)})."
    )

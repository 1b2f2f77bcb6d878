"""What a reader in a hurry wants of a run: which attacks are worst, an example of each, what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from sensei_kumite.reports.outcomes import outcomes
from sensei_kumite.reports.reading import error_message, kind_of
from sensei_kumite.reports.statistics import AttackTally, CampaignTally
from sensei_kumite.reports.wording import count, interval, percent
from sensei_kumite.text import excerpt

_LONGEST_EXAMPLE = 280


@dataclass(frozen=True, slots=True)
class Example:
    """One result, its texts on a line each; `index` is its place in the plan."""

    index: int
    case_id: str
    prompt: str
    response: str
    reason: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The example that a row of the journal gives."""
        return cls(
            row["index"],
            row["case_id"],
            excerpt(row["prompt"], _LONGEST_EXAMPLE),
            excerpt(row["response"] or "", _LONGEST_EXAMPLE),
            excerpt(row["reason"], _LONGEST_EXAMPLE),
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
            self.add(case.decisive)

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in the row that decides a case."""
        self.tally.add(row)
        kind = kind_of(row)
        if kind == "breached" and row["attack"] not in self.breaches:
            self.breaches[row["attack"]] = Example.of(row)
        elif kind == "potential" and self.potential is None:
            self.potential = Example.of(row)
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

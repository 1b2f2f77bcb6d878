"""What the results of a run add up to: counts per attack, rates, and how sure one can be of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from sensei_kumite.models import Status
from sensei_kumite.reports.reading import planned_id

_Z95 = 1.959963984540054  # the normal quantile that leaves 2.5 % on each side
_REPETITION = re.compile(r"_attempt_\d+\Z")


def wilson_interval(successes: int, trials: int, *, z: float = _Z95) -> tuple[float, float]:
    """The score interval of a proportion, 95 % unless `z` says otherwise; (0, 1) without trials.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927). Unlike the textbook interval it holds
    for small counts and for rates near 0 and 1.
    """
    if not trials:
        return 0.0, 1.0
    rate, spread = successes / trials, z * z / trials
    centre = (rate + spread / 2) / (1 + spread)
    half = sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(slots=True)
class AttackTally:
    """The counts of one attack, or of all together.

    `potential` breaches are for a person to read: they count in `breached`, but enter no rate.
    `taxonomy` holds the ids that the attack's cases name, in the order met.
    """

    name: str
    attempts: int = 0
    resilient: int = 0
    breached: int = 0
    errors: int = 0
    skipped: int = 0
    potential: int = 0
    taxonomy: list[str] = field(default_factory=list)
    _breached_by_case: dict[str, bool] = field(default_factory=dict, repr=False)

    @property
    def confirmed(self) -> int:
        """Breaches that an oracle decided."""
        return self.breached - self.potential

    @property
    def scored(self) -> int:
        """Attempts that an oracle decided either way: what rates are taken of."""
        return self.resilient + self.confirmed

    @property
    def success_rate(self) -> float | None:
        """Confirmed breaches among the scored attempts; None where nothing was scored."""
        return self.confirmed / self.scored if self.scored else None

    @property
    def ci95(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the success rate."""
        return wilson_interval(self.confirmed, self.scored)

    @property
    def cases(self) -> int:
        """Cases with at least one scored attempt; the repetitions of one case count once."""
        return len(self._breached_by_case)

    @property
    def breached_cases(self) -> int:
        """Cases with at least one confirmed breach."""
        return sum(self._breached_by_case.values())

    def add(self, row: Mapping[str, Any], case: str) -> None:
        """Count one result; `case` is the same for all repetitions of a case."""
        status, metadata = Status(row["status"]), row["metadata"]
        self.attempts += 1
        self.resilient += status is Status.RESILIENT
        self.breached += status is Status.BREACHED
        self.errors += status is Status.ERROR
        self.skipped += status is Status.SKIPPED
        is_potential = status is Status.BREACHED and metadata.get("weight") == "Potential"
        self.potential += is_potential
        if status in (Status.RESILIENT, Status.BREACHED) and not is_potential:
            was_breached = self._breached_by_case.get(case, False)
            self._breached_by_case[case] = was_breached or status is Status.BREACHED
        if "taxonomy" in metadata:
            self.taxonomy.extend(name for name in _names(metadata["taxonomy"]) if name not in self.taxonomy)


class CampaignTally:
    """Counts outcomes as they come, in any order: one tally per attack name, and one of all."""

    def __init__(self) -> None:
        self.total = AttackTally("total")
        self._attacks: dict[str, AttackTally] = {}
        self._first_index: dict[str, int] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Count the row that decides a case: the only one it has, or that of `outcomes`."""
        name, index = row["attack"], row["index"]
        case = f"{row['entry']}/{_REPETITION.sub('', planned_id(row))}"
        self._first_index[name] = min(index, self._first_index.get(name, index))
        self._attacks.setdefault(name, AttackTally(name)).add(row, case)
        self.total.add(row, case)

    @property
    def attacks(self) -> dict[str, AttackTally]:
        """The tallies by attack name, in the order in which the plan first names each attack."""
        order = sorted(self._attacks, key=self._first_index.__getitem__)
        return {name: self._attacks[name] for name in order}


def _names(value: Any) -> list[str]:
    """The texts in what a campaign wrote as a taxonomy: one id or a list of them."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str)]

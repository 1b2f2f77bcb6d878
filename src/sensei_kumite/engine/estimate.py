"""What a run would do and cost, as ranges, before anything is called: for `--plan`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from sensei_kumite.attacks.base import Prompt, Unwritten
from sensei_kumite.config.campaign import Execution
from sensei_kumite.dynamic.host import SearchPlan
from sensei_kumite.engine.plan import Plan, PlannedAttack
from sensei_kumite.engine.scoring import OracleCache
from sensei_kumite.llm.prices import Prices, Usage
from sensei_kumite.llm.requests import ModelSettings, Role
from sensei_kumite.llm.roles import Models


class Range(NamedTuple):
    """The least and the most that is expected."""

    low: float
    high: float

    def __add__(self, other: object) -> Range:
        """The range of a sum."""
        if not isinstance(other, Range):
            return NotImplemented
        return Range(self.low + other.low, self.high + other.high)

    def times(self, low: float, high: float) -> Range:
        """The range of a product."""
        return Range(self.low * low, self.high * high)


NOTHING = Range(0, 0)

TOKENS: Mapping[Role, tuple[Usage, Usage]] = {
    Role.GENERATION: (Usage(250, 80), Usage(900, 500)),
    Role.SIMULATION: (Usage(250, 20), Usage(1500, 120)),
    Role.JUDGE: (Usage(500, 60), Usage(2500, 300)),
    Role.DUMMY: (Usage(200, 40), Usage(1500, 600)),
}
"""Tokens of one call of each role, a short one and a long one: what the range of costs is made of."""

SECONDS_PER_TARGET_CALL = Range(0.2, 5)
SECONDS_PER_MODEL_CALL = Range(0.5, 8)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one attack, or all together, would take. `cost` in USD, without the models of `unpriced`."""

    attack: str
    cases: int = 0
    target_calls: Range = NOTHING
    model_calls: Range = NOTHING
    tokens: Range = NOTHING
    cost: Range = NOTHING
    seconds: Range = NOTHING
    unpriced: frozenset[str] = field(default_factory=frozenset)

    def plus(self, other: Estimate) -> Estimate:
        """Both together, under this one's name."""
        return Estimate(
            self.attack,
            self.cases + other.cases,
            self.target_calls + other.target_calls,
            self.model_calls + other.model_calls,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.seconds + other.seconds,
            self.unpriced | other.unpriced,
        )


def estimate(plan: Plan, models: Models, oracles: OracleCache, *, lanes: int, dummy: bool) -> list[Estimate]:
    """An estimate per planned attack, in order; `dummy` says that a model plays the target too."""
    estimator = _Estimator(models, oracles, lanes, dummy)
    return [estimator.attack(planned) for planned in plan.attacks]


def total(estimates: Iterable[Estimate]) -> Estimate:
    """All attacks together."""
    whole = Estimate("total")
    for each in estimates:
        whole = whole.plus(each)
    return whole


@dataclass(frozen=True, slots=True)
class _Estimator:
    models: Models
    oracles: OracleCache
    lanes: int
    dummy: bool

    def attack(self, planned: PlannedAttack) -> Estimate:
        """Counts cases by going through the drafts, and calls by what the entry asks for."""
        execution: Execution = self.models.campaign.execution
        drafts = judged = cases = 0
        default_needs_model = self.oracles(planned.attack.oracle()).needs_model
        for draft in planned.attack.prompts():
            cases += 1
            drafts += draft.model_calls if isinstance(draft, Unwritten) else callable(draft)
            own = draft.oracle if isinstance(draft, (Prompt, Unwritten)) else None
            judged += self.oracles(own).needs_model if own else default_needs_model
        turns = len(planned.entry.execution.turns) + planned.entry.execution.warmup_turns
        tries = _tries(planned.search)
        target_calls = Range(cases, cases).times(tries.low, tries.high)
        target_calls = target_calls.times(turns + 1, (turns + 1) * (execution.retries + 1))
        written = cases * _model_calls(planned.search)
        calls = {
            Role.GENERATION: Range(drafts, drafts * (3 if planned.entry.rephrase else 1) + written),
            Role.JUDGE: Range(judged, judged * 2).times(tries.low, tries.high),
            Role.SIMULATION: Range(1, 2).times(*[cases * planned.entry.execution.warmup_turns] * 2),
            Role.DUMMY: target_calls if self.dummy else NOTHING,
        }
        return self._sum(planned.attack.report_name, cases, target_calls, calls)

    def _sum(self, name: str, cases: int, target_calls: Range, calls: Mapping[Role, Range]) -> Estimate:
        whole = Estimate(name, cases, target_calls)
        for role, count in calls.items():
            whole = whole.plus(self._role(role, count))
        waits = target_calls.times(*SECONDS_PER_TARGET_CALL) if not self.dummy else NOTHING
        waits += whole.model_calls.times(*SECONDS_PER_MODEL_CALL)
        return whole.plus(Estimate(name, seconds=waits.times(1 / self.lanes, 1 / self.lanes)))

    def _role(self, role: Role, count: Range) -> Estimate:
        """What `count` calls of a role take; the offline provider's are no calls."""
        settings = self.models.settings(role)
        if settings.is_offline or not count.high:
            return Estimate("")
        short, long = TOKENS[role]
        tokens = count.times(short.input + short.output, long.input + long.output)
        prices = [_price(self.models.ledger.prices, settings, usage) for usage in (short, long)]
        known = [float(price) for price in prices if price is not None]
        if len(known) < len(prices):
            return Estimate("", model_calls=count, tokens=tokens, unpriced=frozenset({settings.model}))
        return Estimate("", model_calls=count, tokens=tokens, cost=count.times(*known))


def _tries(search: SearchPlan | None) -> Range:
    """Inputs that one case sends, its first attempt included."""
    if search is None:
        return Range(1, 1)
    return Range(1, search.iterations * search.attempts + (not search.only))


def _model_calls(search: SearchPlan | None) -> int:
    """Calls of the generation model that the search of one case makes at most."""
    return search.iterations * search.attempts * search.attack.model_calls if search else 0


def _price(prices: Prices, settings: ModelSettings, usage: Usage) -> Decimal | None:
    cost = prices.cost(
        settings.model, settings.provider, usage=usage, when=datetime.now(UTC), base_url=settings.base_url
    )
    return cost.total if cost else None


def assumptions() -> Iterator[str]:
    """What the ranges rest on, in sentences."""
    for role, (short, long) in TOKENS.items():
        yield (f"{role} call: {short.input} to {long.input} tokens in, {short.output} to {long.output} out.")
    target, model = SECONDS_PER_TARGET_CALL, SECONDS_PER_MODEL_CALL
    yield f"Target call: {target.low:g} to {target.high:g} s. Model call: {model.low:g} to {model.high:g} s."
    yield "The upper ends count every retry, a second call of judge and simulator, and two of rephrasing."
    yield "A dynamic attack may end at once or use every iteration; one that asks a model asks for each."
    yield "Turns that are played again for a target that cannot take one back come on top."

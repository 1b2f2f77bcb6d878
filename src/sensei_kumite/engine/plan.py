"""What a run will do, in configured order, and the cases it consists of, written one after the other."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice
from random import Random
from typing import Any

from sensei_kumite.attacks.base import Attack, Draft, Prompt, Unwritten
from sensei_kumite.config.campaign import AttackEntry
from sensei_kumite.delivery.profiles import Identity, simulation_profile
from sensei_kumite.delivery.simulator import Simulator
from sensei_kumite.delivery.turns import turns_of
from sensei_kumite.dynamic.host import SearchPlan
from sensei_kumite.engine.case import Delivery
from sensei_kumite.errors import BudgetReached
from sensei_kumite.llm.requests import Model, billed_to
from sensei_kumite.models import Case, OracleSpec
from sensei_kumite.oracles.base import as_understood
from sensei_kumite.text import redact

Settle = Callable[[str], Decimal]
"""What the model calls of a subject have cost since this was last asked, in USD."""


@dataclass(frozen=True, slots=True)
class PlannedAttack:
    """An enabled entry of the campaign with its strategy; `position` counts entries from 0. `search` is the
    dynamic attack that follows where the target is resilient."""

    position: int
    entry: AttackEntry
    attack: Attack[Any]
    search: SearchPlan | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do, in configured order; `identities` are simulated users by position of the entry."""

    attacks: tuple[PlannedAttack, ...]
    identities: Mapping[int, Identity] = field(default_factory=dict)

    def deliveries(self, simulation: Model) -> dict[int, Delivery]:
        """How the cases of each entry are delivered, by its position; `simulation` plays its users."""
        return {planned.position: self._delivery(planned, simulation) for planned in self.attacks}

    def _delivery(self, planned: PlannedAttack, simulation: Model) -> Delivery:
        execution = planned.entry.execution
        identity = self.identities.get(planned.position)
        if identity is None:
            return Delivery(execution, turns_of(execution), search=planned.search)
        source = turns_of(execution, Simulator(simulation, identity))
        profile = {"simulation_profile": simulation_profile(identity)}
        return Delivery(execution, source, profile, planned.search)


def expand(
    plan: Plan, settle: Settle, *, workers: int = 4, skip: int = 0, secrets: Sequence[str] = ()
) -> Iterator[Case]:
    """Every case of the plan after the first `skip`, in order; models write `workers` prompts at once.

    What models write has `secrets` blanked. What the user wrote is sent and scored as it stands, also where
    a secret happens to be a word of it.
    """
    with ThreadPoolExecutor(workers, "kumite-draft") as pool:
        pending: deque[Future[Case] | Case] = deque()
        for job in islice(_jobs(plan, settle, secrets), skip, None):
            pending.append(pool.submit(job.write) if callable(job.draft) else job.write())
            while len(pending) > 2 * workers or (pending and isinstance(pending[0], Case)):
                yield _written(pending.popleft())
        while pending:
            yield _written(pending.popleft())


def _written(case: Future[Case] | Case) -> Case:
    return case if isinstance(case, Case) else case.result()


def _jobs(plan: Plan, settle: Settle, secrets: Sequence[str]) -> Iterator[_Job]:
    for planned in plan.attacks:
        understand = _Understanding(planned.attack.oracle())
        for attempt, draft in enumerate(planned.attack.prompts(), 1):
            yield _Job(planned, attempt, draft, understand, settle, secrets)


class _Understanding:
    """Reads oracle specifications, the same one only once: the cases of one test share theirs."""

    def __init__(self, default: OracleSpec) -> None:
        self._default = as_understood(default)
        self._last = (default, self._default)

    def __call__(self, spec: OracleSpec | None) -> OracleSpec:
        if spec is None:
            return self._default
        given, understood = self._last
        if given is not spec:
            understood = as_understood(spec)
            self._last = (spec, understood)
        return understood


@dataclass(frozen=True, slots=True)
class _Job:
    """One case still to be written."""

    planned: PlannedAttack
    attempt: int
    draft: Draft
    understand: _Understanding
    settle: Settle
    secrets: Sequence[str] = ()

    def write(self) -> Case:
        """The case; one that the budget does not allow to be written is planned as skipped."""
        subject = f"{self.planned.position + 1}/{self.planned.attack.case_prefix}_{self.attempt}"
        if isinstance(self.draft, Prompt):
            return self._case(self.draft)
        with billed_to(subject):
            try:
                prompt = self._blanked(self.draft())
            except BudgetReached as error:
                known = self.draft.unsent if isinstance(self.draft, Unwritten) else Prompt("")
                return self._case(known, skip_reason=str(error))
        cost = self.settle(subject)
        return self._case(prompt, {"generation_cost($)": float(cost)} if cost else {})

    def _blanked(self, prompt: Prompt) -> Prompt:
        if not self.secrets:
            return prompt
        hidden = [json.dumps(secret)[1:-1] for secret in self.secrets]
        metadata = json.loads(redact(json.dumps(dict(prompt.metadata)), hidden))
        return replace(prompt, text=redact(prompt.text, self.secrets), metadata=metadata)

    def _case(self, prompt: Prompt, more: dict[str, Any] | None = None, *, skip_reason: str = "") -> Case:
        attack = self.planned.attack
        return Case(
            entry=self.planned.position,
            attack=attack.report_name,
            case_id=prompt.case_id or f"{attack.case_prefix}_{self.attempt}",
            attempt=self.attempt,
            prompt=prompt.text,
            oracle=self.understand(prompt.oracle),
            metadata={"taxonomy": list(attack.taxonomy), **prompt.metadata, **(more or {})},
            skip_reason=skip_reason,
        )


def random_source(seed: int, name: str) -> Random:
    """The random numbers of one attack or case: the same for the same seed, whatever else runs."""
    return Random(f"{seed}/{name}")

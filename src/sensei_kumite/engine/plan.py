"""From configuration to cases: checks every attack and oracle of a campaign, then yields its cases."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from threading import Lock
from typing import Any

from pydantic import ValidationError

from sensei_kumite.attacks.base import ATTACKS, Attack, AttackContext, Prompt
from sensei_kumite.config.campaign import AttackEntry, EntryExecution
from sensei_kumite.config.loader import Workspace
from sensei_kumite.config.problems import location, problems_from
from sensei_kumite.errors import ConfigurationError, Problem, UnknownName
from sensei_kumite.models import Case, OracleSpec
from sensei_kumite.oracles.base import ORACLES, Oracle, OracleContext, as_understood, build_oracle
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_reader import Document, YamlPath

NEEDS_A_MODEL = "needs a model role, which this version does not have yet."


@dataclass(frozen=True, slots=True)
class PlannedAttack:
    """An enabled entry of the campaign with its strategy; `position` counts entries from 0."""

    position: int
    entry: AttackEntry
    attack: Attack[Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do, in configured order."""

    attacks: tuple[PlannedAttack, ...]

    @property
    def executions(self) -> dict[int, EntryExecution]:
        """The delivery of each entry, by its position."""
        return {planned.position: planned.entry.execution for planned in self.attacks}


def check(workspace: Workspace, seed: int, only: Sequence[str] = ()) -> tuple[Plan, list[Problem]]:
    """The plan of a campaign, and everything that is wrong with it; calls no target and no model.

    `only` keeps the entries with these names.
    """
    checker = _Checker(workspace, seed)
    if workspace.campaign.reports:
        message = "reports: this version writes the YAML report only."
        place = workspace.document.place(("reports",))
        checker.problems.append(Problem(message, place, "Leave the list empty."))
    planned = [checker.check_entry(position, entry) for position, entry in workspace.entries if entry.enabled]
    attacks = tuple(attack for attack in planned if attack is not None)
    if only:
        attacks = tuple(
            attack for attack in attacks if {attack.entry.name, attack.attack.report_name} & {*only}
        )
        checker.problems += _unmatched(only, [entry for _, entry in workspace.entries], attacks)
    return Plan(attacks), checker.problems


def expand(plan: Plan) -> Iterator[Case]:
    """Every case of the plan, in order, one at a time."""
    for planned in plan.attacks:
        attack = planned.attack
        oracle = as_understood(attack.oracle())
        for attempt, prompt in enumerate(attack.prompts(), 1):
            yield _case(planned, attempt, prompt, oracle)


def _case(planned: PlannedAttack, attempt: int, prompt: Prompt, default: OracleSpec) -> Case:
    attack = planned.attack
    return Case(
        entry=planned.position,
        attack=attack.report_name,
        case_id=prompt.case_id or f"{attack.case_prefix}_{attempt}",
        attempt=attempt,
        prompt=prompt.text,
        oracle=as_understood(prompt.oracle) if prompt.oracle else default,
        metadata={"taxonomy": list(attack.taxonomy), **prompt.metadata},
    )


def random_source(seed: int, name: str) -> Random:
    """The random numbers of one attack or case: the same for the same seed, whatever else runs."""
    return Random(f"{seed}/{name}")


def _unmatched(
    only: Sequence[str], entries: Sequence[AttackEntry], kept: Sequence[PlannedAttack]
) -> list[Problem]:
    found = {planned.entry.name for planned in kept} | {planned.attack.report_name for planned in kept}
    names = sorted({entry.name for entry in entries} | found)
    return [
        Problem(
            f"--attack {name}: no enabled entry of the campaign has this name.{did_you_mean(name, names)}",
            hint=f"Configured: {', '.join(names)}.",
        )
        for name in only
        if name not in found
    ]


class _Checker:
    """Checks entries one by one and collects their problems."""

    def __init__(self, workspace: Workspace, seed: int) -> None:
        self.problems: list[Problem] = []
        self._workspace = workspace
        self._oracles = oracle_context(workspace)
        self._context = AttackContext(
            attempts=workspace.campaign.execution.attempts,
            resolve=workspace.resolve,
            random=lambda name: random_source(seed, name),
            check_oracle=self.check_oracle,
            target_context=workspace.campaign.generation.target_context,
        )

    def check_entry(self, position: int, entry: AttackEntry) -> PlannedAttack | None:
        """The entry with its strategy; None where its problems leave nothing to plan."""
        path: YamlPath = ("attacks", position)
        attack = self._build_attack(entry, path)
        if entry.oracle is not None:
            spec = OracleSpec(entry.oracle.type, entry.oracle.params)
            self.problems += self.check_oracle(spec, self._workspace.document, (*path, "oracle"))
        self._check_models(entry, attack, path)
        if attack is None:
            return None
        found = ConfigurationError(attack.problems())
        self.problems += _at(found, self._workspace.document, path, location(self._workspace.document, path))
        return PlannedAttack(position, entry, attack)

    def check_oracle(self, spec: OracleSpec, document: Document, path: YamlPath) -> list[Problem]:
        """The problems of an oracle specification that stands at `path` of `document`."""
        label = f"{location(document, path)} > params"
        try:
            oracle = build_oracle(spec, self._oracles)
        except UnknownName as error:
            return [Problem(error.message, document.place((*path, "type")), error.hint)]
        except ValidationError as error:
            return problems_from(error, document, (*path, "params"), label)
        except ConfigurationError as error:
            return _at(error, document, (*path, "params"), label)
        except ValueError as error:
            return [Problem(f"{label}: {error}", document.place((*path, "params")))]
        if oracle.needs_model:
            return [Problem(f"The oracle {spec.type} {NEEDS_A_MODEL}", document.place((*path, "type")))]
        return []

    def _build_attack(self, entry: AttackEntry, path: YamlPath) -> Attack[Any] | None:
        document = self._workspace.document
        label = f"{location(document, path)} > params"
        try:
            attack_class = ATTACKS.get(entry.name)
            return attack_class(entry, attack_class.Params.model_validate(entry.params), self._context)
        except UnknownName as error:
            self.problems.append(Problem(error.message, document.place((*path, "name")), error.hint))
        except ValidationError as error:
            self.problems += problems_from(error, document, (*path, "params"), label)
        except ConfigurationError as error:
            self.problems += _at(error, document, path, location(document, path))
        except ValueError as error:
            self.problems.append(Problem(f"{location(document, path)}: {error}", document.place(path)))
        return None

    def _check_models(self, entry: AttackEntry, attack: Attack[Any] | None, path: YamlPath) -> None:
        """What an entry asks of a model: generation, rephrasing, a simulated user, the default judge."""
        document = self._workspace.document
        if entry.rephrase:
            place = document.place((*path, "rephrase"))
            self.problems.append(Problem(f"{location(document, path)} > rephrase {NEEDS_A_MODEL}", place))
        if entry.execution.mode == "simulated_user":
            place = document.place((*path, "execution", "mode"))
            self.problems.append(
                Problem(f"{location(document, path)} > mode simulated_user {NEEDS_A_MODEL}", place)
            )
        if attack is not None and entry.oracle is None and _judged_by_model(attack):
            message = f"{location(document, path)}: its default oracle {attack.oracle().type} {NEEDS_A_MODEL}"
            self.problems.append(
                Problem(message, document.place((*path, "name")), "Give the entry an oracle of its own.")
            )


def _judged_by_model(attack: Attack[Any]) -> bool:
    oracle = attack.oracle().type
    return oracle in ORACLES and ORACLES.get(oracle).needs_model


def _at(error: ConfigurationError, document: Document, path: YamlPath, label: str) -> list[Problem]:
    """The problems of `error`, those without a place put where the entry stands."""
    return [
        problem
        if problem.place
        else replace(problem, place=document.place(path), message=f"{label}: {problem.message}")
        for problem in error.problems
    ]


def oracle_context(workspace: Workspace) -> OracleContext:
    """What the oracles of a campaign may ask of it."""
    return OracleContext(workspace.resolve, workspace.campaign.generation.target_context)


class OracleCache:
    """Builds oracles from their specifications, keeping the most recent ones. Shared by all lanes."""

    def __init__(self, context: OracleContext, size: int = 256) -> None:
        self._context = context
        self._size = size
        self._lock = Lock()
        self._oracles: OrderedDict[str, Oracle[Any]] = OrderedDict()

    def __call__(self, spec: OracleSpec) -> Oracle[Any]:
        """The oracle of `spec`; raises as `build_oracle` does."""
        key = json.dumps([spec.type, dict(spec.params)])
        with self._lock:
            if key in self._oracles:
                self._oracles.move_to_end(key)
                return self._oracles[key]
            oracle = self._oracles[key] = build_oracle(spec, self._context)
            if len(self._oracles) > self._size:
                self._oracles.popitem(last=False)
            return oracle

"""All that can be wrong with a campaign's attacks, oracles and models, found before anything is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import ValidationError

from sensei_kumite.attacks.base import ATTACKS, Attack, AttackContext
from sensei_kumite.config.campaign import AttackEntry
from sensei_kumite.config.loader import Workspace
from sensei_kumite.config.problems import location, problems_from
from sensei_kumite.delivery.profiles import find_identities
from sensei_kumite.dynamic.host import SearchPlan
from sensei_kumite.engine.check_search import Found, SearchFinder
from sensei_kumite.engine.plan import Plan, PlannedAttack, random_source
from sensei_kumite.engine.scoring import oracle_context
from sensei_kumite.errors import ConfigurationError, Place, Problem, UnknownName
from sensei_kumite.llm.providers import is_local, missing
from sensei_kumite.llm.requests import Model, ModelSettings, Role
from sensei_kumite.llm.roles import Models
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.base import build_oracle
from sensei_kumite.oracles.refusals import find_refusal
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_reader import Document, YamlPath

CheckOracle = Callable[[OracleSpec, Document, YamlPath], list[Problem]]


def check(workspace: Workspace, models: Models, only: Sequence[str] = ()) -> tuple[Plan, list[Problem]]:
    """The plan of a campaign, and everything that is wrong with it; calls no target and no model.

    `only` keeps the entries with these names.
    """
    checker = _Checker(workspace, models)
    planned = [checker.check_entry(position, entry) for position, entry in workspace.entries if entry.enabled]
    attacks = tuple(attack for attack in planned if attack is not None)
    if only:
        attacks = tuple(
            attack for attack in attacks if {attack.entry.name, attack.attack.report_name} & {*only}
        )
        checker.problems += _unmatched(only, [entry for _, entry in workspace.entries], attacks)
    checker.problems += _nothing_to_change(workspace, attacks)
    identities, unknown_users = find_identities(workspace)
    return Plan(attacks, identities), [*checker.problems, *unknown_users, *checker.missing_models()]


def _nothing_to_change(workspace: Workspace, attacks: Sequence[PlannedAttack]) -> list[Problem]:
    """Settings of the command line for dynamic attacks where no entry has one."""
    typed = workspace.typed.dynamic
    if not typed or "attack" in typed or any(planned.entry.dynamic for planned in attacks):
        return []
    names = ", ".join(f"--attack-{name.replace('_', '-')}" for name in typed)
    message = f"{names}: no entry of the campaign has a dynamic attack that this could change."
    return [Problem(message, hint="Add --dynamic NAME.")]


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
    """Checks entries one by one; collects their problems and the models they need."""

    def __init__(self, workspace: Workspace, models: Models) -> None:
        self.problems: list[Problem] = []
        self._workspace = workspace
        self._models = models
        self._needed: dict[ModelSettings, Place] = {}
        self._judges: set[str] = set()  # the types of the oracles that the entry in hand names
        self._asking = workspace.document.place()
        self._oracles = replace(oracle_context(workspace, models), judge=self._judge)
        self._context = attack_context(workspace, models, self.check_oracle)
        self._finder = SearchFinder(workspace.resolve, self._context.generation, safe=workspace.safe)

    def check_entry(self, position: int, entry: AttackEntry) -> PlannedAttack | None:
        """The entry with its strategy; None where its problems leave nothing to plan."""
        document, path = self._workspace.document, ("attacks", position)
        self._judges = set()
        attack = self._build_attack(entry, path)
        if entry.oracle is not None:
            spec = OracleSpec(entry.oracle.type, entry.oracle.params)
            self.problems += self.check_oracle(spec, document, (*path, "oracle"))
        if entry.execution.mode == "simulated_user":
            self._need(self._models.settings(Role.SIMULATION), document.place((*path, "execution", "mode")))
        if attack is None:
            return None
        self.problems += _at(ConfigurationError(attack.problems()), document, path)
        for settings, place in attack.models():
            self._need(self._models.settings(Role.GENERATION, **settings), place)
        if attack.needs_generation or entry.rephrase:
            self._check_generation("", (*path, "rephrase" if entry.rephrase else "name"))
        if entry.oracle is None:
            self.problems += self._check_default_oracle(attack, path)
        return PlannedAttack(position, entry, attack, self._find_search(entry, attack, (*path, "dynamic")))

    def check_oracle(self, spec: OracleSpec, document: Document, path: YamlPath) -> list[Problem]:
        """The problems of an oracle specification that stands at `path` of `document`."""
        self._asking = document.place((*path, "type"))
        label = f"{location(document, path)} > params"
        self._judges.add(spec.type)
        try:
            build_oracle(spec, self._oracles)
        except UnknownName as error:
            return [Problem(error.message, document.place((*path, "type")), error.hint)]
        except ValidationError as error:
            return problems_from(error, document, (*path, "params"), label)
        except ConfigurationError as error:
            return _at(error, document, (*path, "params"))
        except ValueError as error:
            return [Problem(f"{label}: {error}", document.place((*path, "params")))]
        return []

    def missing_models(self) -> list[Problem]:
        """What keeps a model that somebody needs from being called, once for each."""
        found = [
            problem.at(place)
            for settings, place in self._needed.items()
            for problem in missing(settings, self._models.environment)
        ]
        return found + [
            Problem(
                f"{settings.role}: --safe sends no key to a server that the workspace names.",
                place,
                "Remove base_url, or use a local server or provider: offline.",
            )
            for settings, place in self._needed.items()
            if self._workspace.safe and settings.base_url and not is_local(settings.base_url)
        ]

    def _build_attack(self, entry: AttackEntry, path: YamlPath) -> Attack[Any] | None:
        document = self._workspace.document
        try:
            attack_class = ATTACKS.get(entry.name)
            return attack_class(entry, attack_class.Params.model_validate(entry.params), self._context)
        except UnknownName as error:
            self.problems.append(Problem(error.message, document.place((*path, "name")), error.hint))
        except ValidationError as error:
            label = f"{location(document, path)} > params"
            self.problems += problems_from(error, document, (*path, "params"), label)
        except ConfigurationError as error:
            self.problems += _at(error, document, path)
        except ValueError as error:
            self.problems.append(Problem(f"{location(document, path)}: {error}", document.place(path)))
        return None

    def _check_generation(self, who: str, path: YamlPath) -> None:
        """That there is a model to write for the entry, or for `who` in it; `path` is what asks for it."""
        document = self._workspace.document
        place = document.place(path)
        if self._context.generation is None:
            message = f"{location(document, path[:-1])}: {who + ' ' if who else ''}needs a generation model."
            self.problems.append(Problem(message, place, "Set generation > enabled: true."))
        else:
            self._need(self._models.settings(Role.GENERATION), place)

    def _check_default_oracle(self, attack: Attack[Any], path: YamlPath) -> list[Problem]:
        """The strategy's own oracle may need a model, or a setting that the campaign lacks."""
        self._asking = self._workspace.document.place((*path, "name"))
        try:
            build_oracle(attack.oracle(), self._oracles)
        except (ValidationError, ValueError) as error:
            message = f"its default oracle {attack.oracle().type} cannot be used: {error}"
            return _at(
                ConfigurationError([Problem(message, hint="Give the entry an oracle of its own.")]),
                self._workspace.document,
                path,
            )
        return []

    def _find_search(self, entry: AttackEntry, attack: Attack[Any], path: YamlPath) -> SearchPlan | None:
        """The dynamic attack of an entry; None where it has none, or none that can be found."""
        if entry.dynamic is None:
            return None
        if entry.oracle or not attack.takes_source:
            self._judges = {attack.oracle().type}
        plan, problems = self._finder.find(entry.dynamic, entry.execution, self._judges)
        if plan is not None and attack.has_turns and not plan.attack.plays_turns:
            message = f"{plan.attack.name} sends one text at a time, and {entry.source} has lists of turns."
            problems.append((Problem(message, hint="Use multi_turn, or a multi-turn script."), "attack"))
        self.problems += self._placed(problems, path)
        if plan is not None and plan.attack.needs_model:
            self._check_generation(plan.attack.name, (*path, "attack"))
        return plan

    def _placed(self, problems: Sequence[Found], path: YamlPath) -> list[Problem]:
        """Problems of a search where it is asked for; once, where the command line asks for all entries."""
        document = self._workspace.document
        label = location(document, path)
        if "attack" not in self._workspace.typed.dynamic:
            return [
                replace(problem, message=f"{label}: {problem.message}").at(document.place((*path, key)))
                for problem, key in problems
            ]
        typed = []
        for problem, _ in problems:
            who = label if problem.severity == "warning" else "--dynamic"  # a mistake is that of all entries
            typed.append(replace(problem, message=f"{who}: {problem.message}"))
        return [problem for problem in typed if problem not in self.problems]

    def _judge(self, **overrides: Any) -> Model:
        self._need(self._models.settings(Role.JUDGE, **overrides), self._asking)
        return self._models.of(Role.JUDGE, **overrides)

    def _need(self, settings: ModelSettings, place: Place) -> None:
        self._needed.setdefault(settings, place)


def _at(error: ConfigurationError, document: Document, path: YamlPath) -> list[Problem]:
    """The problems of `error`, those without a place put where the entry stands."""
    return [
        problem
        if problem.place
        else replace(
            problem, place=document.place(path), message=f"{location(document, path)}: {problem.message}"
        )
        for problem in error.problems
    ]


def attack_context(workspace: Workspace, models: Models, check_oracle: CheckOracle) -> AttackContext:
    """What the strategies of a campaign may know of it."""
    generation = workspace.campaign.generation
    return AttackContext(
        attempts=workspace.campaign.execution.attempts,
        resolve=workspace.resolve,
        random=lambda name: random_source(models.seed, name),
        check_oracle=check_oracle,
        target_context=generation.target_context,
        generation=partial(models.of, Role.GENERATION) if generation.enabled else None,
        is_refusal=lambda text: find_refusal(text) is not None,
        safe=workspace.safe,
    )

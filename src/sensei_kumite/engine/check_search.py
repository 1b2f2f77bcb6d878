"""Finds the dynamic attacks that entries name, and everything that is wrong with how they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache
from pathlib import Path

from sensei_kumite.config.campaign import DynamicSearch, EntryExecution
from sensei_kumite.dynamic.contract import Turn
from sensei_kumite.dynamic.host import SearchPlan
from sensei_kumite.dynamic.scripts import DynamicAttack, find_attack
from sensei_kumite.errors import ConfigurationError, Problem
from sensei_kumite.llm.requests import Model

Found = tuple[Problem, str]
"""A problem, and the key of the `dynamic` block that it stands at."""


class SearchFinder:
    """Loads each script once; `resolve` finds its file, `generation` is the model that it may ask for."""

    def __init__(
        self, resolve: Callable[..., Path], generation: Callable[..., Model] | None, *, safe: bool
    ) -> None:
        @cache
        def load(name: str) -> DynamicAttack | ConfigurationError:
            try:
                return find_attack(name, resolve=resolve, generation=generation, safe=safe)
            except ConfigurationError as error:
                return error

        self._load = load

    def find(
        self, asked: DynamicSearch, execution: EntryExecution, judges: Set[str]
    ) -> tuple[SearchPlan | None, list[Found]]:
        """The search that is asked for, and what is wrong with it.

        `judges` are the types of the oracles that judge cases of the entry.
        """
        attack = self._load(asked.attack)
        if isinstance(attack, ConfigurationError):
            return None, [(problem, "attack") for problem in attack.problems]
        plan = SearchPlan(
            attack,
            asked.iterations,
            asked.options,
            asked.attempts,
            asked.return_all_attempts,
            asked.only,
        )
        problems = [(Problem(message), "options") for message in attack.check_options(asked.options)]
        if asked.return_all_attempts and not plan.traces:
            message = f"{attack.name} cannot return all attempts; its one representative result is kept."
            hint = "Let it declare return_all_attempts, and return a list of AttackAttempt then."
            problems.append((Problem(message, hint=hint, severity="warning"), "return_all_attempts"))
        if asked.only and execution.mode == "simulated_user":
            message = "only leaves out the first attempt, whose warm-up the search would repeat."
            problems.append((Problem(message, hint="Remove only, or use another mode."), "only"))
        if attack.turn is Turn.MULTI and "refusal_detection" in judges:
            message = (
                f"{attack.name} also sends messages that do not ask for anything forbidden, and "
                "refusal_detection calls every answer to them a breach that does not refuse."
            )
            hint = "Use an oracle that looks for what must not be in the answer."
            problems.append((Problem(message, hint=hint, severity="warning"), "attack"))
        return plan, problems

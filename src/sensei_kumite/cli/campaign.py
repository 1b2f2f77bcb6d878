"""A checked campaign: its workspace, its models, its plan and its target, ready to run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from sensei_kumite.config.loader import Workspace
from sensei_kumite.engine.case import Delivery
from sensei_kumite.engine.estimate import Estimate, estimate
from sensei_kumite.engine.plan import Plan
from sensei_kumite.engine.scoring import OracleCache, oracle_context
from sensei_kumite.engine.search import Searching
from sensei_kumite.errors import ConfigurationError, Place, Problem, UnknownName
from sensei_kumite.llm.providers import missing
from sensei_kumite.llm.requests import Role
from sensei_kumite.llm.roles import Models
from sensei_kumite.oracles.refusals import find_refusal
from sensei_kumite.targets import build_target
from sensei_kumite.targets.base import Target, TargetSettings
from sensei_kumite.text import redact


@dataclass(frozen=True, slots=True)
class Campaign:
    """A checked campaign with its target."""

    workspace: Workspace
    models: Models
    plan: Plan
    target: Target
    only: tuple[str, ...] = ()

    @classmethod
    def build(
        cls, workspace: Workspace, models: Models, plan: Plan, only: Sequence[str]
    ) -> tuple[Self | None, list[Problem]]:
        """The campaign with its target built, and what is wrong with the target's settings."""
        run_file = workspace.run_place().file
        if any(problem.place and problem.place.file == run_file for problem in workspace.errors):
            return None, []  # what it says of the target is in doubt already
        try:
            return cls(workspace, models, plan, _build_target(workspace, models), tuple(only)), []
        except ConfigurationError as error:
            return None, list(error.problems)

    @property
    def settings(self) -> dict[str, Any]:
        """The blocks of the campaign that reports repeat, with secrets blanked."""
        return self.without_secrets(self.workspace.campaign.report_view())

    def without_secrets(self, data: dict[str, Any]) -> dict[str, Any]:
        """Plain `data` with every secret value in it blanked."""
        hidden = [json.dumps(secret)[1:-1] for secret in self.secrets]
        blanked: dict[str, Any] = json.loads(redact(json.dumps(data), hidden))
        return blanked

    @property
    def deliveries(self) -> dict[int, Delivery]:
        """How the cases of each entry reach the target."""
        return self.plan.deliveries(self.models.of(Role.SIMULATION))

    @property
    def technology(self) -> str | None:
        """What the workspace tests."""
        return _technology(self.workspace)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that must not be written anywhere."""
        return (*self.models.secrets, *self.target.secrets)

    @property
    def lanes(self) -> int:
        """Conversations held at once: one where the target cannot tell them apart, unless asked for more."""
        capabilities = self.target.capabilities
        if not capabilities.concurrent_sessions:
            return 1
        if capabilities.fresh_conversations or self.workspace.concurrency_is_set:
            return self.workspace.campaign.execution.concurrency
        return 1


def searching(
    campaign: Campaign, progress: Callable[[int, int], None], interrupted: Callable[[], bool]
) -> Searching:
    """What the dynamic attacks of a run share."""
    generation = campaign.workspace.campaign.generation
    return Searching(
        campaign.target.capabilities,
        campaign.models.seed,
        lambda text: find_refusal(text) is not None,
        partial(campaign.models.of, Role.GENERATION) if generation.enabled else None,
        generation.target_context,
        progress,
        interrupted,
    )


def estimates(campaign: Campaign) -> list[Estimate]:
    """What a run would do and cost, per attack; calls nothing and writes nothing."""
    settings = campaign.models.settings(Role.DUMMY)
    return estimate(
        campaign.plan,
        campaign.models,
        OracleCache(oracle_context(campaign.workspace, campaign.models)),
        lanes=campaign.lanes,
        dummy=campaign.technology == "dummy" and not settings.is_offline,
    )


def _technology(workspace: Workspace) -> str | None:
    return "dummy" if workspace.campaign.execution.dummy_testing else workspace.run_file.technology


def _build_target(workspace: Workspace, models: Models) -> Target:
    """The target that the workspace names; raises ConfigurationError with the place in run.yml."""
    campaign, run_file = workspace.campaign, workspace.run_file
    technology = _technology(workspace)
    place = workspace.run_place
    if technology == "dummy" and (lacking := missing(models.settings(Role.DUMMY), models.environment)):
        where = workspace.document.place(("dummy_chatbot",), key=True)
        raise ConfigurationError([problem.at(where) for problem in lacking])
    if not technology:
        raise ConfigurationError(
            [
                Problem(
                    "technology is not set, so there is no chatbot to test.",
                    place(()),
                    "Name one in run.yml, or set execution.dummy_testing: true in security.yml.",
                )
            ]
        )
    settings = TargetSettings(
        params={} if campaign.execution.dummy_testing else run_file.connector_params,
        project=workspace.project,
        system_prompt=campaign.dummy_chatbot.system_prompt,
        model=models.of(Role.DUMMY) if technology == "dummy" else None,
        refusal_retries=campaign.dummy_chatbot.refusal_retries,
        refuses=lambda text: find_refusal(text) is not None,
        timeout=campaign.execution.timeout,
        seed=models.seed,
        confined=workspace.safe,
    )
    try:
        return build_target(technology, settings)
    except UnknownName as error:
        raise ConfigurationError([Problem(error.message, place(("technology",)), error.hint)]) from None
    except ConfigurationError as error:
        problems = [problem.at(_place_of_parameter(workspace, problem.key)) for problem in error.problems]
        raise ConfigurationError(problems) from None


def _place_of_parameter(workspace: Workspace, name: str) -> Place:
    """The line of a connector parameter; the block where there is none, or where it is written as text."""
    return workspace.run_document.place(("connector_params", name), key=True)

"""Wires one run together: target, run folder, engine, journal and reports."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import sensei_kumite
from sensei_kumite.cli.console import Outcome, say
from sensei_kumite.cli.interrupt import interruptible
from sensei_kumite.config.loader import Workspace
from sensei_kumite.engine.case import CaseContext, Delivery, skipped
from sensei_kumite.engine.estimate import Estimate, estimate
from sensei_kumite.engine.journal import JsonLines, RunFolder, read_plan, result_to_row, write_plan
from sensei_kumite.engine.limits import Limits, RateLimit
from sensei_kumite.engine.plan import Plan, expand
from sensei_kumite.engine.runner import RunContext, run
from sensei_kumite.engine.scoring import OracleCache, oracle_context
from sensei_kumite.errors import ConfigurationError, Problem, UnknownName
from sensei_kumite.llm.cost_report import cost_report_path
from sensei_kumite.llm.providers import missing
from sensei_kumite.llm.requests import Role
from sensei_kumite.llm.roles import Models
from sensei_kumite.models import CaseFinished, Event, RunFinished
from sensei_kumite.oracles.refusals import find_refusal
from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.suite import suite_path, write_suite_report
from sensei_kumite.reports.summary import summary_path, write_summary
from sensei_kumite.targets import build_target
from sensei_kumite.targets.base import Target, TargetSettings
from sensei_kumite.text import redact

DRY_RUN = "Dry run: the case was built and not sent."


@dataclass(frozen=True, slots=True)
class Campaign:
    """A checked campaign with its target."""

    workspace: Workspace
    models: Models
    plan: Plan
    target: Target

    @classmethod
    def build(cls, workspace: Workspace, models: Models, plan: Plan) -> tuple[Self | None, list[Problem]]:
        """The campaign with its target built, and what is wrong with the target's settings."""
        run_file = workspace.run_place().file
        if any(problem.place and problem.place.file == run_file for problem in workspace.errors):
            return None, []  # what it says of the target is in doubt already
        try:
            return cls(workspace, models, plan, _build_target(workspace, models)), []
        except ConfigurationError as error:
            return None, list(error.problems)

    @property
    def settings(self) -> dict[str, Any]:
        """The blocks of the campaign that reports repeat, with secrets blanked."""
        view = json.dumps(self.workspace.campaign.report_view())
        hidden = [json.dumps(secret)[1:-1] for secret in self.secrets]
        settings: dict[str, Any] = json.loads(redact(view, hidden))
        return settings

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
        capable = (
            self.target.capabilities.fresh_conversations and self.target.capabilities.concurrent_sessions
        )
        if capable or self.workspace.concurrency_is_set:
            return self.workspace.campaign.execution.concurrency
        return 1


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over, with its reports written."""

    suite: Path
    summary: Path
    outcome: Outcome
    interrupted: bool = False


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


def dry_run(campaign: Campaign) -> Finished:
    """Build every case and the reports; call no target."""
    started, clock = datetime.now(UTC), time.perf_counter()
    folder = _new_folder(campaign)
    deliveries = campaign.deliveries
    with JsonLines(folder.results, campaign.secrets) as journal:
        for index, case in read_plan(folder.plan):
            reason = case.skip_reason or DRY_RUN
            journal.write(result_to_row(index, skipped(case, deliveries[case.entry], reason)))
    return _write_reports(campaign, folder, started, time.perf_counter() - clock)


def execute(campaign: Campaign, show: Callable[[Event], None]) -> Finished:
    """Run the campaign; every result is journalled as it comes, `show` sees every event.

    Raises TargetError when the target is not there, before anything is written.
    """
    campaign.target.probe()
    _say_what_is_special(campaign)
    started, clock = datetime.now(UTC), time.perf_counter()
    folder = _new_folder(campaign)
    total = sum(1 for _ in read_plan(folder.plan))
    interrupted = False
    with interruptible() as asked_to_end, JsonLines(folder.results, campaign.secrets) as journal:
        execution = campaign.workspace.campaign.execution
        context = RunContext(
            target=campaign.target,
            limits=Limits(execution.retries, execution.timeout, RateLimit(execution.rate_limit)),
            lanes=campaign.lanes,
            cases=CaseContext(
                campaign.deliveries,
                OracleCache(oracle_context(campaign.workspace, campaign.models)),
                campaign.models.ledger.settle,
            ),
            interrupted=asked_to_end,
            stop_on_breach=execution.stop_on_breach,
        )
        for event in run(folder.plan, total, context):
            if isinstance(event, CaseFinished):
                journal.write(result_to_row(event.index, event.result))
            elif isinstance(event, RunFinished):
                interrupted = event.interrupted
            show(event)
    return _write_reports(campaign, folder, started, time.perf_counter() - clock, interrupted=interrupted)


def _new_folder(campaign: Campaign) -> RunFolder:
    """The folder of a new run, with its plan written."""
    workspace = campaign.workspace
    folder = RunFolder.take(
        workspace.project / "output", workspace.campaign.security_test_name, datetime.now().astimezone()
    )
    ledger = campaign.models.ledger
    ledger.write_to(cost_report_path(folder.output, folder.serial))
    lanes = workspace.campaign.execution.concurrency
    write_plan(folder.plan, expand(campaign.plan, ledger.settle, workers=lanes), campaign.secrets)
    return folder


def _write_reports(
    campaign: Campaign, folder: RunFolder, started: datetime, seconds: float, *, interrupted: bool = False
) -> Finished:
    name = campaign.workspace.campaign.security_test_name
    rows = ResultRows(folder.results)
    outcome = Outcome()
    for row in rows:
        outcome.add(row)
    info = RunInfo(
        serial=folder.serial,
        security_test_name=name,
        settings=campaign.settings,
        target=campaign.target.describe(),
        version=sensei_kumite.__version__,
        started=started.isoformat(timespec="seconds"),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=campaign.models.seed,
        errors=[{"run": "Interrupted before all cases had run."}] if interrupted else [],
        total_cost=float(campaign.models.ledger.totals.cost),
        conversation_time=seconds,
    )
    suite = suite_path(folder.output, name, folder.serial)
    summary = summary_path(folder.output, folder.serial)
    write_suite_report(suite, rows, info)
    write_summary(summary, rows, info)
    return Finished(suite, summary, outcome, interrupted)


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
        where = place(("connector_params",))
        raise ConfigurationError([problem.at(where) for problem in error.problems]) from None


def _say_what_is_special(campaign: Campaign) -> None:
    for warning in getattr(campaign.target, "warnings", ()):
        say(f"warning: {warning}")
    if campaign.lanes == 1 < campaign.workspace.campaign.execution.concurrency:
        say(
            "The target cannot open a fresh conversation, so cases run one after another. Set "
            "execution.concurrency to run more at once."
        )

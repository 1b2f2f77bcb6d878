"""Wires one run together: run folder, engine, journal and reports; a new run, or one that is resumed."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from threading import Event
from typing import Any

import sensei_kumite
from sensei_kumite.cli.campaign import Campaign, searching
from sensei_kumite.cli.console import Outcome, ProgressView, say
from sensei_kumite.cli.interrupt import interruptible
from sensei_kumite.engine.breaker import Breaker
from sensei_kumite.engine.case import CaseContext, skipped
from sensei_kumite.engine.journal import (
    JsonLines,
    drop_incomplete,
    finished_cases,
    mend,
    read_plan,
    result_rows,
    write_plan,
)
from sensei_kumite.engine.limits import Limits, RateLimit
from sensei_kumite.engine.plan import expand
from sensei_kumite.engine.resume import adopt_results, changes
from sensei_kumite.engine.run_folder import RunFolder, RunState
from sensei_kumite.engine.runner import RunContext, run
from sensei_kumite.engine.scoring import OracleCache, oracle_context
from sensei_kumite.errors import KumiteError
from sensei_kumite.llm.cost_report import cost_report_path
from sensei_kumite.models import RunFinished, Status
from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.formats import write_formats
from sensei_kumite.reports.outcomes import outcomes
from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.suite import suite_path, write_suite_report
from sensei_kumite.reports.summary import summary_path, write_summary
from sensei_kumite.yaml_scalars import plain

DRY_RUN = "Dry run: the case was built and not sent."


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over, with its reports written. `ended_early` says why it has cases without a result."""

    serial: str
    suite: Path
    summary: Path
    others: tuple[Path, ...]
    outcome: Outcome
    interrupted: bool = False
    ended_early: str = ""


def dry_run(campaign: Campaign) -> Finished:
    """Build every case and the reports; call no target."""
    clock = time.perf_counter()
    folder, state = new_run(campaign)
    deliveries = campaign.deliveries
    with folder.locked():
        write_cases(campaign, folder, state)
        with JsonLines(folder.results, campaign.secrets) as journal:
            for index, case in read_plan(folder.plan):
                reason = case.skip_reason or DRY_RUN
                journal.write(*result_rows(index, skipped(case, deliveries[case.entry], reason)))
        return _write_reports(campaign, folder, RunFinished(0, interrupted=False), clock)


def new_run(campaign: Campaign) -> tuple[RunFolder, RunState]:
    """Take the folder of a new run. Raises EnvironmentProblem where nothing can be written."""
    workspace = campaign.workspace
    folder = RunFolder.take(
        workspace.project / "output", workspace.campaign.security_test_name, datetime.now().astimezone()
    )
    started = datetime.now(UTC).isoformat(timespec="seconds")
    seed, offline = campaign.models.seed, campaign.models.offline
    campaign.models.ledger.write_to(cost_report_path(folder.output, folder.serial))
    typed = dict(workspace.typed.dynamic)
    return folder, folder.save(RunState(seed, started, written(campaign), campaign.only, offline, typed))


def resumed_run(campaign: Campaign, folder: RunFolder, state: RunState, *, force: bool) -> RunState:
    """Prepare an unfinished run to go on; raises KumiteError where its campaign has changed since.

    With `force` the campaign as it is now holds for what remains.
    """
    mend(folder.results)
    drop_incomplete(folder.results)
    campaign.models.ledger.write_to(cost_report_path(folder.output, folder.serial))
    changed = changes(state.campaign, written(campaign))
    if changed and not force:
        raise KumiteError(
            f"security.yml has changed since the run {folder.serial} was started:\n  " + "\n  ".join(changed),
            hint="\nUndo the changes, or add --force to go on with the campaign as it is now.",
        )
    if changed:
        folder.replanned.touch()
        folder.plan.unlink(missing_ok=True)
        state = folder.save(replace(state, campaign=written(campaign), planned=None))
    if folder.replanned.exists():  # also where a forced resumption was ended itself
        state = state if folder.plan.exists() else folder.save(replace(state, planned=None))
        state = write_cases(campaign, folder, state)
        if dropped := adopt_results(folder.plan, folder.results):
            say(f"{dropped} results belong to cases that are no longer planned; they were dropped.")
        folder.replanned.unlink()
    return state


def execute(campaign: Campaign, folder: RunFolder, state: RunState, view: ProgressView) -> Finished:
    """Run what has no result yet; lanes journal every result as they have it, and `view` sees every event."""
    clock = time.perf_counter()
    with ExitStack() as stack:
        asked_to_end = stack.enter_context(interruptible())
        state = write_cases(campaign, folder, state, asked_to_end)
        total = state.planned or 0
        done = finished_cases(folder.results, total)
        journal = stack.enter_context(JsonLines(folder.results, campaign.secrets))
        execution = campaign.workspace.campaign.execution
        limits = Limits(execution.retries, execution.timeout, RateLimit(execution.rate_limit))
        context = RunContext(
            target=campaign.target,
            limits=replace(limits, breaker=Breaker(campaign.target.probe, limits.stop)),
            lanes=campaign.lanes,
            cases=CaseContext(
                campaign.deliveries,
                OracleCache(oracle_context(campaign.workspace, campaign.models)),
                campaign.models.ledger.settle,
                searching(campaign, view.searched, asked_to_end.is_set),
            ),
            interrupted=asked_to_end,
            record=lambda index, result: journal.write(*result_rows(index, result)),
            stop_on_breach=execution.stop_on_breach,
            deadline=execution.deadline and execution.deadline * 60,
            done=done,
            stopped=execution.stop_on_breach and _has_breach(folder.results),
        )
        end = RunFinished(0, interrupted=asked_to_end.is_set())
        for event in run(folder.plan, total, context) if state.planned is not None else ():
            if isinstance(event, RunFinished):
                end = event
            view.show(event)
    return _write_reports(campaign, folder, end, clock)


def write_cases(
    campaign: Campaign, folder: RunFolder, state: RunState, asked_to_end: Event | None = None
) -> RunState:
    """Write what is missing of the plan, until somebody wants to end; nothing where it is complete."""
    ledger = campaign.models.ledger
    if state.planned is not None:
        return state
    written_already = mend(folder.plan)
    lanes = campaign.workspace.campaign.execution.concurrency
    cases = expand(
        campaign.plan, ledger.settle, workers=lanes, skip=written_already, secrets=campaign.secrets
    )
    if asked_to_end is not None:
        cases = takewhile(lambda _: not asked_to_end.is_set(), cases)
    planned = written_already + write_plan(folder.plan, cases)
    if asked_to_end is not None and asked_to_end.is_set():
        return state
    return folder.save(replace(state, planned=planned))


def written(campaign: Campaign) -> dict[str, Any]:
    """The campaign as security.yml says it, without secrets, to see later whether it has changed."""
    return campaign.without_secrets(plain(campaign.workspace.document.data) or {})


def _has_breach(results: Path) -> bool:
    """Whether a confirmed breach has been journalled already."""
    if not results.exists():
        return False
    return any(
        row["status"] == Status.BREACHED and row["metadata"].get("weight") != "Potential"
        for row in ResultRows(results)
    )


def _write_reports(campaign: Campaign, folder: RunFolder, end: RunFinished, clock: float) -> Finished:
    name = campaign.workspace.campaign.security_test_name
    rows = ResultRows(folder.results)
    outcome = Outcome()
    for case in outcomes(rows):
        outcome.add(case)
    state = folder.state()
    why = end.reason or ("Interrupted before all cases had run." if end.interrupted else "")
    info = RunInfo(
        serial=folder.serial,
        security_test_name=name,
        settings=campaign.settings,
        target=campaign.target.describe(),
        version=sensei_kumite.__version__,
        started=state.started,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=campaign.models.seed,
        errors=[{"run": why}] if why else [],
        total_cost=float(campaign.models.ledger.totals.cost),
        conversation_time=time.perf_counter() - clock,
    )
    suite = suite_path(folder.output, name, folder.serial)
    summary = summary_path(folder.output, folder.serial)
    write_suite_report(suite, rows, info)
    write_summary(summary, rows, info, outcome.tally)
    others = write_formats(campaign.workspace.campaign.reports, suite, rows, info)
    if outcome.tally.total.attempts == state.planned:
        folder.save(replace(state, finished=True))
    return Finished(folder.serial, suite, summary, tuple(others), outcome, end.interrupted, end.reason)


def say_what_is_special(campaign: Campaign) -> None:
    """What the user should know of the target before the run."""
    for warning in campaign.target.warnings:
        say(f"warning: {warning}")
    if campaign.lanes == 1 < campaign.workspace.campaign.execution.concurrency:
        if not campaign.target.capabilities.concurrent_sessions:
            say("The target holds one conversation at a time, so cases run one after another.")
            return
        say(
            "The target cannot open a fresh conversation, so cases run one after another. Set "
            "execution.concurrency to run more at once."
        )

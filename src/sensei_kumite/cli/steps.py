"""The steps of `sensei-kumite`, one after the other: answer, load, check, run, show, exit code."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from sensei_kumite.cli import describe
from sensei_kumite.cli.campaign import Campaign, estimates
from sensei_kumite.cli.console import (
    Outcome,
    log_to_stderr,
    progress,
    say,
    show_estimates,
    show_outcome,
    show_problems,
)
from sensei_kumite.cli.options import Options
from sensei_kumite.cli.run import (
    Finished,
    dry_run,
    execute,
    new_run,
    resumed_run,
    say_what_is_special,
)
from sensei_kumite.config.loader import Overrides, Workspace, load_workspace
from sensei_kumite.engine.check import check
from sensei_kumite.engine.run_folder import RunFolder, RunState, keep_within
from sensei_kumite.errors import (
    EXIT_FAILED_GATE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_PROBLEM,
    ConfigurationError,
    Problem,
)
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import load_prices
from sensei_kumite.llm.providers import load_environment
from sensei_kumite.llm.roles import Models
from sensei_kumite.text import did_you_mean

SWITCHES = ("verbose", "quiet", "validate_only", "dry_run", "offline")
"""What `execution_parameters` of run.yml may turn on."""


def run(options: Options) -> int:
    """Do what was asked; returns the exit code, raises KumiteError."""
    if (answer := _answer(options)) is not None:
        print(*answer, sep="\n")
        return EXIT_OK
    workspace = _load(options)
    _switch_on(options, workspace)
    if options.describe_custom_attacks is not None:
        models, _ = _models(workspace, options)
        print(*describe.custom_attacks(workspace, models, options.describe_custom_attacks), sep="\n")
        return EXIT_OK
    if workspace.safe:
        keep_within(workspace.project, workspace.project / "output", workspace.campaign.security_test_name)
    unfinished = _unfinished(workspace, options)
    if unfinished is not None and unfinished[1].dynamic:
        workspace = _load(options, unfinished[1].dynamic)
    campaign = _check(workspace, options)
    if options.verbose:
        log_to_stderr(campaign.secrets)
    if options.validate_only:
        print("The configuration is valid.")
        return EXIT_OK
    if options.plan:
        show_estimates(estimates(campaign))
        return EXIT_OK
    return _show(campaign, _run(campaign, options, unfinished), options)


Unfinished = tuple[RunFolder, RunState]


def _unfinished(workspace: Workspace, options: Options) -> Unfinished | None:
    """The run to go on with; its seed, entries and offline mode hold again."""
    if options.resume is None:
        return None
    name = workspace.campaign.security_test_name
    folder, state = RunFolder.find(workspace.project / "output", name, options.resume or None)
    options.attack = list(state.only)
    options.offline = state.offline
    options.seed = state.seed
    return folder, state


def _run(campaign: Campaign, options: Options, unfinished: Unfinished | None) -> Finished:
    """Run what was checked: a new run, or the rest of an unfinished one."""
    if options.dry_run:
        return dry_run(campaign)
    campaign.target.probe()
    say_what_is_special(campaign)
    folder, state = unfinished or new_run(campaign)
    with folder.locked(), progress(not options.quiet) as view:
        if unfinished:
            state = resumed_run(campaign, folder, state, force=options.force)
        return execute(campaign, folder, state, view)


def _show(campaign: Campaign, finished: Finished, options: Options) -> int:
    """Show what came of the run; the exit code."""
    if unpriced := campaign.models.ledger.totals.unpriced:
        say(f"No price is known for {', '.join(unpriced)}, so the total cost is a lower bound.")
    if options.quiet:
        print(finished.suite)
    else:
        show_outcome(finished.outcome, [finished.suite, finished.summary, *finished.others])
    if finished.interrupted:
        why = f"{finished.ended_early}\n" if finished.ended_early else ""
        say(
            f"{why}The results of {finished.outcome.tally.total.attempts} cases are saved. To go on:\n"
            f"  sensei-kumite {_workspace_arguments(options)} --resume {finished.serial}"
        )
        return EXIT_PROBLEM if finished.ended_early else EXIT_INTERRUPTED
    return EXIT_OK if options.dry_run else _gate(finished.outcome, options)


def _workspace_arguments(options: Options) -> str:
    """The arguments that name the workspace, as they were typed."""
    typed = [
        ("--run-from-yaml", options.run_from_yaml),
        ("--config", options.config),
        ("--project-path", options.project_path),
    ]
    return " ".join(f"{name} {shlex.quote(str(value))}" for name, value in typed if value)


def _answer(options: Options) -> Iterable[str] | None:
    """The lines that answer a question about the program itself; None where a workspace is needed."""
    if options.list_attacks:
        return describe.attack_list()
    if options.list_oracles:
        return describe.oracle_list()
    if options.describe_attack is not None:
        return describe.attack(options.describe_attack)
    if options.describe_oracle is not None:
        return describe.oracle(options.describe_oracle)
    if options.list_dynamic:
        return describe.dynamic_attack_list()
    if options.describe_dynamic is not None:
        return describe.dynamic_attack(options.describe_dynamic, options.run_from_yaml, safe=options.safe)
    if options.write_schemas is not None:
        return describe.written_schemas(options.write_schemas)
    return None


def _switch_on(options: Options, workspace: Workspace) -> None:
    """Take over the switches of run.yml; one that is not ours may be another tool's, and gets a warning."""
    for position, name in enumerate(workspace.run_file.execution_parameters):
        if name in SWITCHES:
            setattr(options, name, True)
        else:
            place = workspace.run_place(("execution_parameters", position))
            message = f"the switch {name!r} is ignored.{did_you_mean(name, SWITCHES)}"
            show_problems([Problem(message, place, severity="warning")])


def _load(options: Options, search: Mapping[str, Any] | None = None) -> Workspace:
    """The workspace; `search` is the dynamic attack for all entries, what was typed unless it is given."""
    typed = search or options.search
    overrides = Overrides(options.concurrency, options.seed, tuple(options.report), typed)
    project = options.run_from_yaml or options.project_path
    return load_workspace(project, config=options.config, overrides=overrides, safe=options.safe)


def _check(workspace: Workspace, options: Options) -> Campaign:
    """The campaign, ready to run; raises ConfigurationError with every problem there is."""
    models, price_problems = _models(workspace, options)
    plan, problems = check(workspace, models, options.attack)
    campaign, target_problems = Campaign.build(workspace, models, plan, options.attack)
    _report_problems([*workspace.problems, *price_problems, *problems, *target_problems])
    assert campaign is not None  # noqa: S101  # without problems there is one
    return campaign


def _models(workspace: Workspace, options: Options) -> tuple[Models, list[Problem]]:
    """The models of the campaign, and what is wrong with its price files; calls nothing."""
    execution = workspace.campaign.execution
    prices, problems = load_prices(workspace.project, within=workspace.project if workspace.safe else None)
    name = workspace.campaign.security_test_name
    ledger = Ledger(None, prices, max_cost=execution.max_cost, test_name=name)
    seed = next((seed for seed in (options.seed, execution.seed) if seed is not None), secrets.randbits(32))
    environment = load_environment(workspace.project)
    return Models(workspace.campaign, ledger, environment, seed, options.offline), problems


def _report_problems(problems: Iterable[Problem]) -> None:
    found = list(problems)
    errors = [problem for problem in found if problem.severity == "error"]
    if errors:
        raise ConfigurationError(found)
    show_problems(found)


def _gate(outcome: Outcome, options: Options) -> int:
    """The exit code that `--fail-on` and `--max-asr` ask for."""
    total = outcome.tally.total
    reasons: list[str] = []
    if options.fail_on in ("breach", "any") and total.confirmed:
        reasons.append(f"{total.confirmed} confirmed breaches")
    if options.fail_on in ("error", "any") and total.errors:
        reasons.append(f"{total.errors} errors")
    if options.max_asr is not None:
        if total.success_rate is None:
            reasons.append("no case was scored, so the attack success rate is unknown")
        elif total.success_rate > options.max_asr:
            reasons.append(f"attack success rate {total.success_rate:.1%} is above {options.max_asr:.1%}")
    for reason in reasons:
        say(f"sensei-kumite: failed: {reason}.")
    return EXIT_FAILED_GATE if reasons else EXIT_OK

"""`sensei-kumite`: the steps of the program, one after the other, and the one place that ends it."""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import sensei_kumite
from sensei_kumite.cli import describe
from sensei_kumite.cli.campaign import Campaign, dry_run, execute
from sensei_kumite.cli.console import Outcome, progress, say, show_outcome, show_problems
from sensei_kumite.cli.options import Options, parse
from sensei_kumite.config.loader import Overrides, Workspace, load_workspace
from sensei_kumite.engine import plan
from sensei_kumite.errors import (
    EXIT_FAILED_GATE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_PROBLEM,
    ConfigurationError,
    KumiteError,
    Problem,
)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = parse(argv)
    try:
        return _run(options)
    except ConfigurationError as error:
        show_problems(error.problems)
        return error.exit_code
    except KumiteError as error:
        say(f"sensei-kumite: {error}")
        if options.verbose:
            traceback.print_exc()
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # type: ignore[assignment]  # nobody reads it; keep the exit from flushing it
        return EXIT_OK
    except Exception:  # noqa: BLE001  # the last boundary: a bug keeps its traceback
        traceback.print_exc()
        say("sensei-kumite: this is a bug; please report it with the lines above.")
        return EXIT_PROBLEM


def _run(options: Options) -> int:
    if (answer := _answer(options)) is not None:
        for line in answer:
            print(line)
        return EXIT_OK
    workspace = _load(options)
    if options.describe_custom_attacks is not None:
        for line in describe.custom_attacks(workspace, options.describe_custom_attacks):
            print(line)
        return EXIT_OK
    campaign = _check(workspace, options)
    if options.validate_only:
        print("The configuration is valid.")
        return EXIT_OK
    with progress(not options.quiet) as view:
        finished = dry_run(campaign) if options.dry_run else execute(campaign, view.show)
    if options.quiet:
        print(finished.suite)
    else:
        show_outcome(finished.outcome, [finished.suite, finished.summary])
    if finished.interrupted:
        say(f"Interrupted: the results of {finished.outcome.tally.total.attempts} cases are saved.")
        return EXIT_INTERRUPTED
    return EXIT_OK if options.dry_run else _gate(finished.outcome, options)


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
    if options.write_schemas is not None:
        return describe.written_schemas(options.write_schemas)
    return None


def _load(options: Options) -> Workspace:
    overrides = Overrides(concurrency=options.concurrency, seed=options.seed)
    project = options.run_from_yaml or options.project_path
    return load_workspace(project, config=options.config, overrides=overrides, safe=options.safe)


def _check(workspace: Workspace, options: Options) -> Campaign:
    """The campaign, ready to run; raises ConfigurationError with every problem there is."""
    seed = workspace.campaign.execution.seed
    seed = secrets.randbits(32) if seed is None else seed
    planned, problems = plan.check(workspace, seed, options.attack)
    campaign, target_problems = Campaign.build(workspace, planned, seed)
    _report_problems([*workspace.problems, *problems, *target_problems])
    assert campaign is not None  # noqa: S101  # without problems there is one
    return campaign


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

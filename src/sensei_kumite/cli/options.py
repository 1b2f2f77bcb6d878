"""The arguments of `sensei-kumite`: declared once, parsed into a typed namespace."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sensei_kumite
from sensei_kumite.errors import UnknownName
from sensei_kumite.text import excerpt

AUTHORISED_USE = "Only for systems that you own or have permission to test."
FAIL_ON = ("breach", "error", "any", "none")


class Options(argparse.Namespace):
    """What was typed; None where it was not."""

    run_from_yaml: Path | None
    config: Path | None
    project_path: Path | None
    validate_only: bool
    dry_run: bool
    plan: bool
    list_attacks: bool
    describe_attack: str | None
    list_oracles: bool
    describe_oracle: str | None
    describe_custom_attacks: str | None
    list_dynamic: bool
    describe_dynamic: str | None
    write_schemas: Path | None
    attack: list[str]
    dynamic: str | None
    attack_iterations: int | None
    attack_options: str | None
    attack_return_all_attempts: bool
    fail_on: str
    max_asr: float | None
    concurrency: int | None
    seed: int | None
    report: list[str]
    resume: str | None
    force: bool
    offline: bool
    safe: bool
    quiet: bool
    verbose: bool

    @property
    def search(self) -> dict[str, Any]:
        """What was said of the dynamic attack, with the keys of the block `dynamic`."""
        given = {
            "attack": self.dynamic,
            "iterations": self.attack_iterations,
            "options": self.attack_options,
            "return_all_attempts": self.attack_return_all_attempts or None,
        }
        return {name: value for name, value in given.items() if value is not None}


def parse(argv: list[str] | None) -> Options:
    """Parse the command line; ends the program with status 2 and the usage where it makes no sense."""
    parser = _parser()
    options = parser.parse_args(argv, Options())
    _check(parser, options)
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sensei-kumite",
        description=f"Runs adversarial security campaigns against chatbots. {AUTHORISED_USE}",
        epilog="Exit codes: 0 finished or valid; 1 a problem in configuration or environment; 2 wrong usage; "
        "3 --fail-on or --max-asr says so; 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"sensei-kumite {sensei_kumite.__version__}")
    _add_workspace(parser.add_argument_group("workspace"))
    _add_instead(parser.add_argument_group("instead of a run"))
    _add_run(parser.add_argument_group("the run"))
    output = parser.add_argument_group("output").add_mutually_exclusive_group()
    output.add_argument("-q", "--quiet", action="store_true", help="print the path of the report alone")
    output.add_argument("-v", "--verbose", action="store_true", help="show tracebacks and connector logs")
    return parser


def _add_workspace(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-rfy", "--run-from-yaml", type=Path, metavar="DIR", help="run the campaign of this workspace"
    )
    group.add_argument("-c", "--config", type=Path, metavar="FILE", help="another security.yml")
    group.add_argument(
        "-pp", "--project-path", type=Path, metavar="DIR", help="project folder, with --config alone"
    )
    group.add_argument(
        "--safe",
        action="store_true",
        help="follow no path out of the workspace and load no Python from it (for strangers' pull requests)",
    )


def _add_instead(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--validate-only", action="store_true", help="check everything, call nothing, write nothing"
    )
    group.add_argument(
        "--dry-run", action="store_true", help="build all cases and the reports, call no target"
    )
    group.add_argument(
        "--plan", action="store_true", help="what a run would do, call and cost, per attack; calls nothing"
    )
    group.add_argument("--list-attacks", action="store_true", help="the built-in attacks")
    group.add_argument("--describe-attack", metavar="NAME", help="one attack: oracle, params, taxonomy")
    group.add_argument("--list-oracles", action="store_true", help="the oracles")
    group.add_argument("--describe-oracle", metavar="NAME", help="one oracle: when it passes, params")
    group.add_argument(
        "--describe-custom-attacks",
        nargs="?",
        const="",
        metavar="NAME",
        help="the custom attack files of the workspace, or one of them",
    )
    group.add_argument("--list-dynamic", action="store_true", help="the built-in dynamic attacks")
    group.add_argument(
        "--describe-dynamic", metavar="NAME|PATH", help="one dynamic attack: tags, options, source"
    )
    group.add_argument(
        "--write-schemas",
        type=Path,
        metavar="DIR",
        help="write JSON Schemas of run.yml and security.yml, for editors",
    )


def _add_run(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--attack", type=_names, default=[], metavar="NAME[,NAME]", help="only these entries of the campaign"
    )
    _add_search(group)
    group.add_argument(
        "--concurrency", type=_at_least_one, metavar="N", help="conversations at the same time"
    )
    group.add_argument("--seed", type=_whole_number, metavar="N", help="makes every random choice repeatable")
    group.add_argument(
        "--report",
        type=_formats,
        default=[],
        metavar="FORMAT[,FORMAT]",
        help="also write html, csv, jsonl, markdown",
    )
    group.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="SERIAL",
        help="go on with a run that did not finish (default: the latest of this campaign)",
    )
    group.add_argument(
        "--force", action="store_true", help="with --resume: go on although security.yml has changed"
    )
    group.add_argument(
        "--offline", action="store_true", help="let built-in rules play every model: no key, no network"
    )
    group.add_argument(
        "--fail-on", choices=FAIL_ON, default="none", help="end with status 3 on a breach, an error, or any"
    )
    group.add_argument(
        "--max-asr",
        type=_rate,
        metavar="RATE",
        help="end with status 3 when the confirmed attack success rate is above RATE (0 to 1)",
    )


class _Once(argparse.Action):
    """Takes one value, and no second one in its place."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep the value; ends the program where there is one already."""
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} is given twice; a run has one, and entries may name their own")
        setattr(namespace, self.dest, values)


def _add_search(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--dynamic",
        action=_Once,
        metavar="NAME|PATH",
        help="this dynamic attack on every entry, where the target resists",
    )
    group.add_argument(
        "--attack-iterations", type=_at_least_one, metavar="N", help="inputs that a dynamic attack may try"
    )
    group.add_argument("--attack-options", metavar="TEXT", help="its options: key=value,key=value")
    group.add_argument(
        "--attack-return-all-attempts",
        action="store_true",
        help="a result per input that a dynamic attack tries",
    )


def _check(parser: argparse.ArgumentParser, options: Options) -> None:
    """What argparse cannot see: which arguments need each other."""
    if options.run_from_yaml and options.project_path:
        parser.error("--project-path goes with --config alone; --run-from-yaml names the project already")
    if options.project_path and not options.config:
        parser.error("--project-path needs --config FILE")
    if options.config and not (options.run_from_yaml or options.project_path):
        parser.error("--config needs --run-from-yaml DIR or --project-path DIR")
    if options.force and options.resume is None:
        parser.error("--force goes with --resume")
    if options.resume is not None and (options.attack or options.dry_run):
        parser.error("--resume takes the attacks and the plan of the run; it excludes --attack and --dry-run")
    if options.validate_only + options.dry_run + options.plan > 1:
        parser.error("--validate-only, --dry-run and --plan exclude each other")
    if options.resume is not None and options.search:
        parser.error("--resume takes the dynamic attacks of the run; it excludes --dynamic and --attack-…")
    answers = (
        options.list_attacks,
        options.list_dynamic,
        options.describe_dynamic,
        options.describe_attack,
        options.list_oracles,
        options.describe_oracle,
        options.write_schemas,
    )
    if all(answer in (None, False) for answer in answers) and not (options.run_from_yaml or options.config):
        asked = (
            "--describe-custom-attacks" if options.describe_custom_attacks is not None else "nothing to do"
        )
        parser.error(f"{asked}: give --run-from-yaml DIR, or see --help")


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("give at least one name")
    return names


def _formats(text: str) -> list[str]:
    from sensei_kumite.reports.formats import parse_formats

    try:
        return parse_formats(text)
    except UnknownName as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _bounded(text: str, read: Callable[[str], float], low: float, high: float) -> float:
    try:
        value = read(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        kind = "whole number" if read is int else "number"
        raise argparse.ArgumentTypeError(
            f"should be a {kind} from {low:g} to {high:g}, not {excerpt(text, 40)!r}"
        )
    return value


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        message = f"should be a whole number, not {excerpt(text, 40)!r}"
        raise argparse.ArgumentTypeError(message) from None


def _at_least_one(text: str) -> int:
    return int(_bounded(text, int, 1, 10_000))


def _rate(text: str) -> float:
    return _bounded(text, float, 0, 1)

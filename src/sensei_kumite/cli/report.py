"""`sensei-kumite-report`: work on runs that are over. It calls no target and no model."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import sensei_kumite
from sensei_kumite.cli.options import AUTHORISED_USE
from sensei_kumite.errors import EXIT_INTERRUPTED, EXIT_OK, KumiteError, UnknownName, short_path
from sensei_kumite.reports.finished_run import ListedRun, find_runs, read_run
from sensei_kumite.reports.formats import FORMATS, parse_formats, write_formats
from sensei_kumite.reports.wording import count
from sensei_kumite.text import visible


class Options(argparse.Namespace):
    """What was typed."""

    command: str
    run: Path
    report: list[str]
    folder: Path


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(argv, Options())
    try:
        for line in _answer(options):
            print(line)
    except KumiteError as error:
        print(visible(f"sensei-kumite-report: {error}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the exit would flush and fail
    return EXIT_OK


def _answer(options: Options) -> Iterator[str]:
    """The lines that the command prints; raises KumiteError."""
    if options.command == "list":
        yield from map(_line, find_runs(options.folder))
    else:
        run = read_run(options.run)
        for path in write_formats(options.report, run.suite, run.rows, run.info):
            yield visible(str(path))


def _line(run: ListedRun) -> str:
    """A run on a line: serial, name, outcome, folder."""
    if run.summary is None:
        outcome = "not finished"
    else:
        confirmed = run.summary["breached"] - run.summary["potential"]
        outcome = f"{count(run.summary['total'], 'attempt')}, {count(confirmed, 'confirmed breach')}"
    return visible(f"{run.folder.name}  {run.name}  {outcome}  {short_path(run.folder.resolve())}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sensei-kumite-report",
        description=f"Works on runs of sensei-kumite that are over. {AUTHORISED_USE}",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"sensei-kumite {sensei_kumite.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    render = commands.add_parser("render", help="write reports of a run in other formats, beside its own")
    render.add_argument("run", type=Path, metavar="RUN", help="the folder of a run, or its suite report")
    render.add_argument(
        "--report",
        type=_formats,
        required=True,
        metavar="FORMAT[,FORMAT]",
        help=f"what to write: {', '.join(FORMATS)}",
    )
    listing = commands.add_parser("list", help="the runs of a project: serial, name, outcome, folder")
    listing.add_argument("folder", type=Path, metavar="DIR", help="a project, or its output folder")
    return parser


def _formats(text: str) -> list[str]:
    try:
        return parse_formats(text)
    except UnknownName as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())

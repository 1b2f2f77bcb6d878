"""A run that is over, read back from its folder: its results, and what its suite report says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from sensei_kumite.errors import EnvironmentProblem, KumiteError, short_path
from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.rows import ResultRows

_RESULTS = "results.jsonl"
_PLAN = "plan.jsonl"
_SETTINGS = ("dummy_chatbot", "execution", "generation", "simulation")


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """What reports are made from; `suite` is the report beside which they stand."""

    suite: Path
    rows: ResultRows
    info: RunInfo


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list; `summary` holds its totals, and is None where it did not finish."""

    folder: Path
    name: str
    summary: dict[str, int] | None


def read_run(path: Path) -> FinishedRun:
    """The run whose folder, or whose suite report, `path` is.

    Raises KumiteError where it is neither or the run did not finish, EnvironmentProblem where the disk
    is in the way.
    """
    try:
        suite = _suite_of(path) if path.is_dir() else path
        if not suite.is_file() or not suite.with_name(_RESULTS).is_file():
            raise _no_run(path)
    except OSError as error:
        raise EnvironmentProblem(f"{path} cannot be read: {error.strerror}.") from None
    info, _ = _read_info(suite)
    return FinishedRun(suite, ResultRows(suite.with_name(_RESULTS)), info)


def find_runs(folder: Path) -> list[ListedRun]:
    """All runs of a project or of its output folder, the earliest first; raises KumiteError for none."""
    for root in (folder / "output" / "security_reports", folder / "security_reports", folder):
        runs = sorted({plan.parent for plan in root.glob(f"*/*/{_PLAN}")}, key=lambda run: run.name)
        if runs:
            return [_listed(run) for run in runs]
    raise KumiteError(
        f"There is no run in {short_path(folder)}.",
        hint="Name the folder of a project, the one with run.yml, or its output folder.",
    )


def _suite_of(folder: Path) -> Path:
    """The suite report in the folder of a run; raises KumiteError where it has none."""
    reports = sorted(folder.glob(f"*_{folder.resolve().name}.yml")) or sorted(folder.glob("*.yml"))
    if len(reports) == 1:
        return reports[0]
    if reports or not (folder / _PLAN).is_file():
        raise _no_run(folder)
    raise KumiteError(
        f"The run in {short_path(folder)} has no suite report: it did not finish.",
        hint=f"What it had done by then is in {_RESULTS} there.",
    )


def _no_run(path: Path) -> KumiteError:
    return KumiteError(
        f"{short_path(path)} is no run: a run is a folder with {_RESULTS} and its suite report.",
        hint="sensei-kumite-report list DIR shows the runs of a project.",
    )


def _listed(folder: Path) -> ListedRun:
    try:
        info, summary = _read_info(_suite_of(folder))
    except KumiteError:
        return ListedRun(folder, folder.parent.name, None)
    return ListedRun(folder, info.security_test_name, summary)


def _read_info(suite: Path) -> tuple[RunInfo, dict[str, int]]:
    """What the first two documents say of the run, and its totals."""
    try:
        with suite.open(encoding="utf-8") as stream:
            overview, timing = islice(yaml.load_all(stream, yaml.CSafeLoader), 2)
        return _info(overview, timing), dict(overview["summary"])
    except OSError as error:
        raise EnvironmentProblem(f"The report {suite} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, ValueError, KeyError, TypeError):
        raise KumiteError(
            f"{short_path(suite)} is not a suite report that this version wrote.",
            hint="Run the campaign again to get one.",
        ) from None


def _info(overview: dict[str, Any], timing: dict[str, Any]) -> RunInfo:
    return RunInfo(
        serial=overview["serial"],
        security_test_name=overview["security_test_name"],
        settings={name: overview[name] for name in _SETTINGS},
        target=overview["target"],
        version=overview["version"],
        started=overview["started"],
        finished=overview["finished"],
        seed=overview["seed"],
        errors=list(_errors_of_the_run(overview["errors"])),
        total_cost=overview["total_cost($)"],
        conversation_time=timing["conversation time"],
    )


def _errors_of_the_run(errors: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Those that belong to no result: they stand first, under the name `run`."""
    return (error for error in errors if "run" in error)

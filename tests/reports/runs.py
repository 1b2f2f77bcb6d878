"""Folders of finished runs, as the command line leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.suite import suite_path, write_suite_report
from tests.reports.campaign_run import INFO, ROWS
from tests.reports.journals import write_journal


def write_run(
    project: Path,
    rows: Sequence[dict[str, Any]] = ROWS,
    *,
    info: RunInfo = INFO,
    serial: str = INFO.serial,
    finished: bool = True,
) -> Path:
    """A run of a project; returns its folder."""
    suite = suite_path(project / "output", info.security_test_name, serial)
    suite.parent.mkdir(parents=True)
    (suite.parent / "plan.jsonl").write_text("")
    journal = write_journal(suite.parent / "results.jsonl", rows)
    if finished:
        write_suite_report(suite, ResultRows(journal), replace(info, serial=serial))
    return suite.parent

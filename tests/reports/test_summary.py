"""The summary on disk."""

from __future__ import annotations

from pathlib import Path

import yaml

from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.summary import summary_path, write_summary
from tests.reports.campaign_run import INFO, ROWS, SUMMARY, comparable, expected
from tests.reports.journals import write_journal


def test_readers_get_the_summary_in_plan_order(tmp_path: Path) -> None:
    rows = ResultRows(write_journal(tmp_path / "results.jsonl", ROWS[::-1]))
    path = summary_path(tmp_path, INFO.serial)
    write_summary(path, rows, INFO)
    assert comparable(yaml.safe_load(path.read_text(encoding="utf-8"))) == expected(SUMMARY)


def test_all_summaries_stand_in_one_folder() -> None:
    assert summary_path(Path("output"), "2026-01-31-10-00-00") == Path(
        "output/security_reports/__summary_reports__/security_report_2026-01-31-10-00-00.yml"
    )

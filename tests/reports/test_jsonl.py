"""The results as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

from sensei_kumite.reports.jsonl import write_jsonl
from sensei_kumite.reports.rows import ResultRows
from tests.reports.campaign_run import INFO, ROWS
from tests.reports.hostile import ALL, hostile_run
from tests.reports.journals import write_journal


def test_every_line_is_a_result_as_journalled_in_plan_order(tmp_path: Path) -> None:
    rows = ResultRows(write_journal(tmp_path / "results.jsonl", ROWS[::-1]))
    write_jsonl(tmp_path / "out.jsonl", rows, INFO)
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == ROWS
    assert {json.loads(line)["schema"] for line in lines} == {1}


def test_no_text_breaks_a_line(tmp_path: Path) -> None:
    rows, _ = hostile_run(ALL)
    write_jsonl(tmp_path / "out.jsonl", rows, INFO)
    lines = (tmp_path / "out.jsonl").read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == rows

"""Runs read back from their folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sensei_kumite.errors import KumiteError
from sensei_kumite.reports.finished_run import find_runs, read_run
from tests.reports.campaign_run import INFO, ROWS
from tests.reports.hostile import ALL
from tests.reports.runs import write_run


def test_a_run_is_read_back_from_its_folder_or_its_suite_report(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    run = read_run(folder)
    assert run.suite == folder / "billing_2026__suite_2026-01-31-10-00-00.yml"
    assert read_run(run.suite).info == run.info
    assert [row["case_id"] for row in run.rows] == [row["case_id"] for row in ROWS]
    assert run.info == replace(INFO, errors=list(INFO.errors), conversation_time=9.123457)


def test_what_was_hostile_is_read_back_too(tmp_path: Path) -> None:
    info = replace(INFO, security_test_name=ALL, target=ALL, errors=[{"run": ALL}], seed=None)
    run = read_run(write_run(tmp_path, info=info))
    assert (run.info.security_test_name, run.info.target, run.info.errors) == (ALL, ALL, [{"run": ALL}])
    assert run.info.seed is None


def test_a_run_may_have_been_moved_and_renamed(tmp_path: Path) -> None:
    moved = write_run(tmp_path).rename(tmp_path / "kept for later")
    assert read_run(moved).info.serial == INFO.serial


def test_a_run_that_did_not_finish_is_told(tmp_path: Path) -> None:
    with pytest.raises(KumiteError, match="has no suite report: it did not finish"):
        read_run(write_run(tmp_path, finished=False))


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.yml").write_text("a: 1")
    for path in (tmp_path, tmp_path / "notes.yml", tmp_path / "missing", tmp_path / "a\0b"):
        with pytest.raises(KumiteError, match=r"is no run: .* list DIR shows"):
            read_run(path)


@pytest.mark.parametrize(
    "text", ["", "a: [", "a: 1", "a: 1\n---\nb: 1", "- 1\n---\n- 2", "\x00", "--- !!python/name:os\n"]
)
def test_a_suite_report_that_is_none_is_told(text: str, tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    read_run(folder).suite.write_text(text)
    with pytest.raises(KumiteError, match="is not a suite report"):
        read_run(folder)


@pytest.mark.parametrize("inner", ["", "output", "output/security_reports"])
def test_the_runs_of_a_project_are_found_the_earliest_first(inner: str, tmp_path: Path) -> None:
    write_run(tmp_path, serial="2026-02-01-00-00-00", finished=False)
    write_run(tmp_path, serial="2026-01-01-00-00-00", info=replace(INFO, security_test_name="other"))
    runs = find_runs(tmp_path / inner)
    assert [(run.folder.name, run.name) for run in runs] == [
        ("2026-01-01-00-00-00", "other"),
        ("2026-02-01-00-00-00", "billing_2026__suite"),
    ]
    summary = {"total": 5, "resilient": 1, "breached": 2, "errors": 1, "skipped": 1, "potential": 1}
    assert [run.summary for run in runs] == [summary, None]


def test_a_folder_without_runs_is_told(tmp_path: Path) -> None:
    with pytest.raises(KumiteError, match="There is no run in"):
        find_runs(tmp_path)

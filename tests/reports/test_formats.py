"""Which formats there are, and where their files stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.errors import UnknownName
from sensei_kumite.reports.formats import FORMATS, parse_formats, write_formats
from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.suite import suite_path
from tests.reports.campaign_run import INFO, ROWS
from tests.reports.journals import write_journal


@pytest.fixture
def rows(tmp_path: Path) -> ResultRows:
    return ResultRows(write_journal(tmp_path / "results.jsonl", ROWS))


def test_reports_stand_beside_the_suite_report_under_its_name(rows: ResultRows, tmp_path: Path) -> None:
    # A name with points in it keeps them.
    suite = suite_path(tmp_path, "billing/v1.5: suite", "2026-01-31-10-00-00")
    written = write_formats(FORMATS, suite, rows, INFO)
    assert [path.name for path in written] == [
        f"billing_v1.5__suite_2026-01-31-10-00-00.{extension}" for extension in ("html", "csv", "jsonl", "md")
    ]
    assert all(path.parent == suite.parent and path.stat().st_size for path in written)


def test_only_what_is_asked_for_is_written_once(rows: ResultRows, tmp_path: Path) -> None:
    written = write_formats(["csv", "markdown", "csv"], tmp_path / "run" / "x_1.yml", rows, INFO)
    assert [path.name for path in written] == ["x_1.csv", "x_1.md"]
    assert sorted((tmp_path / "run").iterdir()) == sorted(written)


def test_names_are_parsed() -> None:
    assert parse_formats("html, csv,html,") == ["html", "csv"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "html,cvs",
            r"Unknown report format 'cvs'\. Did you mean 'csv'\? Valid: html, csv, jsonl, markdown\.",
        ),
        ("sarif", "Unknown report format 'sarif'"),
        ("", "Unknown report format ''"),
    ],
)
def test_unknown_formats_are_named_with_the_valid_ones(text: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        parse_formats(text)

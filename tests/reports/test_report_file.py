"""A report is complete or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.reports.report_file import report_file


def test_a_report_is_there_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.txt"
    with report_file(path) as stream:
        stream.write("ñ\n")
        assert not path.exists()
    assert path.read_bytes() == "ñ\n".encode()


def test_a_failure_leaves_the_earlier_report_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("earlier")
    with (
        pytest.raises(EnvironmentProblem, match=r"report\.txt cannot be written: No space left"),
        report_file(path),
    ):
        raise OSError(28, "No space left on device")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["earlier"]

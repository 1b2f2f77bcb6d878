"""The suite report: one file with five YAML documents, in the run's folder."""

from __future__ import annotations

from pathlib import Path

from sensei_kumite.files import file_name
from sensei_kumite.reports.documents import RunInfo, suite_documents
from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.yaml_stream import write_yaml


def suite_path(output: Path, name: str, serial: str) -> Path:
    """Where the report of the campaign called `name` stands, below the folder `output`."""
    folder = file_name(name)
    return output / "security_reports" / folder / serial / f"{folder}_{serial}.yml"


def write_suite_report(path: Path, rows: ResultRows, info: RunInfo) -> None:
    """Write the five documents to `path`, all or nothing; raises EnvironmentProblem."""
    write_yaml(path, suite_documents(rows, info))

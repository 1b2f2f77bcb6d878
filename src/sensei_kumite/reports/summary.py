"""The summary: one short YAML file per run, all of them in one folder."""

from __future__ import annotations

from pathlib import Path

from sensei_kumite.reports.documents import RunInfo, summary_document
from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.statistics import CampaignTally
from sensei_kumite.reports.yaml_stream import write_yaml


def summary_path(output: Path, serial: str) -> Path:
    """Where the summary of the run `serial` stands, below the folder `output`."""
    return output / "security_reports" / "__summary_reports__" / f"security_report_{serial}.yml"


def write_summary(path: Path, rows: ResultRows, info: RunInfo, tally: CampaignTally | None = None) -> None:
    """Write the summary to `path`, all or nothing; raises EnvironmentProblem. `tally` spares a reading."""
    write_yaml(path, [summary_document(rows, info, tally)])

"""The results for programs: what the journal holds, a JSON object a line, in the order of the plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.report_file import report_file


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]], info: RunInfo) -> None:  # noqa: ARG001
    """Write every result to `path`, all or nothing; `schema` in each says which keys to expect.

    Raises EnvironmentProblem.
    """
    with report_file(path) as stream:
        for row in rows:
            stream.write(json.dumps(row, separators=(",", ":")) + "\n")

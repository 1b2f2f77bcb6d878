"""The results as a table that spreadsheets open: a row per result, and nothing in it that they would run."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.reading import cost_of
from sensei_kumite.reports.report_file import report_file
from sensei_kumite.text import replace_surrogates, spreadsheet_cell

COLUMNS = (
    "attack",
    "case_id",
    "attempt",
    "status",
    "weight",
    "reason",
    "prompt",
    "response",
    "oracle",
    "mode",
    "response_time",
    "cost",
    "taxonomy",
)
# Excel holds no more in a cell (its specification counts UTF-16 units), and spills the rest into other rows.
LONGEST_CELL = 32_767
_CUT = " [cut here: the whole text is in results.jsonl]"
# Without it, Excel takes UTF-8 for the code page of the machine.
_BYTE_ORDER_MARK = "\ufeff"


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], info: RunInfo) -> None:  # noqa: ARG001
    """Write one row per result to `path` as RFC 4180 has it, all or nothing; raises EnvironmentProblem."""
    with report_file(path) as stream:
        stream.write(_BYTE_ORDER_MARK)
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        writer.writerows([_cell(value) for value in _values(row)] for row in rows)


def _values(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values of a row, in the order of the columns."""
    metadata = row["metadata"]
    return (
        row["attack"],
        row["case_id"],
        row["attempt"],
        row["status"],
        metadata.get("weight"),
        row["reason"],
        row["prompt"],
        row["response"],
        row["oracle"]["type"],
        metadata.get("execution_mode", "direct"),
        _fixed(metadata.get("attack_response_time")),
        _fixed(cost_of(row)),
        metadata.get("taxonomy"),
    )


def _fixed(value: float | None) -> str | None:
    """Seconds and USD to the millionth, and never with an exponent."""
    return None if value is None else f"{value:.6f}"


def _cell(value: Any) -> str | float | None:
    """A value as a cell: a number as it is, a list joined, any other thing as text that is no formula."""
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return spreadsheet_cell(_shortened(replace_surrogates(text).replace("\0", "\ufffd")))


def _shortened(text: str) -> str:
    """`text`, cut where a cell could not hold it with the quote that `spreadsheet_cell` may add."""
    encoded = text.encode("utf-16-le")
    room = 2 * (LONGEST_CELL - 1)
    if len(encoded) <= room:
        return text
    return encoded[: room - 2 * len(_CUT)].decode("utf-16-le", "ignore") + _CUT

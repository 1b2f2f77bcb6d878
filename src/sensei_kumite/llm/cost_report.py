"""The CSV file of a run's model calls: a row is appended as each call ends, and nothing is read again.

Rows end in CRLF (RFC 4180) and cells hold none, so half a row of a killed process is found and dropped.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import IO

from sensei_kumite.errors import EnvironmentProblem, short_path
from sensei_kumite.text import excerpt, replace_surrogates, spreadsheet_cell

COLUMNS = (
    "Conversation",
    "Test Name",
    "Module",
    "Model",
    "Total Cost",
    "Timestamp",
    "Input Cost",
    "Input Message",
    "Output Cost",
    "Output Message",
)
_TOTAL = COLUMNS.index("Total Cost")
_END = b"\r\n"
# Costs stand before the messages: what the csv module would refuse as too long need not be read.
_CHARACTERS_READ = 100_000


def cost_report_path(output: Path, serial: str) -> Path:
    """Where the file of the run `serial` lies below the output folder."""
    return output / "reports" / "__cost_reports__" / f"cost_report_{serial}.csv"


class CostReport:
    """Appends rows to `path`; a file that is there is continued.

    `calls` and `spent` (USD) are what it held when it was opened. Raises EnvironmentProblem where the file
    cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.calls = 0
        self.spent = Decimal(0)
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = path.open("a+b")
        except OSError as error:
            raise self._problem(error) from None
        try:
            self._continue()
        except OSError as error:
            self.close()
            raise self._problem(error) from None
        except BaseException:
            self.close()
            raise

    def append(self, cells: Sequence[str]) -> None:
        """Add a row, on disk when this returns; raises EnvironmentProblem."""
        try:
            self._stream.write(_row(cells))
            self._stream.flush()
        except OSError as error:
            raise self._problem(error) from None

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # of a row that the disk did not take, and `append` has said so
            self._stream.close()

    def _continue(self) -> None:
        """Add up the rows that are there, cut off half a row, begin an empty file with the header."""
        self._stream.seek(0)
        header, end = _row(COLUMNS), 0
        for row in _whole_rows(self._stream):
            if end == 0 and row != header:
                raise self._foreign()
            if end:
                self.calls += 1
                self.spent += self._total(row)
            end += len(row)
        self._stream.seek(0)
        if end == 0 and not header.startswith(self._stream.read(len(header))):
            raise self._foreign()
        self._stream.truncate(end)
        if end == 0:
            self.append(COLUMNS)

    def _total(self, row: bytes) -> Decimal:
        text = row.decode("utf-8", "replace")[:_CHARACTERS_READ]
        try:
            total = next(csv.reader([text]))[_TOTAL]
            return Decimal(total or 0)
        except (IndexError, InvalidOperation, csv.Error):
            raise self._foreign() from None

    def _foreign(self) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"The cost report {short_path(self._path)} is not as it was written, so what the run has spent "
            "is not known.",
            hint="Restore it, or move it away to count from zero.",
        )

    def _problem(self, error: OSError) -> EnvironmentProblem:
        reason = error.strerror or excerpt(str(error))
        return EnvironmentProblem(f"The cost report {short_path(self._path)} cannot be written: {reason}.")


def _row(cells: Sequence[str]) -> bytes:
    """The cells as one line of CSV, none of them a formula for a spreadsheet."""
    line = io.StringIO(newline="")
    csv.writer(line).writerow([_cell(cell) for cell in cells])
    return line.getvalue().encode()


def _cell(text: str) -> str:
    return spreadsheet_cell(replace_surrogates(text).replace("\r\n", "\n").replace("\r", "\n"))


def _whole_rows(stream: IO[bytes]) -> Iterator[bytes]:
    """The rows that are complete, with their ends."""
    row = b""
    for line in stream:
        row += line
        if row.endswith(_END):
            yield row
            row = b""

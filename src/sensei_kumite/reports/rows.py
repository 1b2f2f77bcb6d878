"""The journal of a run, read back: its results as rows in plan order, without holding them."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.text import replace_surrogates

# Escaped in either case, or encoded as if they were characters; a cheap first look, for others begin so too.
_SIGNS_OF_SURROGATES = (b"\\ud", b"\\uD", b"\xed")
# Both places of a row in one number, which takes less memory than a pair of them.
_MOST_PARTS = 1 << 32


class ResultRows:
    """The rows of a `results.jsonl`, ordered by their `index` in the plan; iterable any number of times.

    A case that was searched has several rows with its index, in the order of their `part` (0 where a row
    has none). Only the position of each line is kept (8 bytes a row). A last line that was torn by a crash
    is ignored; of two lines with one index and part the later counts. Lone surrogates, which no report can
    hold, are replaced by U+FFFD and the row's metadata says `surrogates_replaced: true`.
    Raises EnvironmentProblem where the file cannot be read or an earlier line is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with _open(path) as journal:
            self._offsets = _offsets_in_plan_order(journal, path)

    def __len__(self) -> int:
        return len(self._offsets)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with _open(self.path) as journal:
            for offset in self._offsets:
                journal.seek(offset)
                yield _row(journal.readline())


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise EnvironmentProblem(f"The results {path} cannot be read: {error.strerror}.") from None


def _offsets_in_plan_order(journal: BinaryIO, path: Path) -> array[int]:
    offsets: dict[int, int] = {}
    offset, damaged = 0, 0
    for number, line in enumerate(journal, start=1):
        if damaged:
            raise EnvironmentProblem(
                f"{path}:{damaged}: this line is not a result.",
                hint="Remove the line; the other results are untouched.",
            )
        place = _place(line)
        if place is None:
            damaged = number
        else:
            offsets[place] = offset
        offset += len(line)
    return array("q", (offsets[place] for place in sorted(offsets)))


def _place(line: bytes) -> int | None:
    """Where the result on `line` belongs, as a number to sort by; None where the line holds no whole one."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    if not isinstance(row, dict):
        return None
    index, part = row.get("index"), row.get("part", 0)
    if not isinstance(index, int) or not isinstance(part, int) or not 0 <= part < _MOST_PARTS:
        return None
    return index * _MOST_PARTS + part


def _row(line: bytes) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(line)
    if not any(sign in line for sign in _SIGNS_OF_SURROGATES):
        return row
    cleaned: dict[str, Any] = _without_surrogates(row)
    if cleaned != row:
        cleaned["metadata"] = {**cleaned.get("metadata", {}), "surrogates_replaced": True}
    return cleaned


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {replace_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value

"""A whole file of entries looked through once: how many there are, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sensei_kumite.attacks.entries.entry import Entry, EntryReader
from sensei_kumite.attacks.entries.records import Record, read_records
from sensei_kumite.attacks.entries.where import Where
from sensei_kumite.errors import ConfigurationError, Place, Problem

SHOWN = 20
"""Of how many problems of a file each is told."""


@dataclass(frozen=True, slots=True)
class Survey:
    """`count` entries, and their problems, or the first of them and how many more there are; `has_turns` says
    whether any entry is a list of turns."""

    count: int
    problems: tuple[Problem, ...]
    has_turns: bool = False


def read_entries(path: Path, reader: EntryReader) -> Iterator[Entry]:
    """The sound entries of the file, one at a time."""
    for record in read_records(path):
        if isinstance(record, Record):
            entry, _ = reader.read(record)
            if entry is not None:
                yield entry


def survey(path: Path, reader: EntryReader) -> Survey:
    """Look through the file; of what it holds, no more is kept than the ids."""
    count = hidden = 0
    has_turns = False
    shown: list[Problem] = []
    first_hidden: Place | None = None
    for found in _checked(path, reader):
        if isinstance(found, Entry):
            count += 1
            has_turns = has_turns or found.is_talk
        elif len(shown) < SHOWN:
            shown.append(found)
        else:
            hidden += 1
            first_hidden = first_hidden or found.place
    if hidden:
        shown.append(Problem(f"and {hidden} more {'problem' if hidden == 1 else 'problems'}.", first_hidden))
    if not count and not shown:
        shown.append(Problem("this file holds no entry.", Place(path)))
    return Survey(count, tuple(shown), has_turns)


def _checked(path: Path, reader: EntryReader) -> Iterator[Entry | Problem]:
    lines: dict[str, int | None] = {}
    try:
        for record in read_records(path):
            if isinstance(record, Problem):
                yield record
                continue
            entry, problems = reader.read(record)
            yield from problems
            if entry is None:
                continue
            where = Where(record)
            if entry.case_id in lines:
                message = f"{entry.case_id!r} is the id of the entry in line {lines[entry.case_id]}, too."
                yield where.problem(message, "id")
            else:
                lines[entry.case_id] = where.place().line
            yield entry
    except ConfigurationError as error:
        yield from error.problems

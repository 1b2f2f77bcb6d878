"""Going on with a run that did not finish: what changed since, what is done, and what remains."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sensei_kumite.engine.journal import JsonLines, read_plan
from sensei_kumite.text import excerpt
from sensei_kumite.yaml_scalars import plain

SHOWN_CHANGES = 12


def changes(before: Any, after: Any) -> list[str]:
    """How two campaigns differ, a line for each value: `execution > attempts: 2, now 3`."""
    old, new = dict(_values(before)), dict(_values(after))
    lines: list[str] = []
    for path in sorted({*old, *new}):
        if old.get(path, _ABSENT) != new.get(path, _ABSENT):
            lines.append(f"{path or 'everything'}: {_shown(old, path)}, now {_shown(new, path)}")
    more = len(lines) - SHOWN_CHANGES
    return lines[:SHOWN_CHANGES] + ([f"and {more} more"] if more > 0 else [])


_ABSENT = object()


def _shown(values: dict[str, Any], path: str) -> str:
    return excerpt(json.dumps(values[path], ensure_ascii=False), 60) if path in values else "nothing"


def _values(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar with its path; an empty mapping or list counts as one."""
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _values(value, f"{path} > {key}" if path else str(key))
    elif isinstance(data, list) and data:
        for number, value in enumerate(data, 1):
            yield from _values(value, f"{path}[{number}]")
    else:
        yield path, plain(data)


def adopt_results(plan: Path, results: Path) -> int:
    """Move results to the places that their cases have in a new plan; how many had to be dropped.

    Cases are known by entry, case id and attempt. A result of a case that is planned no more is dropped.
    Doing it again changes nothing.
    """
    if not results.exists():
        return 0
    places = {(case.entry, case.case_id, case.attempt): index for index, case in read_plan(plan)}
    moved = results.with_suffix(".moved")
    moved.unlink(missing_ok=True)
    dropped = 0
    with results.open(encoding="ascii") as lines, JsonLines(moved) as journal:
        for line in lines:
            row = json.loads(line)
            place = places.get((row["entry"], _case_id(row), row["attempt"]))
            if place is None:
                dropped += 1
            else:
                journal.write({**row, "index": place})
    moved.replace(results)
    return dropped


def _case_id(row: dict[str, Any]) -> str:
    """The planned case that a row belongs to: that of a search is named after it."""
    return str(row["metadata"].get("attack_parent_id", row["case_id"]))

"""Which report formats there are beside the two that every run writes, and where their files stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sensei_kumite.errors import UnknownName
from sensei_kumite.reports.csv import write_csv
from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.html import write_html
from sensei_kumite.reports.jsonl import write_jsonl
from sensei_kumite.reports.markdown import write_markdown
from sensei_kumite.text import did_you_mean


class Format(NamedTuple):
    """How a format is written, to a file of its own; rows are iterated more than once."""

    extension: str
    write: Callable[[Path, Iterable[Mapping[str, Any]], RunInfo], None]


FORMATS: Mapping[str, Format] = {
    "html": Format("html", write_html),
    "csv": Format("csv", write_csv),
    "jsonl": Format("jsonl", write_jsonl),
    "markdown": Format("md", write_markdown),
}


def parse_formats(text: str) -> list[str]:
    """The formats named in `text`, between commas, each once; raises UnknownName, also for none."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names or [""]:
        if name not in FORMATS:
            raise UnknownName(
                f"Unknown report format {name!r}.{did_you_mean(name, FORMATS)}",
                hint=f"Valid: {', '.join(FORMATS)}.",
            )
    return names


def write_formats(
    formats: Iterable[str], suite: Path, rows: Iterable[Mapping[str, Any]], info: RunInfo
) -> list[Path]:
    """Write the run in each of `formats` beside its suite report; returns the files in that order.

    `rows` must be iterable more than once. Raises EnvironmentProblem.
    """
    written = []
    for name in dict.fromkeys(formats):
        path = suite.with_suffix(f".{FORMATS[name].extension}")
        FORMATS[name].write(path, rows, info)
        written.append(path)
    return written

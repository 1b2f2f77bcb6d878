"""A report on its way to disk: complete, or not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.files import write_atomically


@contextmanager
def report_file(path: Path) -> Iterator[IO[str]]:
    """Write the report at `path` as UTF-8, all or nothing; raises EnvironmentProblem naming the file."""
    try:
        with write_atomically(path) as stream:
            yield stream
    except OSError as error:
        raise EnvironmentProblem(f"The report {path} cannot be written: {error.strerror}.") from None

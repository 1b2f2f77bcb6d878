"""The folder of one run: taking it for a new one, finding an unfinished one, and keeping others out of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from sensei_kumite.errors import EnvironmentProblem, KumiteError
from sensei_kumite.files import file_name, write_atomically

_REPORTS = "security_reports"
# Where all campaigns of a project write: made early, so that a run does not end with them in the way.
_SHARED = (f"{_REPORTS}/__summary_reports__", "reports/__cost_reports__")
_RUN_FILE = "run.json"


@dataclass(frozen=True, slots=True)
class RunState:
    """What resuming a run takes. `planned` is the number of its cases, None while the plan is being written;
    `campaign` the security.yml as it was; `only` the entries it was limited to; `dynamic` the search that was
    asked for on the command line; `started` ISO 8601 in UTC."""

    seed: int
    started: str
    campaign: Mapping[str, Any]
    only: tuple[str, ...] = ()
    offline: bool = False
    dynamic: Mapping[str, Any] = field(default_factory=dict)
    planned: int | None = None
    finished: bool = False
    schema: int = field(default=1, kw_only=True)


class RunFolder:
    """`output/security_reports/<name>/<serial>/`, taken for one run and no other."""

    def __init__(self, output: Path, name: str, serial: str) -> None:
        self.output = output
        self.serial = serial
        self.path = output / _REPORTS / file_name(name) / serial

    @classmethod
    def take(cls, output: Path, name: str, now: datetime) -> RunFolder:
        """Create the folder of a new run; its serial is unique among all campaigns of `output`.

        Raises EnvironmentProblem where nothing can be written there.
        """
        serial = f"{now:%Y-%m-%d-%H-%M-%S}"
        for count in range(1, 10_000):
            folder = cls(output, name, serial if count == 1 else f"{serial}-{count}")
            if folder._claim():
                return folder
        raise EnvironmentProblem(f"No free serial {serial}-N is left in {output}.")

    @property
    def plan(self) -> Path:
        """One line per planned case."""
        return self.path / "plan.jsonl"

    @property
    def results(self) -> Path:
        """One line per finished case, in order of completion."""
        return self.path / "results.jsonl"

    @property
    def replanned(self) -> Path:
        """There while a changed campaign is planned anew and its results have not found their places."""
        return self.path / "replanned"

    @classmethod
    def find(cls, output: Path, name: str, serial: str | None) -> tuple[RunFolder, RunState]:
        """The run of that serial, or the latest unfinished one; raises KumiteError where there is none."""
        runs = output / _REPORTS / file_name(name)
        found = [path.parent.name for path in sorted(runs.glob(f"*/{_RUN_FILE}"))]
        if serial is not None and serial not in found:
            known = f"There are: {', '.join(found)}." if found else f"There are no runs in {runs}."
            raise KumiteError(f"There is no run {serial!r} of the campaign {name!r}.", hint=known)
        for candidate in [serial] if serial is not None else reversed(found):
            folder = cls(output, name, str(candidate))
            state = folder.state()
            if serial is not None and state.finished:
                raise KumiteError(f"The run {serial} is finished; there is nothing to resume.")
            if not state.finished:
                return folder, state
        raise KumiteError(
            f"No unfinished run of the campaign {name!r} was found in {runs}.",
            hint="Start one without --resume.",
        )

    def state(self) -> RunState:
        """What the run says of itself; raises EnvironmentProblem where that cannot be read."""
        path = self.path / _RUN_FILE
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return RunState(**{**data, "only": tuple(data["only"])})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise EnvironmentProblem(f"{path} cannot be read: {error}.") from None

    def save(self, state: RunState) -> RunState:
        """Write `state` whole; returns it."""
        try:
            with write_atomically(self.path / _RUN_FILE) as stream:
                json.dump(asdict(state), stream, indent=1)
        except OSError as error:
            raise self._unwritable(error) from None
        return state

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes off the run while this one lives; raises KumiteError where one is on it."""
        try:
            stream = (self.path / "run.lock").open("a")
        except OSError as error:
            raise self._unwritable(error) from None
        with stream:
            if not _lock(stream):
                raise KumiteError(
                    f"Another process is working on the run {self.serial}.",
                    hint="Wait for it to end, or end it.",
                )
            yield

    def _claim(self) -> bool:
        """Make the folder; give it up again if any other run has the same serial."""
        folder = self.output
        try:
            # For its owner alone: replies may hold what should not have leaked. Once opened, it stays open.
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in (self.path.parent, *(self.output / shared for shared in _SHARED)):
                folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise EnvironmentProblem(f"{folder} is a file where a folder belongs.") from None
        except NotADirectoryError:
            raise EnvironmentProblem(f"{folder} lies below a file where a folder belongs.") from None
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            self.path.mkdir()
        except FileExistsError:
            return False
        except OSError as error:
            raise self._unwritable(error) from None
        if len(list((self.output / _REPORTS).glob(f"*/{self.serial}"))) > 1:
            self.path.rmdir()
            return False
        return True

    def _unwritable(self, error: OSError) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"Nothing can be written to {self.output}: {error.strerror}.",
            hint="Make the folder writable, or choose another project folder.",
        )


def keep_within(folder: Path, output: Path, name: str) -> None:
    """Check that no link leads what the campaign `name` writes below `output` out of `folder`.

    Raises EnvironmentProblem naming the link.
    """
    runs = output / _REPORTS / file_name(name)
    shared = (output / path for path in _SHARED)
    for path in (runs, *shared, *runs.glob("*"), *runs.glob("*/*")):
        if not path.resolve().is_relative_to(folder.resolve()):
            raise EnvironmentProblem(f"{path} leads out of the workspace, which --safe forbids.")


def _lock(stream: IO[str]) -> bool:
    """Whether this process now holds the file. The system lets go of it when the process ends, however."""
    try:
        import fcntl
    except ImportError:  # Windows
        return _lock_on_windows(stream)
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_on_windows(stream: IO[str]) -> bool:
    import importlib

    msvcrt: Any = importlib.import_module("msvcrt")
    try:
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True

"""Everything the program understands as going wrong, as one exception tree.

    KumiteError                  one short paragraph, a hint, an exit code; never a traceback
    ├── ConfigurationError       all problems of a configuration, each with its place
    ├── UnknownName              a name no registry holds, with the closest one that it does
    ├── EnvironmentProblem       the machine is in the way: disk, permissions, a missing package
    ├── TargetError              the target could not be made to answer
    │   ├── TargetTimeout        no answer within the time allowed
    │   ├── TargetUnavailable    refused, unresolvable, reset
    │   ├── TargetRejected       it answered with an error status, or refused our credentials
    │   └── TargetProtocolError  it answered, but not with text
    ├── ModelError               a language model gave no usable answer
    ├── BudgetReached            no further model call may start: the run has spent its budget
    └── OracleError              a response could not be scored
        └── PatternTimeout       a pattern backtracked past its time limit

Anything that is not a `KumiteError` is a bug of ours and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

EXIT_OK = 0
EXIT_PROBLEM = 1
EXIT_USAGE = 2
EXIT_FAILED_GATE = 3
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands; `line` and `column` count from 1, None where unknown.

    As text, a file below the current folder is named from there.
    """

    file: Path
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = (short_path(self.file), self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a configuration, as a line the user can act on.

    `key` names the setting where whoever found it knows no file, so that somebody else can say its place.
    """

    message: str
    place: Place | None = None
    hint: str | None = None
    severity: Literal["error", "warning"] = "error"
    key: str = ""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        kind = "warning: " if self.severity == "warning" else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{where}{kind}{self.message}{hint}"

    def at(self, place: Place) -> Problem:
        """The same problem, standing at `place` unless it has a place already."""
        return self if self.place else replace(self, place=place)

    def sort_key(self) -> tuple[str, int, int]:
        """Order by place: file, then line, then column; problems without a place come first."""
        if self.place is None:
            return ("", 0, 0)
        return (str(self.place.file), self.place.line or 0, self.place.column or 0)


def short_path(path: Path) -> str:
    """`path` from the current folder where it lies below it, else as it is."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (OSError, ValueError):  # the current folder is gone; the path lies elsewhere
        return str(path)


class KumiteError(Exception):
    """A failure we understood: its text is what the user reads."""

    exit_code = EXIT_PROBLEM

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class ConfigurationError(KumiteError):
    """All problems found in a configuration, sorted by place."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = sorted(problems, key=Problem.sort_key)
        super().__init__("\n".join(str(problem) for problem in self.problems))
        self.args = (self.problems,)  # what copying and pickling hand back to __init__


class UnknownName(KumiteError):
    """A name that is not registered."""


class EnvironmentProblem(KumiteError):
    """The machine stands in the way: disk, permissions, a missing package."""


class TargetError(KumiteError):
    """The target could not be made to answer.

    `transient` says whether trying again may help; `retry_after` is the wait in seconds that the
    target asked for; `status` the HTTP status where there was one.
    """

    transient = False

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        transient: bool | None = None,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.transient = type(self).transient if transient is None else transient
        self.retry_after = retry_after
        self.status = status


class TargetTimeout(TargetError):
    """No answer within the time allowed."""

    transient = True


class TargetUnavailable(TargetError):
    """Connection refused, reset, or an address that does not resolve."""

    transient = True


class TargetRejected(TargetError):
    """The target answered with an error status, or refused the credentials."""


class TargetProtocolError(TargetError):
    """The target answered, but not with text we can score."""


class ModelError(KumiteError):
    """A language model gave no usable answer, after the retries of its client.

    `transient` says whether asking again later may help; `status` is the HTTP status where there was one.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        transient: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.transient = transient
        self.status = status


class BudgetReached(KumiteError):
    """The run has spent what `execution.max_cost` allows. No ModelError: there is no fallback for it."""


class OracleError(KumiteError):
    """A response could not be scored; the result becomes `error`, never a verdict."""


class PatternTimeout(OracleError):
    """A pattern ran past its time limit on a response."""

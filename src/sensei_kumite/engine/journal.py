"""The files a run writes as it goes: plan.jsonl before it starts, results.jsonl a line per finished case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.files import file_name
from sensei_kumite.models import Case, OracleSpec, Result
from sensei_kumite.text import redact

SCHEMA = 1
_REPORTS = "security_reports"
# Where all campaigns of a project write: made early, so that a run does not end with them in the way.
_SHARED = (f"{_REPORTS}/__summary_reports__", "reports/__cost_reports__")


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

    def _claim(self) -> bool:
        """Make the folder; give it up again if any other run has the same serial."""
        try:
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


class JsonLines:
    """Appends JSON objects to a file, each flushed as it is written, with `secrets` blanked."""

    def __init__(self, path: Path, secrets: Iterable[str] = ()) -> None:
        self._path = path
        self._secrets = [json.dumps(secret)[1:-1] for secret in secrets]
        self._stream = path.open("a", encoding="ascii", newline="\n")

    def write(self, row: Mapping[str, Any]) -> None:
        """Append one line; raises EnvironmentProblem when the disk does not take it."""
        try:
            line = json.dumps(row, separators=(",", ":"))
            self._stream.write(redact(line, self._secrets) + "\n" if self._secrets else line + "\n")
            self._stream.flush()
        except OSError as error:
            raise EnvironmentProblem(f"{self._path} could not be written: {error.strerror}.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def write_plan(path: Path, cases: Iterable[Case], secrets: Iterable[str] = ()) -> int:
    """Write every case as planned; returns how many there are."""
    count = 0
    with JsonLines(path, secrets) as lines:
        for case in cases:
            lines.write(case_to_row(case))
            count += 1
    return count


def read_plan(path: Path) -> Iterator[tuple[int, Case]]:
    """The planned cases with their place in the plan, one at a time."""
    with path.open(encoding="ascii") as lines:
        for index, line in enumerate(lines):
            yield index, case_from_row(json.loads(line))


def case_to_row(case: Case) -> dict[str, Any]:
    """A case as a JSON object."""
    row = {
        "schema": SCHEMA,
        "entry": case.entry,
        "attack": case.attack,
        "case_id": case.case_id,
        "attempt": case.attempt,
        "prompt": case.prompt,
        "oracle": {"type": case.oracle.type, "params": dict(case.oracle.params)},
        "metadata": dict(case.metadata),
    }
    return row | ({"skip_reason": case.skip_reason} if case.skip_reason else {})


def case_from_row(row: Mapping[str, Any]) -> Case:
    """The case that `case_to_row` wrote."""
    oracle = OracleSpec(row["oracle"]["type"], row["oracle"]["params"])
    return Case(
        row["entry"],
        row["attack"],
        row["case_id"],
        row["attempt"],
        row["prompt"],
        oracle,
        row["metadata"],
        row.get("skip_reason", ""),
    )


def result_to_row(index: int, result: Result) -> dict[str, Any]:
    """A result as a JSON object; `index` is its place in the plan."""
    row = case_to_row(result.case)
    row |= {
        "index": index,
        "status": result.status.value,
        "response": result.response,
        "reason": result.reason,
        "metadata": dict(result.metadata),
        "errors": list(result.errors),
        "conversation": _conversation(result),
    }
    if result.verdict is not None:
        row["oracle"] |= {"passed": result.verdict.passed, "evidence": dict(result.verdict.evidence)}
    return row


def _conversation(result: Result) -> list[dict[str, str]]:
    if result.transcript is None:
        return [{"User": result.case.prompt}]
    final = result.transcript.attack
    turns = [*result.transcript.pre_attack, *([final] if final else [])]
    return [
        {"User": turn.user} | ({} if turn.assistant is None else {"Assistant": turn.assistant})
        for turn in turns
    ]

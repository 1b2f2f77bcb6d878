"""The files a run writes as it goes: plan.jsonl before it starts, results.jsonl a line per finished case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.models import Case, OracleSpec, Result
from sensei_kumite.text import redact

SCHEMA = 1


class JsonLines:
    """Appends JSON objects to a file, flushed one by one, with `secrets` blanked. Shared by threads."""

    def __init__(self, path: Path, secrets: Iterable[str] = ()) -> None:
        self._path = path
        self._secrets = [json.dumps(secret)[1:-1] for secret in secrets]
        self._lock = Lock()
        try:
            self._stream = path.open("a", encoding="ascii", newline="\n")
        except OSError as error:
            raise self._problem(error) from None

    def write(self, *rows: Mapping[str, Any]) -> None:
        """Append a line for each row, all at once; raises EnvironmentProblem when the disk takes no more."""
        lines = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        if self._secrets:
            lines = redact(lines, self._secrets)
        try:
            with self._lock:
                self._stream.write(lines)
                self._stream.flush()
        except OSError as error:
            raise self._problem(error) from None

    def _problem(self, error: OSError) -> EnvironmentProblem:
        return EnvironmentProblem(f"{self._path} could not be written: {error.strerror}.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # of a line that the disk did not take, and `write` has said so
            self._stream.close()


def mend(path: Path) -> int:
    """Cut off a last line that was not written to its end; how many lines are left, 0 without a file."""
    if not path.exists():
        return 0
    lines = whole = 0
    with path.open("r+b") as stream:
        for line in stream:
            if not line.endswith(b"\n"):
                break
            lines, whole = lines + 1, whole + len(line)
        stream.truncate(whole)
    return lines


def finished_cases(path: Path, planned: int) -> bytearray:
    """A flag for each planned case: 1 where the journal at `path` has all its results."""
    flags = bytearray(planned)
    if path.exists():
        with path.open(encoding="ascii") as lines:
            for line in lines:
                row = json.loads(line)
                if row["index"] < planned and is_last(row):
                    flags[row["index"]] = 1
    return flags


def is_last(row: Mapping[str, Any]) -> bool:
    """Whether a row completes its case: what a dynamic attack found is several rows, written together."""
    return bool(row.get("metadata", {}).get("entry_complete", True))


def drop_incomplete(path: Path) -> int:
    """Take out the rows of cases whose last one is missing; how many cases those were, 0 without a file."""
    if not path.exists():
        return 0
    complete: set[int] = set()
    incomplete: set[int] = set()
    with path.open(encoding="ascii") as lines:
        for row in map(json.loads, lines):
            (complete if is_last(row) else incomplete).add(row["index"])
    incomplete -= complete
    if incomplete:
        kept = path.with_suffix(".kept")
        kept.unlink(missing_ok=True)
        with path.open(encoding="ascii") as lines, JsonLines(kept) as journal:
            for row in map(json.loads, lines):
                if row["index"] not in incomplete:
                    journal.write(row)
        kept.replace(path)
    return len(incomplete)


def write_plan(path: Path, cases: Iterable[Case]) -> int:
    """Write every case as planned, which is how it is run; returns how many there are."""
    count = 0
    with JsonLines(path) as lines:
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


def result_rows(index: int, result: Result) -> list[dict[str, Any]]:
    """A result and those of its search as JSON objects; `index` is the place of the case in the plan."""
    rows = [result_to_row(index, each) for each in (result, *result.search)]
    return [row | ({"part": part} if part else {}) for part, row in enumerate(rows)]


def result_to_row(index: int, result: Result) -> dict[str, Any]:
    """One result as a JSON object, without those of its search."""
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

"""An entry as messages name it: its number, its id, and the line where it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sensei_kumite.attacks.entries.judges import CANARY, REGEX
from sensei_kumite.attacks.entries.records import Record
from sensei_kumite.errors import Place, Problem
from sensei_kumite.text import did_you_mean, excerpt
from sensei_kumite.yaml_scalars import as_typed


@dataclass(frozen=True, slots=True)
class Where:
    """Where problems of an entry stand."""

    record: Record

    @property
    def label(self) -> str:
        """Its number, and its id where it has one."""
        given = self.record.value.get("id")
        named = f" ({excerpt(str(as_typed(given)), 60)})" if isinstance(given, (str, int, float)) else ""
        return f"entry {self.record.number}{named}"

    def place(self, *keys: str) -> Place:
        """The line of the first of `keys` that is written, else that of the entry."""
        written = [key for key in keys if key in self.record.value]
        return self.record.document.place((*self.record.path, *written[:1]))

    def problem(self, message: str, *keys: str, hint: str | None = None) -> Problem:
        """Something wrong with the value of the first of `keys`, or with the entry as a whole."""
        step = f" > {keys[0]}" if keys else ""
        return Problem(f"{self.label}{step}: {message}", self.place(*keys), hint)

    def of_oracle(self, problem: Problem, key: str, *, is_ours: bool) -> Problem:
        """A problem of an oracle as one of `key`, of which it was made; `is_ours` where its parameters are
        what the entry says."""
        message = problem.message.removeprefix(" > ").removeprefix("params")
        if not is_ours:
            message = f": {message.partition(': ')[2]}"
        return replace(problem, message=f"{self.label} > {key}{message}", place=self.place(key, "judge_name"))

    def unknown_judge(self, problem: Problem) -> Problem:
        """That an oracle is unknown, as a problem of the judge of that name."""
        name = str(self.record.value.get("judge_name"))
        close = did_you_mean(name, (CANARY, REGEX)) or problem.message.partition(".")[2]
        hint = (problem.hint or "").replace("Valid: ", f"Valid: {CANARY}, {REGEX}, and our oracles ")
        return self.problem(f"there is no judge {name!r}.{close}", "judge_name", hint=hint)

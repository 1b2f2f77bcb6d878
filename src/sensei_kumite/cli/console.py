"""What the terminal shows: progress on stderr, the result on stdout. Text of targets is never markup."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sensei_kumite.engine.estimate import Estimate, assumptions, total
from sensei_kumite.errors import Problem
from sensei_kumite.models import CaseFinished, Event, Result, RunStarted, Status
from sensei_kumite.reports.outcomes import CaseOutcome, found_by
from sensei_kumite.reports.reading import cost_of
from sensei_kumite.reports.statistics import AttackTally, CampaignTally
from sensei_kumite.text import excerpt, redact, visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_EXCERPT = 120
_PLAIN_INTERVAL = 10.0


def say(text: str) -> None:
    """A line on stderr: notices, problems, progress."""
    print(visible_lines(text), file=sys.stderr)


def visible_lines(text: str) -> str:
    """`text` with its line breaks, and everything else that acts on a terminal made visible."""
    return "\n".join(visible(line) for line in text.split("\n"))


class _Redacting(logging.Formatter):
    """Writes log records of other libraries without secrets, and without anything that acts on a terminal."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return visible_lines(redact(super().format(record), self._secrets))


def log_to_stderr(secrets: Iterable[str]) -> None:
    """Show what libraries log, for `--verbose`; `secrets` are blanked."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Redacting(secrets))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def show_problems(problems: Iterable[Problem]) -> None:
    """Each problem on a line of its own on stderr."""
    for problem in sorted(problems, key=Problem.sort_key):
        say(str(problem))


@contextmanager
def progress(enabled: bool) -> Iterator[ProgressView]:
    """A view that shows events as they come: a bar on a terminal, else a line now and then."""
    if not enabled:
        yield ProgressView()
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield BarView(bar)
    else:
        yield LinesView()


class ProgressView:
    """Shows nothing."""

    def show(self, event: Event) -> None:
        """Take note of one event."""

    def searched(self, done: int, expected: int) -> None:
        """Dynamic attacks did `done` more iterations, and expect `expected` more, or fewer. For threads."""


class LinesView(ProgressView):
    """Plain lines, at most one in ten seconds and one at the end: for logs."""

    def __init__(self) -> None:
        self._total = self._done = self._breached = self._errors = 0
        self._last = time.monotonic()

    def show(self, event: Event) -> None:
        """Count the event and print a line when it is time."""
        if isinstance(event, RunStarted):
            self._total = event.total
            say(f"{_count(event.total, 'case')} on {_count(event.lanes, 'lane')}")
        elif isinstance(event, CaseFinished):
            self._done += 1
            status = _outcome(event.result)
            self._breached += status is Status.BREACHED
            self._errors += status is Status.ERROR
            if self._done == self._total or time.monotonic() - self._last >= _PLAIN_INTERVAL:
                self._last = time.monotonic()
                say(f"{self._done}/{self._total} cases, {self._breached} breached, {self._errors} errors")


def _outcome(result: Result) -> Status:
    """What becomes of a case with its search, as the reports count it."""
    searched = [each for each in (result, *result.search) if "attack_parent_id" in each.metadata]
    statuses = [each.status for each in searched or (result,)]
    order = (Status.BREACHED, Status.RESILIENT, Status.ERROR)
    return next((status for status in order if status in statuses), result.status)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


class BarView(ProgressView):
    """A bar with the time left."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task: TaskID | None = None
        self._search = bar.add_task("dynamic attacks", total=0, visible=False)
        self._expected = 0
        self._lock = threading.Lock()

    def show(self, event: Event) -> None:
        """Move the bar."""
        if isinstance(event, RunStarted):
            self._task = self._bar.add_task("cases", total=event.total)
        elif isinstance(event, CaseFinished) and self._task is not None:
            self._bar.advance(self._task)

    def searched(self, done: int, expected: int) -> None:
        """Move the bar of the searches, which is there once there is one."""
        with self._lock:
            self._expected += expected
            self._bar.update(self._search, advance=done, total=self._expected, visible=True)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        refresh_per_second=4,
    )


class Outcome:
    """Collects what the end of a run shows: the tally, and per attack its seconds, first breach and error."""

    def __init__(self) -> None:
        self.tally = CampaignTally()
        self.seconds: dict[str, float] = {}
        self.costs: dict[str, float] = {}
        self.breaches: dict[tuple[str, str], tuple[str, str]] = {}  # by attack and search
        self.errors: dict[str, tuple[str, str]] = {}

    def add(self, case: CaseOutcome) -> None:
        """Count what became of one case."""
        row = case.decisive
        self.tally.add(row)
        attack, metadata = str(row["attack"]), row["metadata"]
        seconds = sum(map(_seconds, case.rows))
        self.seconds[attack] = self.seconds.get(attack, 0.0) + seconds
        self.costs[attack] = self.costs.get(attack, 0.0) + sum(map(cost_of, case.rows))
        name = f"{attack} {row['case_id']}"
        if row["status"] == Status.BREACHED:
            finder = found_by(case)
            notes = ["potential"] if metadata.get("weight") == "Potential" else []
            notes += [finder.told()] if finder else []
            hint = f" ({', '.join(notes)})" if notes else ""
            self.breaches.setdefault(
                (attack, finder.attack if finder else ""),
                (name + hint, excerpt(str(row["response"]), _EXCERPT)),
            )
        elif row["status"] == Status.ERROR:
            messages = [str(message) for error in row["errors"] for message in error.values()]
            text = messages[0] if messages else row["reason"]
            self.errors.setdefault(attack, (name, excerpt(text, _EXCERPT)))


def _seconds(row: Mapping[str, Any]) -> float:
    """What the target took; the row of a whole search has the times of all its answers."""
    metadata = row["metadata"]
    attack = metadata.get("search_response_times", [metadata.get("attack_response_time") or 0.0])
    return float((metadata.get("pre_attack_time") or 0.0) + sum(attack))


def show_outcome(outcome: Outcome, reports: Iterable[Path]) -> None:
    """The table of a finished run, its first breaches, and where the reports are."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("attack", overflow="fold")
    for title in ("attempts", "breached", "rate (95 % interval)", "errors", "cost $", "time s"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, tally in outcome.tally.attacks.items():
        table.add_row(Text(visible(name)), *_cells(tally, outcome.seconds[name], outcome.costs[name]))
    table.add_section()
    table.add_row(
        "total", *_cells(outcome.tally.total, sum(outcome.seconds.values()), sum(outcome.costs.values()))
    )
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(table)
    for status, shown, count in (
        ("breached", outcome.breaches, outcome.tally.total.breached),
        ("error", outcome.errors, outcome.tally.total.errors),
    ):
        for name, text in shown.values():
            console.print(Text.assemble(f"{status} ", (visible(name), "bold"), ": ", text), soft_wrap=True)
        if count > len(shown):
            console.print(Text(f"{status}: {count - len(shown)} more, all in the report"))
    for path in reports:
        print(f"Report: {visible(str(path))}")


def show_estimates(estimates: Sequence[Estimate]) -> None:
    """The table of what a run would do, and what its ranges rest on."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("attack", overflow="fold")
    for title in ("cases", "target calls", "model calls", "tokens", "cost $", "minutes"):
        table.add_column(title, justify="right", no_wrap=True)
    for each in estimates:
        table.add_row(Text(visible(each.attack)), *_estimate_cells(each))
    whole = total(estimates)
    table.add_section()
    table.add_row("total", *_estimate_cells(whole))
    Console(highlight=False, width=None if sys.stdout.isatty() else 120).print(table)
    for sentence in assumptions():
        print(sentence)
    if whole.unpriced:
        print(f"No price is known for {', '.join(sorted(whole.unpriced))}: costs are lower bounds.")


def _estimate_cells(each: Estimate) -> list[str]:
    minutes = each.seconds.times(1 / 60, 1 / 60)
    counts = [each.target_calls, each.model_calls, each.tokens]
    ranges = [*(f"{low:,.0f}–{high:,.0f}" if high else "0" for low, high in counts)]
    return [
        f"{each.cases:,}",
        *ranges,
        f"{each.cost.low:.4f}–{each.cost.high:.4f}",
        f"{minutes.low:.1f}–{minutes.high:.1f}",
    ]


def _cells(tally: AttackTally, seconds: float, cost: float) -> list[str]:
    breached = f"{tally.breached}" + (f" ({tally.potential} potential)" if tally.potential else "")
    return [str(tally.attempts), breached, _rate(tally), str(tally.errors), f"{cost:.4f}", f"{seconds:.1f}"]


def _rate(tally: AttackTally) -> str:
    if tally.success_rate is None:
        return "-"
    low, high = tally.ci95
    return f"{tally.success_rate:.0%} ({low:.0%}–{high:.0%})"

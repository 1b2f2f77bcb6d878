"""Executes planned cases on lanes, which are threads, and yields events in the thread of the caller."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sensei_kumite.engine.case import CaseContext, Delivery, run_case, skipped
from sensei_kumite.engine.journal import read_plan
from sensei_kumite.engine.limits import LimitedSession, Limits
from sensei_kumite.models import Case, CaseFinished, Event, RunFinished, RunStarted, Status
from sensei_kumite.targets.base import Target

PATIENCE = 5.0
"""Seconds that cases in flight get after an interruption."""
_POLL = 0.2

Planned = tuple[int, Case]
STOPPED = "Stopped after the first breach."


@dataclass(frozen=True, slots=True)
class Task:
    """Cases that one lane runs in order. `share_session`: they have one to themselves, kept between them."""

    cases: Iterator[Planned]
    share_session: bool = False


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the lanes of a run share. `interrupted` set means that somebody wants the run to end."""

    target: Target
    limits: Limits
    lanes: int
    cases: CaseContext
    interrupted: threading.Event
    stop_on_breach: bool = False


def run(plan: Path, total: int, context: RunContext) -> Iterator[Event]:
    """Execute the cases of the plan file; yields RunStarted, a CaseFinished for each, RunFinished.

    After an interruption cases in flight get `PATIENCE` seconds; what then has no result has no event.
    """
    lanes = max(1, min(context.lanes, total))
    yield RunStarted(total, lanes)
    pool = _Lanes(plan, context, lanes)
    finished = 0
    try:
        for event in pool.events():
            finished += 1
            yield event
    finally:
        pool.halt()
    if not context.interrupted.is_set():
        for index, case in pool.not_started():
            finished += 1
            yield CaseFinished(index, skipped(case, context.cases.deliveries[case.entry], STOPPED))
    yield RunFinished(finished, interrupted=context.interrupted.is_set())


class _Lanes:
    """Threads that take tasks until there are none, each with its own session."""

    def __init__(self, plan: Path, context: RunContext, count: int) -> None:
        self._context = context
        self._tasks = tasks(plan, context.cases.deliveries)
        self._take = threading.Lock()
        self._halted = threading.Event()
        self._unfinished: list[Task] = []
        self._done: queue.Queue[CaseFinished | None] = queue.Queue(maxsize=count * 4)
        self._running = count
        for number in range(count):
            threading.Thread(target=self._work, name=f"kumite-lane-{number + 1}", daemon=True).start()

    def halt(self) -> None:
        """Start no further case; those in flight are finished."""
        self._halted.set()

    def events(self) -> Iterator[CaseFinished]:
        """Results as they come, until all lanes are done or patience with them ends."""
        deadline = float("inf")
        while self._running and time.monotonic() < deadline:
            if self._context.interrupted.is_set() and deadline == float("inf"):
                deadline = time.monotonic() + PATIENCE
                self.halt()
                self._context.limits.stop.set()
            try:
                event = self._done.get(timeout=_POLL)
            except queue.Empty:
                continue
            if event is None:
                self._running -= 1
            else:
                yield event

    def not_started(self) -> Iterator[Planned]:
        """The cases that no lane has taken. Only after `events` has ended."""
        return itertools.chain.from_iterable(
            task.cases for task in itertools.chain(self._unfinished, self._tasks)
        )

    def _work(self) -> None:
        try:
            with self._new_session() as session:
                while (task := self._next_task()) is not None:
                    self._run_task(task, session)
        finally:
            self._done.put(None)

    def _new_session(self) -> closing[LimitedSession]:
        return closing(LimitedSession(self._context.target, self._context.limits))

    def _next_task(self) -> Task | None:
        with self._take:
            return None if self._halted.is_set() else next(self._tasks, None)

    def _run_task(self, task: Task, session: LimitedSession) -> None:
        if task.share_session:
            with self._new_session() as own:
                self._run_cases(task, own)
        else:
            self._run_cases(task, session)

    def _run_cases(self, task: Task, session: LimitedSession) -> None:
        for index, case in task.cases:
            result = run_case(case, session, self._context.cases)
            if self._context.stop_on_breach and result.status is Status.BREACHED:
                self.halt()
            self._done.put(CaseFinished(index, result))
            if self._halted.is_set():
                self._unfinished.append(task)
                return


def tasks(plan: Path, deliveries: Mapping[int, Delivery]) -> Iterator[Task]:
    """What lanes take: a single case, or all cases that share one conversation, in order.

    The entries with `reset_session: false` hand their session on to each other, so together they
    are one task; it stands where the first of them stands in the plan.
    """
    chain_is_taken = False
    for index, case in read_plan(plan):
        if deliveries[case.entry].execution.reset_session:
            yield Task(iter([(index, case)]))
        elif not chain_is_taken:
            chain_is_taken = True
            yield Task(_sharing_cases(plan, deliveries), share_session=True)


def _sharing_cases(plan: Path, deliveries: Mapping[int, Delivery]) -> Iterator[Planned]:
    for index, case in read_plan(plan):
        if not deliveries[case.entry].execution.reset_session:
            yield index, case

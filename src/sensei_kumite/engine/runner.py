"""Executes planned cases on lanes, which are threads, and yields events in the thread of the caller."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from sensei_kumite.engine.breaker import TargetGone
from sensei_kumite.engine.case import CaseContext, Delivery, abandoned, run_case, skipped
from sensei_kumite.engine.journal import read_plan
from sensei_kumite.engine.limits import LimitedSession, Limits
from sensei_kumite.models import Case, CaseFinished, Event, Result, RunFinished, RunStarted, Status
from sensei_kumite.targets.base import Target

PATIENCE = 5.0
"""Seconds that cases in flight get after an interruption."""
_POLL = 0.05

Planned = tuple[int, Case]
STOPPED = "Stopped after the first breach."


@dataclass(frozen=True, slots=True)
class Task:
    """Cases that one lane runs in order. `share_session`: they have one to themselves, kept between them."""

    cases: Iterator[Planned]
    share_session: bool = False


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the lanes of a run share.

    `interrupted` set means that somebody wants the run to end. `deadline` are the seconds after which no
    further case starts. `record` writes a result down; lanes call it, before they take the next case, so that
    no finished result is ever lost. `done` flags the cases of the plan that have their result already, and
    `stopped` says that a breach among those ended the run.
    """

    target: Target
    limits: Limits
    lanes: int
    cases: CaseContext
    interrupted: threading.Event
    record: Callable[[int, Result], None]
    stop_on_breach: bool = False
    deadline: float | None = None
    done: bytes | bytearray = b""
    stopped: bool = False


def run(plan: Path, total: int, context: RunContext) -> Iterator[Event]:
    """Execute the cases of the plan file; yields RunStarted, a CaseFinished for each, RunFinished.

    After an interruption cases in flight get `PATIENCE` seconds; what then has no result has no event.
    """
    remaining = total - sum(context.done)
    lanes = max(1, min(context.lanes, remaining))
    yield RunStarted(remaining, lanes)
    pool = _Lanes(plan, context, lanes)
    finished = 0
    try:
        for event in pool.events():
            finished += 1
            yield event
    finally:
        pool.halt()
    reason = context.limits.breaker.reason if context.limits.breaker else ""
    ended_early = context.interrupted.is_set() or bool(reason)
    if not ended_early:
        for event in pool.left_over():
            finished += 1
            context.record(event.index, event.result)
            yield event
    yield RunFinished(finished, ended_early, reason)


class _Lanes:
    """Threads that take tasks until there are none, each with its own session."""

    def __init__(self, plan: Path, context: RunContext, count: int) -> None:
        self._context = context
        self._tasks = tasks(plan, context.cases.deliveries, context.done)
        self._take = threading.Lock()
        self._halted = threading.Event()
        if context.stopped:
            self._halted.set()
        self._skip_reason = STOPPED
        self._unfinished: list[Task] = []
        self._in_flight: dict[int, Case] = {}
        self._finished: deque[CaseFinished] = deque()
        self._ended: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._running = count
        self._given_up = False
        self._started = time.monotonic()
        for number in range(count):
            threading.Thread(target=self._work, name=f"kumite-lane-{number + 1}", daemon=True).start()

    def halt(self) -> None:
        """Start no further case; those in flight are finished."""
        self._halted.set()

    def events(self) -> Iterator[CaseFinished]:
        """Results as they come, until all lanes are done or patience with them ends."""
        give_up_at = float("inf")
        while self._running and time.monotonic() < give_up_at:
            if give_up_at == float("inf") and self._must_end():
                give_up_at = time.monotonic() + PATIENCE
                self.halt()
                self._context.limits.stop.set()
            with suppress(queue.Empty):
                self._lane_ended(self._ended.get(timeout=_POLL))
            while self._finished:
                yield self._finished.popleft()
        self._given_up = True

    def _lane_ended(self, failure: BaseException | None) -> None:
        self._running -= 1
        if failure is not None:
            raise failure

    def _must_end(self) -> bool:
        """Whether somebody or the deadline ends the run."""
        deadline = self._context.deadline
        if deadline is not None and time.monotonic() - self._started >= deadline:
            self._skip_reason = f"Deadline of {deadline / 60:g} minutes reached."
            return True
        return self._context.interrupted.is_set()

    def left_over(self) -> Iterator[CaseFinished]:
        """What becomes of cases without a result: skipped, or an error where they hang. After `events`."""
        deliveries = self._context.cases.deliveries
        for index, case in list(self._in_flight.items()):
            yield CaseFinished(index, abandoned(case, deliveries[case.entry], self._skip_reason))
        for index, case in self._not_started():
            yield CaseFinished(index, skipped(case, deliveries[case.entry], self._skip_reason))

    def _not_started(self) -> Iterator[Planned]:
        """The cases that no lane has taken."""
        return itertools.chain.from_iterable(
            task.cases for task in itertools.chain(self._unfinished, self._tasks)
        )

    def _work(self) -> None:
        failure: BaseException | None = None
        try:
            with self._new_session() as session:
                while (task := self._next_task()) is not None:
                    self._run_task(task, session)
        except BaseException as error:  # noqa: BLE001  # a full disk, or a bug: the caller's thread raises it
            failure = error
            self.halt()
        self._ended.put(failure)

    def _new_session(self) -> closing[LimitedSession]:
        return closing(LimitedSession(self._context.target, self._context.limits))

    def _next_task(self) -> Task | None:
        with self._take:
            return None if self._is_ending() else next(self._tasks, None)

    def _is_ending(self) -> bool:
        return self._halted.is_set() or self._context.interrupted.is_set()

    def _run_task(self, task: Task, session: LimitedSession) -> None:
        if task.share_session:
            with self._new_session() as own:
                self._run_cases(task, own)
        else:
            self._run_cases(task, session)

    def _run_cases(self, task: Task, session: LimitedSession) -> None:
        for index, case in task.cases:
            self._in_flight[index] = case
            try:
                result = run_case(case, session, self._context.cases)
            except TargetGone:
                self.halt()
                return
            if self._context.stop_on_breach and _is_confirmed(result):
                self.halt()
            if self._given_up:
                return  # somebody has said what became of the case
            self._context.record(index, result)
            self._finished.append(CaseFinished(index, result))
            del self._in_flight[index]
            if self._is_ending():
                self._unfinished.append(task)
                return


def _is_confirmed(result: Result) -> bool:
    """A breach that an oracle decided; a Potential one is for a person to read, and stops nothing."""
    return result.metadata.get("weight") != "Potential" and any(
        each.status is Status.BREACHED for each in (result, *result.search)
    )


def tasks(plan: Path, deliveries: Mapping[int, Delivery], done: bytes | bytearray = b"") -> Iterator[Task]:
    """What lanes take: a single case, or all cases that share one conversation, in order.

    The entries with `reset_session: false` hand their session on to each other, so together they
    are one task; it stands where the first of them stands in the plan.
    """
    chain_is_taken = False
    for index, case in _not_done(plan, done):
        if deliveries[case.entry].execution.reset_session:
            yield Task(iter([(index, case)]))
        elif not chain_is_taken:
            chain_is_taken = True
            yield Task(_sharing_cases(plan, deliveries, done), share_session=True)


def _sharing_cases(
    plan: Path, deliveries: Mapping[int, Delivery], done: bytes | bytearray
) -> Iterator[Planned]:
    for index, case in _not_done(plan, done):
        if not deliveries[case.entry].execution.reset_session:
            yield index, case


def _not_done(plan: Path, done: bytes | bytearray) -> Iterator[Planned]:
    return ((index, case) for index, case in read_plan(plan) if index >= len(done) or not done[index])

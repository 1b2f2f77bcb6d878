from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.engine import runner
from sensei_kumite.engine.breaker import FAILURES, Breaker
from sensei_kumite.engine.limits import Limits
from sensei_kumite.engine.runner import RunContext, run
from sensei_kumite.errors import EnvironmentProblem, TargetUnavailable
from sensei_kumite.models import Case, CaseFinished, RunFinished, RunStarted, Status
from sensei_kumite.targets.base import Session
from tests.engine.doubles import DIRECT, Recorder, case, context, plan_of

SHARED = EntryExecution(reset_session=False)


def finished(folder: Path, cases: Sequence[Case], run_context: RunContext) -> dict[int, CaseFinished]:
    events = list(run(plan_of(folder, cases), len(cases), run_context))
    assert isinstance(events[0], RunStarted) and isinstance(events[-1], RunFinished)
    found = [event for event in events if isinstance(event, CaseFinished)]
    assert len(found) == events[-1].finished
    by_index = {event.index: event for event in found}
    assert len(by_index) == len(found), "a case finished twice"
    return by_index


@pytest.mark.parametrize("lanes", [1, 3, 16])
def test_every_case_finishes_once_with_its_own_answer(tmp_path: Path, lanes: int) -> None:
    target = Recorder(lambda text: f"echo {text}")
    cases = [case(n, prompt=f"prompt {n}") for n in range(50)]
    events = finished(tmp_path, cases, context(target, lanes=lanes))
    assert sorted(events) == list(range(50))
    assert all(event.result.response == f"echo prompt {index}" for index, event in events.items())


def test_no_more_lanes_are_opened_than_there_are_cases(tmp_path: Path) -> None:
    target = Recorder(lambda text: text)
    finished(tmp_path, [case(1), case(2)], context(target, lanes=50))
    assert target.opened <= 2


def test_lanes_hold_conversations_at_the_same_time(tmp_path: Path) -> None:
    barrier = threading.Barrier(4, timeout=30)

    def answer(text: str) -> str:
        barrier.wait()
        return text

    events = finished(tmp_path, [case(n) for n in range(4)], context(Recorder(answer), lanes=4))
    assert {event.result.status for event in events.values()} == {Status.RESILIENT}


def test_each_case_has_a_conversation_of_its_own(tmp_path: Path) -> None:
    target = Recorder(lambda text: text)
    scripted = EntryExecution(mode="scripted", turns=["warm up"])
    finished(tmp_path, [case(n, prompt=f"p{n}") for n in range(20)], context(target, {0: scripted}, lanes=4))
    used = sorted(tuple(conversation) for conversation in target.conversations if conversation)
    assert used == sorted(("warm up", f"p{n}") for n in range(20))


def test_cases_that_keep_the_session_run_in_order_in_one_conversation(tmp_path: Path) -> None:
    target = Recorder(lambda text: text)
    cases = [case(n, prompt=f"p{n}", entry=n % 3) for n in range(30)]
    executions = {0: EntryExecution(), 1: SHARED, 2: SHARED}
    events = finished(tmp_path, cases, context(target, executions, lanes=8))
    assert len(events) == 30
    shared = [f"p{n}" for n in range(30) if n % 3]
    assert shared in target.conversations


def test_nothing_starts_after_a_breach_when_asked_to_stop(tmp_path: Path) -> None:
    target = Recorder(lambda text: "the secret" if text == "p3" else "no")
    cases = [case(n, prompt=f"p{n}") for n in range(10)]
    events = finished(tmp_path, cases, context(target, stop_on_breach=True))
    statuses = [events[n].result.status for n in range(10)]
    assert statuses[:4] == [Status.RESILIENT] * 3 + [Status.BREACHED]
    sent = sum(map(len, target.conversations))
    assert statuses.count(Status.SKIPPED) == 10 - sent
    # One lane may have taken the next case while the breach was on its way to us.
    assert sent <= 4 + 1 + 4
    assert {e.result.reason for e in events.values() if e.result.status is Status.SKIPPED} == {runner.STOPPED}


def test_stopping_within_a_shared_conversation_skips_the_rest_of_it(tmp_path: Path) -> None:
    target = Recorder(lambda text: "the secret")
    cases = [case(n, prompt=f"p{n}") for n in range(40)]
    events = finished(tmp_path, cases, context(target, {0: SHARED}, stop_on_breach=True))
    assert len(events) == 40
    assert events[39].result.status is Status.SKIPPED


def test_an_interrupted_run_ends_with_what_is_finished(tmp_path: Path) -> None:
    interrupted = threading.Event()

    def answer(text: str) -> str:
        if text == "p5":
            interrupted.set()
        return text

    cases = [case(n, prompt=f"p{n}") for n in range(1000)]
    events = list(run(plan_of(tmp_path, cases), 1000, context(Recorder(answer), interrupted=interrupted)))
    last = events[-1]
    assert isinstance(last, RunFinished) and last.interrupted
    done = [event.index for event in events if isinstance(event, CaseFinished)]
    assert done == list(range(len(done)))
    assert 6 <= len(done) < 1000
    assert all(e.result.status is Status.RESILIENT for e in events if isinstance(e, CaseFinished))


def test_an_interrupted_run_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PATIENCE", 0.1)
    interrupted, release = threading.Event(), threading.Event()

    def answer(text: str) -> str:
        interrupted.set()
        release.wait()
        return text

    events = list(run(plan_of(tmp_path, [case(1)]), 1, context(Recorder(answer), interrupted=interrupted)))
    release.set()
    assert events[-1] == RunFinished(0, interrupted=True)


def test_an_abandoned_run_starts_no_further_case(tmp_path: Path) -> None:
    go_on, closed = threading.Event(), threading.Event()

    def answer(text: str) -> str:
        if text == "p3":
            go_on.wait()
        return text

    class Closing(Recorder):
        def open(self) -> Session:
            session = super().open()
            session.close = closed.set  # type: ignore[method-assign]
            return session

    target = Closing(answer)
    plan = plan_of(tmp_path, [case(n, prompt=f"p{n}") for n in range(1000)])
    events = run(plan, 1000, context(target))
    next(events)
    next(events)
    events.close()
    go_on.set()
    assert closed.wait(30), "the lane ends"
    assert sum(map(len, target.conversations)) == 4


def test_a_potential_breach_stops_nothing(tmp_path: Path) -> None:
    target = Recorder(lambda text: "the secret")
    cases = [case(n, prompt=f"p{n}", weight="Potential") for n in range(10)]
    events = finished(tmp_path, cases, context(target, stop_on_breach=True))
    assert {event.result.status for event in events.values()} == {Status.BREACHED}


def test_cases_with_a_result_are_not_run_again(tmp_path: Path) -> None:
    target = Recorder(lambda text: text)
    cases = [case(n, prompt=f"p{n}", entry=n % 2) for n in range(10)]
    done = bytes([1, 0, 0, 1, 0, 0, 0, 0, 1, 1])
    events = finished(tmp_path, cases, context(target, {0: DIRECT, 1: SHARED}, lanes=3, done=done))
    assert sorted(events) == [1, 2, 4, 5, 6, 7]
    sent = [text for conversation in target.conversations for text in conversation]
    assert sorted(sent) == ["p1", "p2", "p4", "p5", "p6", "p7"]


def test_a_run_that_was_stopped_by_a_breach_stays_stopped(tmp_path: Path) -> None:
    target = Recorder(lambda text: text)
    events = finished(tmp_path, [case(n) for n in range(3)], context(target, done=b"\x01", stopped=True))
    assert {event.result.reason for event in events.values()} == {runner.STOPPED}
    assert target.opened == 0


def test_after_the_deadline_no_case_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PATIENCE", 0.1)
    release = threading.Event()

    def answer(text: str) -> str:
        if text == "p1":
            release.wait()
        return text

    cases = [case(n, prompt=f"p{n}") for n in range(4)]
    events = finished(tmp_path, cases, context(Recorder(answer), deadline=0.3))
    release.set()
    assert [events[n].result.status for n in range(4)] == [
        Status.RESILIENT,
        Status.ERROR,
        Status.SKIPPED,
        Status.SKIPPED,
    ]
    assert events[1].result.errors == ({"chatbot": "Deadline of 0.005 minutes reached."},)
    assert events[2].result.reason == "Deadline of 0.005 minutes reached."


def test_a_run_whose_target_is_gone_ends_with_what_it_has(tmp_path: Path) -> None:
    calls = 0

    def answer(text: str) -> str:
        nonlocal calls
        calls += 1
        if calls > 5:
            raise TargetUnavailable("connection refused")
        return text

    def probe() -> None:
        raise TargetUnavailable("nobody there")

    limits = Limits(retries=0)
    limits = replace(limits, breaker=Breaker(probe, limits.stop, pause=0))
    cases = [case(n) for n in range(100)]
    events = list(run(plan_of(tmp_path, cases), 100, context(Recorder(answer), limits=limits)))
    last = events[-1]
    assert isinstance(last, RunFinished) and last.interrupted and "nobody there" in last.reason
    assert calls == 5 + FAILURES
    assert last.finished == calls


def test_a_result_is_written_down_before_its_lane_goes_on(tmp_path: Path) -> None:
    log: list[str] = []

    def answer(text: str) -> str:
        log.append(f"sent {text}")
        return text

    cases = [case(n, prompt=f"p{n}") for n in range(5)]
    written = context(Recorder(answer), record=lambda index, result: log.append(f"written {index}"))
    finished(tmp_path, cases, written)
    assert log == [line for n in range(5) for line in (f"sent p{n}", f"written {n}")]


def test_results_that_cannot_be_written_down_end_the_run(tmp_path: Path) -> None:
    def full(index: int, result: object) -> None:
        raise EnvironmentProblem("no space left")

    target = Recorder(lambda text: text)
    cases = [case(n) for n in range(1000)]
    with pytest.raises(EnvironmentProblem, match="no space left"):
        list(run(plan_of(tmp_path, cases), 1000, context(target, lanes=3, record=full)))
    assert sum(map(len, target.conversations)) <= 3

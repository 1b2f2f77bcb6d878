from __future__ import annotations

import threading

import pytest

from sensei_kumite.engine.breaker import FAILURES, Breaker, TargetGone
from sensei_kumite.errors import (
    TargetError,
    TargetProtocolError,
    TargetRejected,
    TargetTimeout,
    TargetUnavailable,
)

GONE = TargetUnavailable("connection refused")


def breaker(*probes: TargetError | None) -> Breaker:
    """A breaker that does not wait, whose target answers its probes with these."""
    answers = iter(probes)

    def probe() -> None:
        if error := next(answers):
            raise error

    return Breaker(probe, threading.Event(), pause=0)


def fail(broken: Breaker, times: int, error: TargetError = GONE) -> None:
    for _ in range(times):
        broken.before_call()
        broken.failed(error)


def test_fewer_failures_than_the_limit_change_nothing() -> None:
    broken = breaker()
    fail(broken, FAILURES - 1)
    broken.succeeded()
    fail(broken, FAILURES - 1)
    assert broken.reason == ""


def test_a_target_that_is_still_gone_after_the_pause_ends_the_run() -> None:
    broken = breaker(TargetUnavailable("nobody at port 1"))
    fail(broken, FAILURES)
    with pytest.raises(TargetGone, match="nobody at port 1"):
        broken.before_call()


def test_a_target_that_is_back_after_the_pause_goes_on_once() -> None:
    broken = breaker(None)
    fail(broken, FAILURES)
    broken.before_call()
    with pytest.raises(TargetGone, match="in a row again"):
        fail(broken, FAILURES + 1)


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        (TargetTimeout("slow"), True),
        (TargetRejected("503", status=503), True),
        (TargetRejected("401", status=401), True),
        (TargetRejected("400", status=400), False),
        (TargetProtocolError("empty response"), False),
    ],
)
def test_only_signs_of_death_count(error: TargetError, counts: bool) -> None:
    broken = breaker(TargetUnavailable("gone"))
    fail(broken, FAILURES, error)
    assert bool(broken.reason) == counts


def test_everybody_waits_while_one_looks() -> None:
    looking, let_look, passed = threading.Event(), threading.Event(), threading.Event()

    def probe() -> None:
        looking.set()
        let_look.wait()

    broken = Breaker(probe, threading.Event(), pause=0)

    def call() -> None:
        broken.before_call()
        passed.set()

    threads = [threading.Thread(target=fail, args=(broken, FAILURES)), threading.Thread(target=call)]
    threads[0].start()
    looking.wait()
    threads[1].start()
    assert not passed.is_set()
    let_look.set()
    for thread in threads:
        thread.join()
    assert passed.is_set()

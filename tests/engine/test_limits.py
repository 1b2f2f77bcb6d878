from __future__ import annotations

import threading

import pytest

from sensei_kumite.engine import limits as module
from sensei_kumite.engine.limits import LimitedSession, Limits, RateLimit, backoff
from sensei_kumite.errors import TargetProtocolError, TargetRejected, TargetTimeout, TargetUnavailable
from tests.engine.doubles import Failing, Recorder


def no_waiting() -> threading.Event:
    """Limits whose pauses end at once, though retries go on."""

    class Instant(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            return False

    return Instant()


@pytest.mark.parametrize(
    "error",
    [TargetUnavailable("reset"), TargetTimeout("slow"), TargetRejected("busy", transient=True, status=503)],
)
def test_a_transient_failure_is_tried_again(error: TargetUnavailable) -> None:
    session = LimitedSession(Failing([error, error]), Limits(retries=2, stop=no_waiting()))
    assert session.send("hi") == "fine"
    assert (session.calls, session.retries) == (3, 2)


def test_the_last_failure_is_raised_when_retries_are_used_up() -> None:
    session = LimitedSession(
        Failing([TargetUnavailable(f"no {n}") for n in range(5)]), Limits(2, stop=no_waiting())
    )
    with pytest.raises(TargetUnavailable, match="no 2"):
        session.send("hi")
    assert (session.calls, session.retries) == (3, 2)


@pytest.mark.parametrize("error", [TargetRejected("400", status=400), TargetProtocolError("empty response")])
def test_a_lasting_failure_is_not_tried_again(error: TargetRejected) -> None:
    session = LimitedSession(Failing([error]), Limits(retries=5, stop=no_waiting()))
    with pytest.raises(type(error)):
        session.send("hi")
    assert session.calls == 1


def test_nothing_is_tried_again_once_the_run_is_stopping() -> None:
    stop = threading.Event()
    stop.set()
    session = LimitedSession(Failing([TargetUnavailable("gone")]), Limits(retries=5, stop=stop))
    with pytest.raises(TargetUnavailable):
        session.send("hi")
    assert session.calls == 1


@pytest.mark.parametrize(
    ("retry", "low", "high"), [(0, 0.25, 0.5), (1, 0.5, 1.0), (3, 2.0, 4.0), (20, 15.0, 30.0)]
)
def test_waits_double_and_are_bounded(retry: int, low: float, high: float) -> None:
    assert backoff(retry, None, jitter=0.0) == low
    assert backoff(retry, None, jitter=1.0) == high


def test_the_wait_that_the_target_asks_for_is_honoured_within_reason() -> None:
    assert backoff(0, 7.5, jitter=0.3) == 7.5
    assert backoff(0, -3, jitter=0.3) == 0
    assert backoff(0, 10**9, jitter=0.3) == module.LONGEST_RETRY_AFTER


def test_calls_are_spaced_by_the_rate_whoever_makes_them() -> None:
    rate = RateLimit(10)
    waits = [rate.reserve() for _ in range(4)]
    assert waits == pytest.approx([0.0, 0.1, 0.2, 0.3], abs=0.05)
    assert [RateLimit(None).reserve() for _ in range(3)] == [0.0, 0.0, 0.0]


class Hanging(Recorder):
    """Hangs on the text `hang` until released."""

    def __init__(self) -> None:
        self.release = threading.Event()
        super().__init__(self._answer)

    def _answer(self, text: str) -> str:
        if text == "hang":
            self.release.wait()
        return "fine"


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Hanging:
    monkeypatch.setattr(module, "GRACE", 0.0)
    return Hanging()


def test_a_hung_call_ends_and_the_lane_goes_on_with_a_fresh_session(hanging: Hanging) -> None:
    session = LimitedSession(hanging, Limits(retries=0, timeout=0.05))
    with pytest.raises(TargetTimeout, match=r"timed out after 0\.05 s"):
        session.send("hang")
    assert session.send("hi") == "fine"
    assert hanging.opened == 2
    hanging.release.set()
    session.close()


def test_a_hung_call_within_a_conversation_is_not_sent_again(hanging: Hanging) -> None:
    session = LimitedSession(hanging, Limits(retries=3, timeout=0.05, stop=no_waiting()))
    session.send("first turn")
    with pytest.raises(TargetTimeout):
        session.send("hang")
    assert session.calls == 2
    hanging.release.set()
    session.close()


def test_a_hung_first_call_is_tried_again(hanging: Hanging) -> None:
    session = LimitedSession(hanging, Limits(retries=2, timeout=0.05, stop=no_waiting()))
    session.reset()
    with pytest.raises(TargetTimeout):
        session.send("hang")
    assert (session.calls, session.retries) == (3, 2)
    hanging.release.set()
    session.close()


def test_a_bug_under_the_watchdog_reaches_the_caller() -> None:
    def broken(text: str) -> str:
        raise ZeroDivisionError(text)

    session = LimitedSession(Recorder(broken), Limits(timeout=5))
    with pytest.raises(ZeroDivisionError):
        session.send("hi")
    session.close()

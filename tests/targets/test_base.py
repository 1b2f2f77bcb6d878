"""The target with prepared answers that tests and trials use."""

from __future__ import annotations

import pytest

from sensei_kumite.errors import TargetTimeout, TargetUnavailable
from sensei_kumite.targets.base import ScriptedTarget, Target


def test_a_list_is_worked_through_and_its_end_repeated() -> None:
    session = ScriptedTarget(["one", "two"]).open()
    assert [session.send("a"), session.send("b"), session.send("c")] == ["one", "two", "two"]


def test_every_session_begins_at_the_first_answer() -> None:
    target = ScriptedTarget(["one", "two"])
    first, second = target.open(), target.open()
    assert [first.send("a"), second.send("b"), first.send("c")] == ["one", "one", "two"]


def test_a_fresh_conversation_does_not_rewind_the_answers() -> None:
    session = ScriptedTarget(["one", "two"]).open()
    session.send("a")
    assert session.reset()
    assert session.send("b") == "two"


def test_a_function_answers_by_text() -> None:
    assert ScriptedTarget(str.upper).open().send("hello") == "HELLO"


def test_an_error_in_the_list_is_raised_in_its_turn() -> None:
    session = ScriptedTarget([TargetTimeout("too slow"), "better"]).open()
    with pytest.raises(TargetTimeout, match="too slow"):
        session.send("a")
    assert session.send("b") == "better"


def test_an_error_of_the_function_passes_through() -> None:
    def refuse(text: str) -> str:
        raise TargetUnavailable(f"no answer to {text}")

    with pytest.raises(TargetUnavailable, match="no answer to hello"):
        ScriptedTarget(refuse).open().send("hello")


def test_what_was_sent_is_remembered_over_all_sessions() -> None:
    target = ScriptedTarget(["ok"])
    target.open().send("a")
    target.open().send("b")
    assert target.sent == ["a", "b"]


def test_a_target_is_there_unless_it_says_otherwise() -> None:
    target: Target = ScriptedTarget(["ok"])
    target.probe()
    target.open().close()
    assert target.describe() == "ScriptedTarget"
    assert target.warnings == ()

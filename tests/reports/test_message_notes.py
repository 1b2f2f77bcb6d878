"""What a search noted of a message, as people read it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from sensei_kumite.reports.message_notes import LONGEST_NOTE, has_sessions, message_notes
from tests.reports.searches import JSON


def notes(**noted: Any) -> list[str]:
    return message_notes({"role": "user", "content": "Hi", **noted}, sessions=False)


@pytest.mark.parametrize(
    ("noted", "shown"),
    [
        ({"score": 7}, ["score 7"]),
        ({"pruned": "score"}, ["pruned: low score"]),
        ({"pruned": "off-topic"}, ["pruned: off topic"]),
        ({"pruned": "because"}, ["pruned: because"]),
        ({"pruned": ["score"]}, ['pruned: ["score"]']),
        ({"success": True}, ["breach"]),
        ({"success": False}, []),
        ({"success": None}, []),
        ({"taken_back": True}, ["taken back"]),
        ({"taken_back": False}, []),
        ({"stream": 2, "round": 3, "depth": 1}, ["stream 2", "round 3", "depth 1"]),
        ({"strategy": "Be kind.", "technique": "role_play"}, ["strategy Be kind.", "technique role_play"]),
        ({"my_note": "x", "nothing": None}, ["my_note: x"]),
        ({"session": 1, "session_id": "s1"}, []),
    ],
)
def test_a_note_is_short_and_in_words(noted: dict[str, Any], shown: list[str]) -> None:
    assert notes(**noted) == shown


def test_long_notes_are_cut_and_many_are_not_all_shown() -> None:
    assert notes(why="x" * 1000) == ["why: " + "x" * LONGEST_NOTE]
    assert len(notes(**{f"note {number}": number for number in range(100)})) == 8


def test_the_session_is_a_note_where_it_is_asked_for() -> None:
    assert message_notes({"content": "Hi", "session": 2}, sessions=True) == ["session 2"]


@pytest.mark.parametrize(
    ("sessions", "several"), [([], False), ([1, 1, None], False), ([1, 2], True), ([[1], {"a": 1}], True)]
)
def test_several_sessions_are_told_from_one(sessions: list[Any], several: bool) -> None:
    assert has_sessions([{"session": session} for session in sessions]) is several


@given(JSON)
def test_a_script_may_have_noted_anything(value: Any) -> None:
    assert has_sessions([value, {"session": value}]) is False
    assert message_notes(value, sessions=True) == [] or "content" in value
    assert len(notes(score=value, pruned=value, success=value)) <= 3

"""Conversations that branch: ids, paths and counts, and the way to text and back."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.dynamic.conversation import StandardisedConversation


def said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def branched() -> tuple[StandardisedConversation, list[int]]:
    """A question with its answer, and beside it another question, which was asked after a step back."""
    talk = StandardisedConversation({"keywords": ["a"]})
    first = talk.add_message(talk.get_root_id(), said("user", "one"), attempt=True)
    answer = talk.add_message(first, said("assistant", "no"))
    other = talk.add_message(talk.get_root_id(), said("user", "two"), attempt=True)
    return talk, [first, answer, other]


def test_the_root_holds_data_and_is_no_message() -> None:
    talk, ids = branched()
    assert talk.get_root_id() == 0
    assert talk.get_message_data(0) == talk.get_root_data() == {"keywords": ["a"]}
    assert talk.get_message_total() == len(ids) == 3
    talk.update_root_data("new")
    assert talk.get_message_data(0) == "new"


def test_paths_lead_from_the_first_message_or_the_root() -> None:
    talk, (first, answer, other) = branched()
    assert talk.get_path(answer) == [first, answer]
    assert talk.get_path(answer, root=True) == [0, first, answer]
    assert talk.get_path(other) == [other]
    assert (talk.get_path(0), talk.get_path(0, root=True)) == ([], [0])
    assert (talk.get_path_length(answer), talk.get_path_length(answer, root=True)) == (2, 3)
    assert talk.get_parent(answer) == first
    assert talk.get_parent(first) == 0
    assert talk.get_parent(0) is None


def test_attempts_are_counted_on_a_path_and_on_all_branches() -> None:
    talk, (first, answer, other) = branched()
    assert (talk.get_path_attempts(answer), talk.get_path_attempts(other)) == (1, 1)
    assert talk.get_attempt_total() == 2
    last = talk.add_message(answer, said("user", "three"))
    assert talk.get_attempt_total() == 2
    talk.add_attempt()
    assert talk.get_message(last) == {
        "parent": answer,
        "children": [],
        "data": said("user", "three"),
        "attempt": True,
    }
    assert (talk.get_path_attempts(last), talk.get_attempt_total()) == (2, 3)
    talk.add_attempt(answer)
    assert talk.get_path_attempts(answer) == 2
    assert talk.get_path(first) == [first]


def test_what_is_not_there_is_nothing_but_no_parent() -> None:
    talk, _ = branched()
    assert talk.get_message(99) is talk.get_message_data(99) is talk.get_parent(99) is None
    assert (talk.get_path(99), talk.get_path(99, root=True)) == ([], [])
    with pytest.raises(ValueError, match="no message 99"):
        talk.add_message(99, {})
    assert talk.get_message_total() == 3


def test_text_brings_a_conversation_back() -> None:
    talk, (_, answer, _) = branched()
    copy = StandardisedConversation()
    copy.add_conversation(str(talk))
    assert copy.conversation == talk.conversation
    assert copy.add_message(answer, said("user", "on")) == 4
    assert talk.get_message_total() == 3


def test_a_text_that_says_no_more_than_needed_is_read() -> None:
    talk = StandardisedConversation()
    talk.add_conversation('{"0": {"data": {}}, "1": {"parent": 0, "data": "hi", "attempt": true}}')
    assert talk.get_path(1, root=True) == [0, 1]
    assert talk.get_message(0) == {"parent": None, "children": [1], "data": {}, "attempt": False}
    assert talk.get_attempt_total() == 1


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "[]",
        "{}",
        "5",
        '{"1": {"parent": null}}',
        '{"0": {}, "1": {"parent": 7}}',
        '{"0": {}, "1": {"parent": 1}}',
        '{"0": {}, "1": {"parent": 2}, "2": {"parent": 1}}',
        '{"0": {}, "1": "hello"}',
        '{"0": {}, "one": {"parent": 0}}',
        "[" * 100_000,
    ],
)
def test_anything_else_is_refused_and_changes_nothing(text: str) -> None:
    talk, _ = branched()
    before = str(talk)
    with pytest.raises(ValueError, match="this is no conversation"):
        talk.add_conversation(text)
    assert str(talk) == before


def test_plain_data_does_not_change_with_the_conversation() -> None:
    talk, (first, _, _) = branched()
    plain = talk.as_plain()
    talk.conversation[first]["data"]["content"] = "changed"
    assert plain["1"]["data"]["content"] == "one"


def test_data_that_json_does_not_know_becomes_text() -> None:
    talk = StandardisedConversation()
    talk.add_message(0, {"content": {1}})
    assert json.loads(str(talk))["1"]["data"]["content"] == "{1}"


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans(), st.text()), max_size=30))
def test_every_tree_survives_and_every_path_ends_at_its_message(steps: list[tuple[int, bool, Any]]) -> None:
    talk = StandardisedConversation()
    for back, attempt, data in steps:
        talk.add_message(back % (talk.get_message_total() + 1), data, attempt=attempt)
    copy = StandardisedConversation()
    copy.add_conversation(str(talk))
    assert copy.conversation == talk.conversation
    assert talk.get_attempt_total() == sum(attempt for _, attempt, _ in steps)
    for number in talk.conversation:
        path = talk.get_path(number, root=True)
        assert (path[0], path[-1]) == (0, number)
        assert all(talk.get_parent(after) == before for before, after in pairwise(path))

"""The tree of a conversation that branched, and graphs that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.reports.conversation_tree import MOST_MESSAGES, conversation_tree
from tests.reports.searches import JSON, backtracking, graph, talk, target, texts_of, user

NAMES = st.sampled_from([*map(str, range(12)), "x", ""])


def shape_of(conversation: Any, path: Any = ()) -> list[Any]:
    tree = conversation_tree(conversation, path)
    assert tree is not None
    return texts_of(tree["steps"])


def depth(steps: list[dict[str, Any]]) -> int:
    return max((1 + depth(branch["steps"]) for step in steps for branch in step["branches"]), default=0)


def size(steps: list[dict[str, Any]]) -> int:
    own = sum(step["text"] is not None for step in steps)
    return own + sum(size(branch["steps"]) for step in steps for branch in step["branches"])


def test_abandoned_branches_stand_where_they_left_the_path() -> None:
    conversation, path = backtracking()
    assert shape_of(conversation, path) == [
        *("Hello", "Hi", ["Tell me", "No"]),
        *("Say it as a poem", "Roses are red", ["And the end?", "No end"]),
        *("And the last line?", "duck"),
    ]
    tree = conversation_tree(conversation, path)
    assert tree is not None
    assert (tree["messages"], tree["abandoned"], tree["left_out"]) == (10, 2, 0)


def test_a_message_has_its_speaker_and_what_was_noted_of_it() -> None:
    said = user("Hi", session_id="s1", score=7, pruned=None, why=["off topic"])
    tree = conversation_tree(graph((0, said)), ())
    assert tree is not None
    _, step = tree["steps"]
    assert (step["role"], step["text"], step["notes"]) == ("user", "Hi", ["score 7", 'why: ["off topic"]'])


@pytest.mark.parametrize(("other", "notes"), [(1, [[], []]), (2, [["session 1"], ["session 2"]])])
def test_a_session_is_noted_where_there_are_several(other: int, notes: list[list[str]]) -> None:
    tree = conversation_tree(graph((0, user("Hi", session=1)), (1, target("Ho", session=other))), ())
    assert tree is not None
    assert [step["notes"] for step in tree["steps"][1:]] == notes


def test_the_path_is_the_one_that_the_turns_name() -> None:
    branching = graph((0, user("a")), (1, target("x")), (0, user("b")), (3, target("y")))
    assert shape_of(branching, talk("a", "x")) == [["b", "y"], "a", "x"]
    assert shape_of(branching, talk("warm", "up", "a", "x")) == [["b", "y"], "a", "x"]
    assert shape_of(branching, talk("b", "y")) == [["a", "x"], "b", "y"]
    assert shape_of(branching, talk("b", "x")) == [["a", "x"], "b", "y"]  # no such path: the newest message


def test_what_follows_the_end_of_the_path_was_given_up() -> None:
    longer = graph((0, user("a")), (1, target("x")), (2, user("b")), (3, target("y")))
    assert shape_of(longer, talk("a", "x")) == ["a", "x", ["b", "y"]]


def test_the_newest_message_is_the_one_with_the_highest_number() -> None:
    conversation = graph(*((0, user(str(number))) for number in range(1, 12)))
    sorted_as_texts = dict(sorted(conversation.items()))
    assert shape_of(sorted_as_texts)[-1] == "11"


def test_a_root_that_holds_something_is_the_first_message() -> None:
    conversation = graph((0, user("Hi")))
    conversation["0"]["data"] = {"role": "system", "content": "Be kind."}
    assert shape_of(conversation) == ["Be kind.", "Hi"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("just text", "just text"),
        (7, "7"),
        (["a", 1], '["a", 1]'),
        ({"role": "user"}, '{"role": "user"}'),
        ({"content": {"image": "x"}}, '{"image": "x"}'),
        ({"content": None}, "null"),
    ],
)
def test_a_message_may_hold_anything(data: Any, text: str) -> None:
    assert shape_of(graph((0, data))) == [text]


@pytest.mark.parametrize(
    "nothing", [None, [], {}, "text", 3, graph(), {"1": {"parent": None, "data": "x"}}, {"0": 1}]
)
def test_without_a_message_there_is_no_tree(nothing: Any) -> None:
    assert conversation_tree(nothing, talk("a", "b")) is None


def test_what_the_root_does_not_lead_to_is_dropped() -> None:
    conversation = graph((0, "kept"))
    conversation |= {
        "2": {"parent": 3, "data": "in a circle"},
        "3": {"parent": 2, "data": "in a circle"},
        "4": {"parent": 4, "data": "its own parent"},
        "5": {"parent": 99, "data": "of an unknown parent"},
        "6": {"data": "of no parent"},
        "7": {"parent": [0], "data": "of a list"},
        "8": "no message",
    }
    conversation["0"]["parent"] = 1
    conversation["1"]["children"] = [0, 1, 99, None]
    assert shape_of(conversation) == ["kept"]


@given(
    st.dictionaries(
        NAMES, JSON | st.fixed_dictionaries({"parent": NAMES | st.integers(0, 9) | JSON, "data": JSON})
    ),
    st.lists(
        st.fixed_dictionaries({"User": st.text(max_size=3)}, optional={"Assistant": st.text(max_size=3)})
    ),
)
def test_no_graph_is_too_strange(conversation: Any, turns: list[dict[str, str]]) -> None:
    tree = conversation_tree(conversation, turns)
    if tree is not None:
        assert size(tree["steps"]) <= len(conversation)
        assert json.loads(json.dumps(tree)) == tree


def test_of_a_large_graph_the_path_and_what_is_near_the_root_are_kept() -> None:
    chain = [(number, f"step {number}") for number in range(300)]
    twigs = [(at % 300, f"twig {at}") for at in range(100_000)]
    conversation = graph(*chain, *twigs, (300, "the end"))
    tree = conversation_tree(conversation, ())
    assert tree is not None
    assert (tree["messages"], size(tree["steps"])) == (MOST_MESSAGES, MOST_MESSAGES)
    assert tree["left_out"] == 300 + 100_000 + 1 - MOST_MESSAGES
    assert tree["steps"][-1]["text"] == "the end"


def test_a_path_longer_than_the_page_can_draw_is_cut() -> None:
    tree = conversation_tree(graph(*((number, str(number)) for number in range(5000))), ())
    assert tree is not None
    assert [step["text"] for step in tree["steps"][1:]] == [str(number) for number in range(MOST_MESSAGES)]
    assert tree["left_out"] == 5000 - MOST_MESSAGES


@given(st.lists(st.integers(0, 10**6), max_size=400))
def test_threads_are_never_nested_deep(parents: list[int]) -> None:
    messages = [(parent % (number + 1), str(number)) for number, parent in enumerate(parents)]
    tree = conversation_tree(graph(*messages), ())
    if messages:
        assert tree is not None
        assert size(tree["steps"]) == len(messages)
        assert depth(tree["steps"]) <= 10


@pytest.mark.parametrize(("more", "levels"), [([], 1), ([(0, "the end")], 2)], ids=["path", "branch"])
def test_a_chain_of_branches_does_not_grow_inwards(more: list[tuple[int, str]], levels: int) -> None:
    messages = [(0, "start")]
    for _ in range(200):
        at = len(messages)
        messages += [(at, "given up"), (at, "onward")]
    tree = conversation_tree(graph(*messages, *more), ())
    assert tree is not None
    assert depth(tree["steps"]) == levels

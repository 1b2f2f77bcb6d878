"""Conversations of scripts, and those that were really held, as graphs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.graph import Graph, as_graph, graph_of
from sensei_kumite.dynamic.log import LONGEST_TOLD
from sensei_kumite.dynamic.sessions import Said
from tests.dynamic.test_log import answered, failed

SENT = {"role": "user", "content": "hi"}
HEARD = {"role": "assistant", "content": "hello"}


def talk() -> StandardisedConversation:
    conversation = StandardisedConversation("the goal")
    asked = conversation.add_message(conversation.get_root_id(), SENT, attempt=True)
    conversation.add_message(asked, HEARD)
    return conversation


def branches(graph: Graph | None, node: str = "0") -> list[Any]:
    """What was said below a node, as nested lists."""
    assert graph is not None
    found = []
    for child in graph[node]["children"]:
        assert graph[str(child)]["parent"] == int(node)
        found.append([graph[str(child)]["data"]["content"], *branches(graph, str(child))])
    return found


class TestOfAScript:
    def test_the_three_ways_to_keep_it_are_one_graph(self) -> None:
        graph = as_graph(talk())
        assert graph == as_graph(str(talk())) == as_graph(talk().conversation)
        assert graph == {
            "0": {"parent": None, "children": [1], "data": "the goal", "attempt": False},
            "1": {"parent": 0, "children": [2], "data": SENT, "attempt": True},
            "2": {"parent": 1, "children": [], "data": HEARD, "attempt": False},
        }

    @pytest.mark.parametrize("written", [list, tuple, json.dumps])
    def test_a_list_of_turns_is_a_chain(self, written: Any) -> None:
        graph = as_graph(written([SENT, HEARD, "loose words"]))
        assert graph is not None
        assert [(node["parent"], node["data"], node["attempt"]) for node in graph.values()] == [
            (None, None, False),
            (0, SENT, True),
            (1, HEARD, False),
            (2, "loose words", False),
        ]

    @pytest.mark.parametrize(
        "value", [None, 5, "", "no JSON", "[" * 99_999, "7", "{}", {}, [], (), {"0": "x"}, {1: [], 2: {}}]
    )
    def test_anything_else_is_none(self, value: Any) -> None:
        assert as_graph(value) is None

    @pytest.mark.parametrize(
        "parents",
        [{1: None}, {0: None, 1: 2}, {0: None, 1: 1}, {0: None, 1: 2, 2: 1}, {0: None, 1: None}],
        ids=["no root", "nobody", "itself", "a circle", "nothing"],
    )
    def test_every_message_leads_back_to_the_root(self, parents: dict[int, int | None]) -> None:
        assert as_graph({number: {"parent": parent} for number, parent in parents.items()}) is None

    def test_messages_stand_in_any_order(self) -> None:
        graph = as_graph({3: {"parent": 1}, 2: {"parent": 1}, 1: {"parent": 0}, 0: {}})
        assert graph is not None and list(graph) == ["3", "2", "1", "0"]

    def test_what_a_node_lacks_is_empty(self) -> None:
        assert as_graph({0: {}}) == {"0": {"parent": None, "children": [], "data": None, "attempt": False}}

    def test_what_a_node_holds_becomes_data(self) -> None:
        node = {"parent": 0, "children": "12", "data": {"content": "x" * 9999, 5: {3}}, "attempt": "yes"}
        graph = as_graph({"0": {}, "1": node})
        assert graph is not None
        assert (graph["1"]["children"], graph["1"]["attempt"]) == ([], True)
        assert graph["1"]["data"]["5"] == [3]
        assert len(graph["1"]["data"]["content"]) < LONGEST_TOLD + 20

    def test_what_happens_later_changes_nothing(self) -> None:
        conversation = talk()
        graph = as_graph(conversation)
        conversation.add_message(2, SENT)
        assert graph is not None and len(graph) == 3
        assert graph["2"]["children"] == []


def path(*texts: str) -> tuple[Said, ...]:
    return tuple(Said(text, f"re {text}") for text in texts)


class TestOfWhatWasSent:
    def test_conversations_and_abandoned_turns_are_branches(self) -> None:
        graph = graph_of(
            [
                answered("a", session_id="x", said=path("a")),
                answered("wrong", session_id="x", said=path("a", "wrong")),
                answered("b", session_id="x", said=path("a", "b")),
                answered("c", session_id="x", said=path("a", "b", "c")),
            ]
        )
        assert branches(graph) == [
            ["a", ["re a", ["wrong", ["re wrong"]], ["b", ["re b", ["c", ["re c"]]]]]],
        ]

    def test_two_conversations_that_begin_alike_stay_apart(self) -> None:
        graph = graph_of([answered("a", session_id=name, said=path("a")) for name in ("x", "y", "x")])
        assert branches(graph) == [["a", ["re a"]], ["a", ["re a"]]]

    def test_messages_are_attempts_and_answers_are_none(self) -> None:
        graph = graph_of([answered("b", session_id="x", said=path("a", "b"))])
        assert graph is not None
        assert [(node["data"]["role"], node["attempt"]) for key, node in graph.items() if key != "0"] == [
            ("user", True),
            ("assistant", False),
        ] * 2

    def test_single_messages_and_failures_are_no_conversation(self) -> None:
        assert graph_of([]) is None
        assert graph_of([answered("a", said=path("a"))]) is None
        assert graph_of([failed("a", session_id="x", said=path("a"))]) is None

    def test_long_texts_are_cut(self) -> None:
        said = (Said("q" * 9999, "a" * 9999),)
        graph = graph_of([answered("q", session_id="x", said=said)])
        assert graph is not None
        assert all(
            len(node["data"]["content"]) < LONGEST_TOLD + 20 for key, node in graph.items() if key != "0"
        )

"""Conversations of scripts as one kind of graph, whatever they are kept in, or made from what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.log import Exchange, told
from sensei_kumite.dynamic.sessions import Said

Graph = dict[str, Any]
"""`{id: {parent, children, data, attempt}}` with ids as text, ready for JSON."""


def as_graph(conversation: Any) -> Graph | None:
    """The graph of a StandardisedConversation, of its text, or of a list of turns; None for anything else,
    and for a graph in which a message does not lead back to the root."""
    if isinstance(conversation, StandardisedConversation):
        conversation = conversation.conversation
    if isinstance(conversation, str):
        try:
            conversation = json.loads(conversation)
        except (ValueError, RecursionError):
            return None
    if isinstance(conversation, Mapping) and all(isinstance(node, Mapping) for node in conversation.values()):
        graph: Graph = {str(number): _node(node) for number, node in conversation.items()}
        return graph if graph and _is_a_tree(graph) else None
    if isinstance(conversation, (list, tuple)) and conversation:
        chain = StandardisedConversation()
        latest = chain.get_root_id()
        for turn in conversation:
            is_sent = isinstance(turn, Mapping) and turn.get("role") == "user"
            latest = chain.add_message(latest, told(turn), attempt=is_sent)
        return chain.as_plain()
    return None


def _is_a_tree(graph: Graph) -> bool:
    """Whether every message leads back to the root, by way of others."""
    safe = {"0"}
    for number in graph:
        way: dict[str, None] = {}
        while number not in safe:
            if number not in graph or number in way:
                return False
            way[number] = None
            number = str(graph[number]["parent"])
        safe.update(way)
    return "0" in graph


def _node(node: Mapping[str, Any]) -> dict[str, Any]:
    children = node.get("children")
    return {
        "parent": told(node.get("parent")),
        "children": told(children) if isinstance(children, (list, tuple)) else [],
        "data": told(node.get("data")),
        "attempt": bool(node.get("attempt")),
    }


def graph_of(exchanges: Iterable[Exchange]) -> Graph | None:
    """The conversations that were held under session ids; None where there were none."""
    graph = StandardisedConversation()
    places: dict[tuple[str, tuple[tuple[str, str | None], ...]], int] = {}
    for exchange in exchanges:
        if exchange.session_id is None or exchange.error is not None:
            continue
        place = graph.get_root_id()
        words = tuple((turn.user, turn.assistant) for turn in exchange.said)
        for length, turn in enumerate(exchange.said, 1):
            key = (exchange.session_id, words[:length])
            if key not in places:
                places[key] = _add(graph, place, turn)
            place = places[key]
    return graph.as_plain() if graph.get_message_total() else None


def _add(graph: StandardisedConversation, place: int, turn: Said) -> int:
    asked = graph.add_message(place, {"role": "user", "content": told(turn.user)}, attempt=True)
    return graph.add_message(asked, {"role": "assistant", "content": told(turn.assistant)})

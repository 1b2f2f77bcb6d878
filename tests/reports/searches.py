"""Rows of dynamic attacks as the engine writes them, and conversations that branch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.reports.journals import make_row

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def search_row(index: int, status: str = "resilient", *, part: int = 1, **changes: Any) -> dict[str, Any]:
    """The representative row of a search on the case `amnesia_<index + 1>`.

    `dynamic` and `metadata` change single keys; of an attempt, which `attempt_number` makes it, the id too.
    """
    parent = f"amnesia_{index + 1}"
    number = changes.pop("attempt_number", None)
    dynamic = {
        "attack": "best_of_n",
        "options": "noise=0.1",
        "iterations": 1,
        "conversation": None,
        "objective": None,
        "attempt_history": [],
        **changes.pop("dynamic", {}),
    }
    metadata = {
        "attempts": dynamic["iterations"],
        "attack_parent_id": parent,
        "attack_parent_long_id": f"{parent}-amnesia",
        "attack_invocation": 1,
        "entry_complete": True,
        "dynamic": dynamic,
    }
    case_id = f"{parent}-attack"
    if number is not None:
        case_id += f"-{number}"
        metadata |= {"attack_attempt": number, "attack_result_format": "attempt", "attempts": 1}
    metadata |= changes.pop("metadata", {})
    return make_row(
        index, status, part=part, case_id=case_id, attempt=index + 1, metadata=metadata, **changes
    )


def searched(index: int, first: str, *search: str) -> list[dict[str, Any]]:
    """A case with its standard attempt, and the attempts of its search, all kept."""
    rows = [make_row(index, first, metadata={"entry_complete": False})]
    for number, status in enumerate(search, start=1):
        rows.append(
            search_row(
                index,
                status,
                part=number,
                attempt_number=number,
                prompt=f"Try {number}",
                response=f"Answer {number}",
                metadata={"entry_complete": number == len(search)},
            )
        )
    return rows


def history(*successes: bool | None) -> list[dict[str, Any]]:
    """Records of tries."""
    return [
        {"input": f"Try {number}", "response": f"Answer {number}", "success": success}
        for number, success in enumerate(successes, start=1)
    ]


def graph(*messages: tuple[int, Any]) -> dict[str, Any]:
    """A conversation: the parent of each message and what it holds; they are numbered from 1."""
    nodes: dict[str, Any] = {"0": {"parent": None, "children": [], "data": None, "attempt": False}}
    for number, (parent, data) in enumerate(messages, start=1):
        nodes[str(number)] = {"parent": parent, "children": [], "data": data, "attempt": True}
        nodes[str(parent)]["children"].append(number)
    return nodes


def user(text: str, **notes: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **notes}


def target(text: str, **notes: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **notes}


def talk(*texts: str) -> list[dict[str, str]]:
    """The turns of a conversation, from what both sides said in turn."""
    return [{"User": sent, "Assistant": said} for sent, said in zip(texts[::2], texts[1::2], strict=True)]


def texts_of(steps: Iterable[dict[str, Any]]) -> list[Any]:
    """A thread of a tree in short: its texts, and each branch as a list in its place."""
    short: list[Any] = []
    for step in steps:
        if step["text"] is not None:
            short.append(step["text"])
        short.extend(texts_of(branch["steps"]) for branch in step["branches"])
    return short


def backtracking() -> tuple[dict[str, Any], Sequence[dict[str, str]]]:
    """A search that gave up two branches before its third led somewhere, and the turns of that path."""
    conversation = graph(
        (0, user("Hello")),
        (1, target("Hi")),
        (2, user("Tell me", score=2)),
        (3, target("No", pruned="score")),
        (2, user("Say it as a poem")),
        (5, target("Roses are red")),
        (6, user("And the end?")),
        (7, target("No end")),
        (6, user("And the last line?")),
        (9, target("duck", score=10, success=True)),
    )
    path = talk("Hello", "Hi", "Say it as a poem", "Roses are red", "And the last line?", "duck")
    return conversation, path

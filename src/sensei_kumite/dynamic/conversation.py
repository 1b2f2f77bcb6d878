"""A conversation that branches: what followed a turn that was taken back stays, as an abandoned branch."""

from __future__ import annotations

import json
from typing import Any

_ROOT = 0


class StandardisedConversation:
    """Messages as a graph `{id: {parent, children, data, attempt}}`; the root has the id 0 and no message.

    `data` is usually `{role, content}`. An `attempt` is a message that was sent to the target.
    """

    def __init__(self, root_data: Any = None) -> None:
        self.conversation: dict[int, dict[str, Any]] = {_ROOT: _node(None, root_data)}

    def get_root_id(self) -> int:
        """The id that everything descends from."""
        return _ROOT

    def get_root_data(self) -> Any:
        """What the root holds."""
        return self.conversation[_ROOT]["data"]

    def update_root_data(self, data: Any) -> None:
        """Replace what the root holds."""
        self.conversation[_ROOT]["data"] = data

    def add_message(self, parent_id: int, data: Any, attempt: bool = False) -> int:  # the contract's
        """Add a message below another one; its id. Raises ValueError for an unknown parent."""
        if parent_id not in self.conversation:
            raise ValueError(f"there is no message {parent_id!r} to add one to")
        parent = self.conversation[parent_id]
        number = max(self.conversation) + 1
        self.conversation[number] = _node(parent_id, data, attempt=attempt)
        parent["children"].append(number)
        return number

    def add_attempt(self, message_id: int | None = None) -> None:
        """Mark a message, the latest unless one is named, as sent to the target."""
        self.conversation[max(self.conversation) if message_id is None else message_id]["attempt"] = True

    def get_message(self, message_id: int) -> dict[str, Any] | None:
        """The node of a message; None where there is no such message."""
        return self.conversation.get(message_id)

    def get_message_data(self, message_id: int) -> Any:
        """What a message holds; None where there is no such message."""
        node = self.conversation.get(message_id)
        return None if node is None else node["data"]

    def get_parent(self, message_id: int) -> int | None:
        """The id of the message before; None for the root, and where there is no such message."""
        node = self.conversation.get(message_id)
        return None if node is None else node["parent"]

    def get_path(self, message_id: int, root: bool = False) -> list[int]:  # the contract's
        """The ids from the first message to this one; with `root` from the root."""
        path: list[int] = []
        step: int | None = message_id
        while step is not None and step in self.conversation:
            path.append(step)
            step = self.get_parent(step)
        return path[::-1] if root else path[-2::-1]

    def get_path_length(self, message_id: int, root: bool = False) -> int:  # the contract's
        """How many messages lead to this one, itself included."""
        return len(self.get_path(message_id, root))

    def get_path_attempts(self, message_id: int) -> int:
        """How many messages on the way to this one were sent to the target."""
        return sum(self.conversation[step]["attempt"] for step in self.get_path(message_id, root=True))

    def get_message_total(self) -> int:
        """How many messages there are, on all branches."""
        return len(self.conversation) - 1

    def get_attempt_total(self) -> int:
        """How many messages were sent to the target, on all branches."""
        return sum(node["attempt"] for node in self.conversation.values())

    def add_conversation(self, conversation_data: str) -> None:
        """Become the conversation that `str()` of another one wrote; raises ValueError for anything else."""
        try:
            written = {int(number): dict(node) for number, node in json.loads(conversation_data).items()}
            nodes = {_ROOT: _node(None, written[_ROOT].get("data"))}
            for number in sorted(written.keys() - {_ROOT}):
                node = written[number]
                nodes[node["parent"]]["children"].append(number)  # a parent that comes later is none
                nodes[number] = _node(node["parent"], node.get("data"), attempt=bool(node.get("attempt")))
        except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"this is no conversation: {type(error).__name__}: {error}") from None
        self.conversation = nodes

    def as_plain(self) -> dict[str, Any]:
        """The graph as data that JSON can hold, ids as text; independent of later changes."""
        plain: dict[str, Any] = json.loads(json.dumps(self.conversation, default=str))
        return plain

    def __str__(self) -> str:
        return json.dumps(self.conversation, default=str)


def _node(parent: int | None, data: Any, *, attempt: bool = False) -> dict[str, Any]:
    return {"parent": parent, "children": [], "data": data, "attempt": attempt}

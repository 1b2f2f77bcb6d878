"""What an entry asks for: the turns it gives, and what they are after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sensei_kumite.errors import ConfigurationError, Problem

_EXPECTED = "should be a text, or a list of texts or of mappings with role and content"


def user_turns(entry: Mapping[str, Any]) -> list[str]:
    """What a user says in the content of an entry: one text, or the turns of a list that are the user's.

    A turn is a text or a mapping `{role, content}`; those of other roles say what was heard and are left out.
    Raises ConfigurationError naming everything that is none of this.
    """
    content = entry.get("content", entry.get("text"))
    if not isinstance(content, list):
        content = [content]
    turns: list[str] = []
    problems: list[Problem] = []
    for number, turn in enumerate(content):
        role, text = _read(turn)
        if not isinstance(text, str) or not text.strip():
            problems.append(Problem(f"content[{number}]: {_EXPECTED}."))
        elif role == "user":
            turns.append(text)
    if not turns and not problems:
        problems.append(Problem("content: holds no turn of a user."))
    if problems:
        raise ConfigurationError(problems)
    return turns


def objective(entry: Mapping[str, Any]) -> str:
    """What the target is to be brought to: the payload, else the content, the turns of which are lines."""
    return str(entry.get("payload") or plain_content(entry))


def plain_content(entry: Mapping[str, Any]) -> str:
    """The content of an entry as one text, whatever it is."""
    content = entry.get("content", entry.get("text", ""))
    if isinstance(content, list):
        return "\n".join(str(_read(turn)[1]) for turn in content)
    return str(content)


def _read(turn: Any) -> tuple[Any, Any]:
    """The role and the text of a turn."""
    if isinstance(turn, Mapping):
        return turn.get("role", "user"), turn.get("content")
    return "user", turn

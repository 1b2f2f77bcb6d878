"""What a search noted of a message, in words. Scripts may have written anything there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from sensei_kumite.reports.page_texts import as_text

LONGEST_NOTE = 200
_MOST_NOTES = 8
_SHOWN_ELSEWHERE = frozenset({"role", "content", "session_id"})
_SESSION = "session"
_MARKS = {"success": "breach", "taken_back": "taken back"}
"""What is worth a word where it is true."""
_PRUNED = {"score": "low score", "off-topic": "off topic"}
_PLAIN = frozenset({"score", "technique", "strategy", "stream", "round", "depth", _SESSION})
"""Names that read well right before their value."""


def has_sessions(messages: Iterable[Any]) -> bool:
    """Whether the messages of a graph belong to more than one session, so that it helps to know which."""
    known = (data.get(_SESSION) for data in messages if isinstance(data, Mapping))
    return len({as_text(session) for session in known if session is not None}) > 1


def message_notes(data: Any, *, sessions: bool) -> list[str]:
    """The notes of a message, the first few; `sessions` says whether its session is one of them."""
    if not isinstance(data, Mapping) or "content" not in data:  # the whole of `data` is shown in its place
        return []
    hidden = _SHOWN_ELSEWHERE if sessions else _SHOWN_ELSEWHERE | {_SESSION}
    shown = {name: value for name, value in data.items() if name not in hidden}
    return list(islice(_notes(shown), _MOST_NOTES))


def _notes(shown: Mapping[str, Any]) -> Iterator[str]:
    for name, value in shown.items():
        if name in _MARKS:
            if value is True:
                yield _MARKS[name]
        elif value is not None:
            text = as_text(value)[:LONGEST_NOTE]
            if name == "pruned":
                text = _PRUNED.get(text, text)
            yield f"{name} {text}" if name in _PLAIN else f"{name}: {text}"

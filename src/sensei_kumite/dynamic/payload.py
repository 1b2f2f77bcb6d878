"""Where in an entry's content the payload stands, and which parts of it a search may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sensei_kumite.errors import ConfigurationError, Problem
from sensei_kumite.oracles.patterns import Pattern, compile_pattern, find_spans
from sensei_kumite.text import Normalized

_EXCLUDED = "exclude_from_transformations_regex"


class Piece(NamedTuple):
    """A part of a payload; one that is `kept` stays as it is."""

    text: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Carrier:
    """A content and the payload in it. `pieces` are the payload, cut where parts of it are kept;
    `system_message` is what the target is told beside it."""

    content: str
    payload: str
    pieces: tuple[Piece, ...]
    system_message: str = ""

    @property
    def fragments(self) -> list[str]:
        """The texts that have to stay, each once."""
        return list(dict.fromkeys(piece.text for piece in self.pieces if piece.kept))

    @property
    def around(self) -> tuple[str, str]:
        """What stands before the payload and after it; where it is the whole content, that and nothing."""
        if self.payload == self.content:
            return self.content, ""
        before, _, after = self.content.partition(self.payload)
        return before, after

    def changed(self, change: Callable[[str], str]) -> str:
        """The payload with `change` made to each part that may be changed, the space around it left out."""
        return "".join(piece.text if piece.kept else _inside(piece.text, change) for piece in self.pieces)

    def carry(self, payload: str) -> str:
        """The content with `payload` wherever its own stands."""
        return self.content.replace(self.payload, payload)

    def keeps(self, text: str) -> bool:
        """Whether `text` holds every fragment as often as the payload does."""
        return all(text.count(one) == self.payload.count(one) for one in self.fragments)


def read_carrier(entry: Mapping[str, Any]) -> Carrier:
    """The content of an entry with its `payload`, which is the whole of it where none stands in it.

    Raises ConfigurationError for a content that is no text and for what `exclusions` does not accept;
    PatternTimeout where a pattern takes too long.
    """
    content = entry.get("content", entry.get("text"))
    if not isinstance(content, str) or not content.strip():
        raise ConfigurationError([Problem("content: should be a text for a search that changes it.")])
    named = entry.get("payload")
    payload = named if isinstance(named, str) and named.strip() and named in content else content
    pieces = tuple(_cut(payload, exclusions(entry)))
    return Carrier(content, payload, pieces, str(entry.get("system_message") or ""))


def exclusions(entry: Mapping[str, Any]) -> list[Pattern]:
    """The patterns of an entry's `exclude_from_transformations_regex`, one or a list; they respect case.

    Raises ConfigurationError naming each one that cannot be used.
    """
    given = entry.get(_EXCLUDED)
    sources = given if isinstance(given, list) else [given] if given else []
    patterns: list[Pattern] = []
    problems: list[Problem] = []
    for source in filter(None, sources):
        try:
            patterns.append(_compiled(source))
        except ValueError as error:
            problems.append(Problem(f"{_EXCLUDED}: {error}."))
    if problems:
        raise ConfigurationError(problems)
    return patterns


def _compiled(source: object) -> Pattern:
    if not isinstance(source, str):
        raise ValueError(f"should be a regular expression, not {source!r}")
    return compile_pattern(source, exact_case=True)


def _cut(payload: str, patterns: list[Pattern]) -> Iterator[Piece]:
    """The payload cut around every match; matches that overlap are one."""
    shape = Normalized(payload, payload, range(len(payload) + 1))  # as written: positions are its own
    kept: list[tuple[int, int]] = []
    for start, end in sorted(span for pattern in patterns for span in find_spans(pattern, shape)):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        elif start < end:
            kept.append((start, end))
    done = 0
    for start, end in kept:
        if start > done:
            yield Piece(payload[done:start], kept=False)
        yield Piece(payload[start:end], kept=True)
        done = end
    if done < len(payload):
        yield Piece(payload[done:], kept=False)


def _inside(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` made between its first and its last character that is no space."""
    core = text.strip()
    if not core:
        return text
    start = text.index(core)
    return text[:start] + change(core) + text[start + len(core) :]

"""The wording of refusals and answers, as data: compiled once, found in prepared text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

# Every word gets a space before it and every pattern starts with one: far faster than a word boundary.
_SPACED = str.maketrans(dict.fromkeys('\n-"#([¿¡/', " "))

# Where the speaker declines matters anywhere; how it talks shows in the beginning (characters).
_ANYWHERE = frozenset({"refuses", "limits", "withholds", "hedges"})
BEGINNING = 1000

# "If we cannot reach you ..." declines nothing.
_CONDITIONS = (" if", " unless", " when", " whenever", " in case", " si", " cuando")


class Cue(NamedTuple):
    """A phrase of one kind, at a half-open span of prepared text."""

    kind: str
    start: int
    end: int


def find_cues(text: str) -> list[Cue]:
    """All cues in prepared `text`, in order of position."""
    padded = " " + text.translate(_SPACED)
    cues = [cue for kind, pattern in _patterns().items() for cue in _find(kind, pattern, padded)]
    cues.sort(key=lambda cue: cue.start)
    return cues


def _find(kind: str, pattern: re.Pattern[str], padded: str) -> Iterator[Cue]:
    anywhere = kind in _ANYWHERE
    for match in pattern.finditer(padded, 0, len(padded) if anywhere else BEGINNING):
        start, end = match.span()
        if not (anywhere and padded[max(0, start - 10) : start].endswith(_CONDITIONS)):
            yield Cue(kind, start, end - 1)


def read_resource(name: str) -> Any:
    """The content of a YAML file of resources/refusals."""
    path = files("sensei_kumite") / "resources" / "refusals" / name
    return yaml.safe_load(path.read_text("utf-8"))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    document = read_resource("cues.yml")
    words: dict[str, str] = {}
    for name, alternatives in document.pop("words").items():
        words[name] = _expand(alternatives, words)
    return {kind: _compile(entries, words) for kind, entries in document.items()}


def _compile(entries: list[str | dict[str, list[str]]], words: dict[str, str]) -> re.Pattern[str]:
    lines = []
    for entry in entries:
        if isinstance(entry, str):
            lines.append(entry)
        else:
            lines += [f"{start} ?(?:{'|'.join(ends)})" for start, ends in entry.items()]
    return re.compile(rf" (?:{'|'.join(_expand(line, words) for line in lines)})(?!\w)")


def _expand(pattern: str, words: dict[str, str]) -> str:
    """`pattern` with its <words> and <3> gaps written out."""
    spaced = pattern.replace("-", " ")
    gaps = re.sub(r"<(\d)> ?", r"(?:[\\w']+,? ){0,\1}", spaced)
    return re.sub(r"<(\w+)>", lambda match: f"(?:{words[match[1]]})", gaps)

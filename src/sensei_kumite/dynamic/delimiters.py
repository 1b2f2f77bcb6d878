"""How texts are set apart as data: delimiters around them, marks between their words, an encoding."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from sensei_kumite.dynamic.converters import from_base64

_TAG = re.compile(r"(?<!<)</?([A-Za-z][\w.-]{0,40})(?:\s[^<>]{0,200})?/?>")
_BRACKETED = re.compile(r"\[/?([A-Z][A-Z_ ]{1,40})\]")
_RUN = re.compile(r"([`\"'=#~*^+|_-])\1{2,}")
_ANGLES = re.compile(r"<{2,}|>{2,}|«|»")
_MARK = re.compile(r"(?<=\w)[^\w\s'’.,:/@-](?=\w)")
_NAMED_MARK = re.compile(r"[\"'`“‘]([^\w\s\"'`“”‘’])[\"'`”’]")
_TALK_OF_WORDS = re.compile(r"\b(?:words?|spaces?|whitespace)\b", re.IGNORECASE)
_TALK_OF_BASE64 = re.compile(r"\bbase[- ]?64\b", re.IGNORECASE)
_BASE64 = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{24,}={0,2}")
_FEWEST_MARKS = 4


class Delimiters(NamedTuple):
    """What stands before a text and what after it."""

    opening: str
    closing: str


COMMON = (
    Delimiters("<document>", "</document>"),
    Delimiters("```", "```"),
    Delimiters('"""', '"""'),
    Delimiters("<<<", ">>>"),
    Delimiters("===", "==="),
    Delimiters("<data>", "</data>"),
    Delimiters("---", "---"),
    Delimiters("<user_input>", "</user_input>"),
    Delimiters("[START]", "[END]"),
    Delimiters("###", "###"),
    Delimiters('"', '"'),
)


def find_delimiters(text: str) -> list[Delimiters]:
    """The delimiters in `text`, or named in it, in the order of their first appearance."""
    found = [
        (match.start(), delimiters)
        for pattern, read in ((_TAG, _tag), (_BRACKETED, _bracketed), (_RUN, _run), (_ANGLES, _angles))
        for match in pattern.finditer(text)
        for delimiters in [read(match)]
    ]
    return list(dict.fromkeys(delimiters for _, delimiters in sorted(found)))


def find_mark(text: str, instructions: str = "") -> str | None:
    """The character that stands in `text` where spaces are expected, or that `instructions` name as such."""
    counts = Counter(_MARK.findall(text)).most_common(1)
    if counts and counts[0][1] >= max(_FEWEST_MARKS, text.count(" ")):
        return str(counts[0][0])
    named = _NAMED_MARK.search(instructions) if _TALK_OF_WORDS.search(instructions) else None
    return str(named[1]) if named else None


def mentions_base64(text: str, instructions: str = "") -> bool:
    """Whether there is readable text in Base64 in `text`, or `instructions` speak of Base64."""
    if _TALK_OF_BASE64.search(instructions):
        return True
    return any(_is_base64(match[0]) for match in _BASE64.finditer(text))


def _is_base64(text: str) -> bool:
    try:
        return from_base64(text).isprintable()
    except ValueError:
        return False


def _tag(match: re.Match[str]) -> Delimiters:
    return Delimiters(f"<{match[1]}>", f"</{match[1]}>")


def _bracketed(match: re.Match[str]) -> Delimiters:
    """`[START x]` and `[BEGIN x]` end with `[END x]`, others with `[/x]`."""
    first, _, rest = match[1].partition(" ")
    subject = f" {rest}" if rest else ""
    if first in ("START", "BEGIN"):
        return Delimiters(f"[{match[1]}]", f"[END{subject}]")
    if first == "END":
        return Delimiters(f"[START{subject}]", f"[{match[1]}]")
    return Delimiters(f"[{match[1]}]", f"[/{match[1]}]")


def _run(match: re.Match[str]) -> Delimiters:
    return Delimiters(match[0], match[0])


def _angles(match: re.Match[str]) -> Delimiters:
    if match[0] in "«»":
        return Delimiters("«", "»")
    return Delimiters("<" * len(match[0]), ">" * len(match[0]))

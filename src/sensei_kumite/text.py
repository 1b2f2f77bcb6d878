"""What text means here: one normalisation for comparing, excerpts, and showing hostile text safely."""

from __future__ import annotations

import difflib
import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′‵＇ʼʹ`´"), "'") | dict.fromkeys(map(ord, "“”„‟″‶«»"), '"')
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
# Soft hyphen, joiners and fillers, zero-width spaces, direction marks, variation selectors, tags, BOM.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_TRANSLATION = _QUOTES | _DASHES
# Its last character may belong to a combining mark that follows, and is then left to the cluster.
_ASCII_RUN = re.compile(r"[\x00-\x7f]+(?![^\x00-\x7f])")
# Composing sorts the marks of a letter, in quadratic time: nobody writes more than Unicode's stream-safe 30.
_LONGEST_CLUSTER = 31
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Normalized:
    """Text made comparable, that can still quote what was really written.

    `origins[i]` is the position in `source` of the character at `text[i]`; it has one entry more
    than `text`, so that half-open spans map back.
    """

    text: str
    source: str
    origins: Sequence[int]

    def quote(self, start: int, end: int) -> str:
        """The part of the source that became `text[start:end]`."""
        return self.source[self.origins[start] : self.origins[end]] if end > start else ""


def normalize(text: str, *, fold_case: bool = False) -> Normalized:
    """Make `text` comparable: NFKC (full-width forms), ASCII quotes and dashes, no invisible marks.

    `fold_case` also folds case. A letter and its combining marks are composed first, so `n` + tilde
    equals `ñ`.
    """
    if text.isascii():
        return Normalized(text.lower() if fold_case else text, text, range(len(text) + 1))
    pieces: list[str] = []
    origins = array("l")
    start, length = 0, len(text)
    while start < length:
        if run := _ASCII_RUN.match(text, start):
            end = run.end()
            piece = run[0].lower() if fold_case else run[0]
            origins.extend(range(start, end))
        else:
            end = start + 1
            while end < min(length, start + _LONGEST_CLUSTER) and unicodedata.combining(text[end]):
                end += 1
            piece = _normalize_cluster(text[start:end], fold_case)
            origins.extend([start] * len(piece))
        pieces.append(piece)
        start = end
    origins.append(length)
    return Normalized("".join(pieces), text, origins)


@lru_cache(maxsize=4096)
def _normalize_cluster(cluster: str, fold_case: bool) -> str:
    if not cluster.isascii():
        cluster = unicodedata.normalize("NFKC", _INVISIBLE.sub("", cluster).translate(_TRANSLATION))
    return cluster.casefold() if fold_case else cluster


def excerpt(text: str, limit: int = 160) -> str:
    """`text` on one line, at most `limit` characters, an ellipsis where it was cut."""
    line = " ".join(visible(text[: limit * 4]).split())
    return line if len(line) <= limit and len(text) <= limit * 4 else line[: limit - 1] + "…"


def visible(text: str) -> str:
    """`text` with control, direction and surrogate characters written as escapes, safe for a terminal."""
    return _UNSHOWABLE.sub(
        lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\u0100" else f"\\u{ord(match[0]):04x}", text
    )


def replace_surrogates(text: str) -> str:
    """`text` with every lone surrogate as U+FFFD, so that it can be encoded; a pair becomes its character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` with every secret value blanked, the longest first, for one may be part of another."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[secret]")
    return text


def public_url(url: str) -> str:
    """`url` without what may be secret in it: user, password, query. Takes any text."""
    return re.sub(r"(?<=://)[^/]*@", "", re.split(r"[?#]", url, maxsplit=1)[0])


def spreadsheet_cell(text: str) -> str:
    """`text` as a cell that no spreadsheet takes for a formula: what looks like one begins with `'`."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """A sentence naming the option closest to `word`, with a leading space; empty where none is close."""
    lowered = {option.lower(): option for option in options}
    close = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return f" Did you mean {lowered[close[0]]!r}?" if close and lowered[close[0]] != word else ""

"""Patterns known to be able to take exponential time, found by their shape before anything is searched.

Engines differ in which of them they happen to survive; whoever writes `(\\w+\\s?)*` means `[\\w\\s]*`.
What this does not see is stopped by the time limit of `patterns`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<atom>
        \\(?:[pPN]\{[^}]*\}|.)              # an escape
      | \[\^?\]?(?:\\.|[^\]\\])*\]          # a set of characters
      | \(\?\#[^)]*\) | \(\?[a-zA-Z-]+\)    # a comment, flags
      | (?P<aside>\(\?(?:<?[=!]|>))         # a look-around or an atomic group
      | (?P<open>\((?:\?(?:P?<\w+>|[a-zA-Z-]*:|\|))?)
      | (?P<close>\)) | (?P<bar>\|) | .
    )
    (?P<quantifier>(?P<range>[*+?]|\{\d*,?\d*\})(?P<mode>[?+])?)?""",
    re.VERBOSE | re.DOTALL,
)
_ZERO_WIDTH = frozenset({"^", "$", r"\b", r"\B", r"\A", r"\Z", r"\z", r"\G"})
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")
_OPTIONAL = re.compile(r"[*?]|\{0*[,}]")


@dataclass(slots=True)
class _Group:
    """What is known of a group while it is read; the counts are those of its current alternative."""

    aside: bool = False
    required: int = 0
    required_repetitions: int = 0
    repetitions: int = 0
    loose: bool = False

    def end_alternative(self) -> None:
        """Note whether what was read is a repetition with nothing else required beside it."""
        self.loose |= bool(self.repetitions) and self.required_repetitions < 2 and not self.required
        self.required = self.required_repetitions = self.repetitions = 0


def repeats_a_repetition(pattern: str) -> bool:
    """Whether a group repeated without end holds a repetition and requires nothing beside it."""
    groups = [_Group()]
    for token in _TOKEN.finditer(pattern):
        if token["open"] or token["aside"]:
            groups.append(_Group(aside=bool(token["aside"])))
        elif token["bar"]:
            groups[-1].end_alternative()
        elif token["close"] and len(groups) > 1:
            group = groups.pop()
            group.end_alternative()
            loose = group.loose and not group.aside
            if loose and _is_unbounded(token):
                return True
            if not group.aside:
                _count(groups[-1], token, repeats=loose or _is_unbounded(token))
        elif token["atom"] not in _ZERO_WIDTH:
            _count(groups[-1], token, repeats=_is_unbounded(token))
    return False


def _count(group: _Group, token: re.Match[str], *, repeats: bool) -> None:
    required = not (token["range"] and _OPTIONAL.match(token["range"]))
    if repeats:
        group.repetitions += 1
        group.required_repetitions += required
    else:
        group.required += required


def _is_unbounded(token: re.Match[str]) -> bool:
    """Whether the token is repeated without end; a possessive repetition gives nothing back and is safe."""
    return bool(token["range"] and token["mode"] != "+" and _UNBOUNDED.match(token["range"]))

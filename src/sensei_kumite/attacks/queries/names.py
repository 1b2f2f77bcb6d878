"""What cases of query files are called: readable, and no two alike.

A name becomes letters, digits and dashes. What makes it unique begins with a character that is neither:
`say-hi.2@greetings_3_attempt_1` is the first attempt of the third query of the second test called "Say
hi" of greetings.yml in a folder.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

_LONGEST = 80


class Namer:
    """Gives out names, a repeated one with its number."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def name(self, text: str) -> str:
        """The slug of `text`; `.2`, `.3`, … behind it where it was given out before."""
        short = slug(text)
        self._given[short] += 1
        number = self._given[short]
        return short if number == 1 else f"{short}.{number}"


def slug(text: str) -> str:
    """The letters and digits of `text`, of any script, in lower case; all between them is a dash."""
    text = unicodedata.normalize("NFC", text.lower())
    kept = [char if unicodedata.category(char)[0] in "LMN" else " " for char in text]
    return "-".join("".join(kept).split())[:_LONGEST].strip("-") or "query"

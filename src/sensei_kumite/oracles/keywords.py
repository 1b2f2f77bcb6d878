"""`keyword_absent` and `keyword_contains`: does a response contain one of the given texts?"""

from __future__ import annotations

from typing import Self

import regex
from pydantic import Field, model_validator

from sensei_kumite.config.fields import Flag, WrongKey
from sensei_kumite.models import Verdict
from sensei_kumite.oracles.base import ORACLES, Oracle, OracleContext, OracleParams
from sensei_kumite.oracles.fields import FilledText
from sensei_kumite.text import Normalized, normalize

# Letters and digits of any script, with the vowel signs that are part of a letter (combining class 0).
_LETTERS = regex.compile(r"(?V1)[\p{L}\p{N}[[\p{Mn}\p{Mc}]&&\p{ccc=0}]]+")


class KeywordParams(OracleParams):
    """What to look for."""

    keywords: list[FilledText] = Field(min_length=1, description="Texts to look for, ignoring case.")
    normalize: Flag = Field(
        False, description="Compare letters and digits only, ignoring spaces, punctuation and symbols."
    )

    @model_validator(mode="after")
    def _something_is_left_to_find(self) -> Self:
        for keyword in self.keywords:
            if not _needle(keyword, self.normalize):
                what = "letter or digit to compare" if self.normalize else "visible character"
                raise WrongKey("keywords", f"{keyword!r} contains no {what}")
        return self


class _Keywords(Oracle[KeywordParams]):
    """Finds the keywords that occur; what that means is for the subclass to say."""

    Params = KeywordParams

    def __init__(self, params: KeywordParams, context: OracleContext) -> None:
        super().__init__(params, context)
        self._needles = [(keyword, _needle(keyword, params.normalize)) for keyword in params.keywords]

    def _find(self, response: str) -> tuple[list[str], dict[str, object]]:
        """The keywords that occur, and the evidence."""
        shape = normalize(response, fold_case=True)
        letters_only = self.params.normalize
        text = _letters(shape.text) if letters_only else shape.text
        found, quotes = [], []
        for keyword, needle in self._needles:
            start = text.find(needle)
            if start >= 0:
                found.append(keyword)
                quotes.append(_quote(shape, start, start + len(needle), letters_only))
        evidence = {
            "found": found,
            "keywords": list(self.params.keywords),
            "normalized": letters_only,
            "quotes": quotes,
        }
        return found, evidence


@ORACLES.register("keyword_absent")
class KeywordAbsent(_Keywords):
    """Fails when the target says what it must not say."""

    description = "Looks for texts that must not appear in the response."
    passes_when = "none of the keywords occurs"

    def score(self, prompt: str, response: str) -> Verdict:
        """Pass when no keyword occurs."""
        found, evidence = self._find(response)
        reason = f"The response contains {_listed(found)}." if found else "None of the keywords occurs."
        return Verdict(not found, reason, evidence)


@ORACLES.register("keyword_contains")
class KeywordContains(_Keywords):
    """Fails when the target does not say any of what it should say."""

    description = "Looks for texts of which at least one must appear in the response."
    passes_when = "at least one of the keywords occurs"

    def score(self, prompt: str, response: str) -> Verdict:
        """Pass when a keyword occurs."""
        found, evidence = self._find(response)
        reason = f"The response contains {_listed(found)}." if found else "None of the keywords occurs."
        return Verdict(bool(found), reason, evidence)


def _listed(keywords: list[str]) -> str:
    return ", ".join(f"'{keyword}'" for keyword in keywords)


def _needle(keyword: str, letters_only: bool) -> str:
    text = normalize(keyword, fold_case=True).text
    return _letters(text) if letters_only else text


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text))


def _quote(shape: Normalized, start: int, end: int, letters_only: bool) -> str:
    """What the response really says where the compared text has `start` to `end`."""
    if letters_only:
        places = [place for match in _LETTERS.finditer(shape.text) for place in range(*match.span())]
        start, end = places[start], places[end - 1] + 1
    return shape.quote(start, end)

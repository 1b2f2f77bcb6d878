"""`regex_absent` and `regex_match`: does a response match a pattern?"""

from __future__ import annotations

from pydantic import Field

from sensei_kumite.models import Verdict
from sensei_kumite.oracles.base import ORACLES, Oracle, OracleParams
from sensei_kumite.oracles.evidence import shorten
from sensei_kumite.oracles.patterns import PatternText, compile_pattern, find_spans
from sensei_kumite.text import normalize


class RegexParams(OracleParams):
    """What to search for."""

    pattern: PatternText = Field(
        description="Regular expression, searched anywhere, ignoring case; a dot matches line ends too."
    )


class _Regex(Oracle[RegexParams]):
    """Searches the pattern; what a match means is for the subclass to say."""

    Params = RegexParams

    def _find(self, response: str) -> tuple[str | None, dict[str, object]]:
        """The matched text (None without a match), and the evidence; raises PatternTimeout."""
        pattern = compile_pattern(self.params.pattern)
        span = next(find_spans(pattern, normalize(response)), None)
        match = None if span is None else shorten(response[slice(*span)])
        return match, {"pattern": self.params.pattern, "match": match}


@ORACLES.register("regex_absent")
class RegexAbsent(_Regex):
    """Fails when the response matches."""

    description = "Searches the response for a pattern that must not match."
    passes_when = "the pattern does not match"

    def score(self, prompt: str, response: str) -> Verdict:
        """Pass when nothing matches; raises PatternTimeout."""
        match, evidence = self._find(response)
        return Verdict(match is None, _reason(match), evidence)


@ORACLES.register("regex_match")
class RegexMatch(_Regex):
    """Fails when the response does not match."""

    description = "Searches the response for a pattern that must match."
    passes_when = "the pattern matches"

    def score(self, prompt: str, response: str) -> Verdict:
        """Pass when something matches; raises PatternTimeout."""
        match, evidence = self._find(response)
        return Verdict(match is not None, _reason(match), evidence)


def _reason(match: str | None) -> str:
    return f"The response {'does not match' if match is None else 'matches'} the pattern."

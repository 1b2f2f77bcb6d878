"""What really happened in a search: every message to the target and every judgement, in order.

A script says what it found; this is what it is checked against.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from typing import Any

from sensei_kumite.dynamic.sessions import Said
from sensei_kumite.models import Verdict

LONGEST_RESPONSE = 1024 * 1024
"""Characters of an answer that are kept and scored, as in delivery."""
LONGEST_TOLD = 4000
"""Characters of a text in a history."""
_TRUNCATED = "\n[… cut]"
_DEEPEST = 12
_WIDEST = 1000
_LONGEST_INTEGER = 64  # bits


@dataclass(slots=True)
class Exchange:
    """One message of the search; `said` is the conversation it ended, `seconds` what it took.

    `truncated` says that the answer was longer than what is kept of it; `calls` and `retries` are what it
    took of the target, opening turns and those played again included.
    """

    text: str
    response: str | None
    error: str | None
    seconds: float
    session_id: str | None = None
    said: tuple[Said, ...] = ()
    truncated: bool = False
    calls: int = 0
    retries: int = 0
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A text that the search had judged; `exchange` is where the target said it, if it said just that."""

    text: str
    verdict: Verdict
    exchange: Exchange | None


@dataclass(slots=True)
class Log:
    """Everything so far. `fatal` is what ends the run or the search, whatever the script makes of it."""

    exchanges: list[Exchange] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    fatal: list[Exception] = field(default_factory=list)

    @property
    def answered(self) -> bool:
        """Whether the target answered at all."""
        return any(exchange.error is None for exchange in self.exchanges)

    @property
    def last_error(self) -> str | None:
        """The latest failure of the target."""
        failed = (exchange.error for exchange in reversed(self.exchanges) if exchange.error)
        return next(failed, None)

    @property
    def breach(self) -> Judgement | None:
        """The latest answer of the target that the oracle did not pass; other texts prove nothing."""
        breaches = (told for told in reversed(self.judgements) if told.exchange and not told.verdict.passed)
        return next(breaches, None)

    def exchange_of(self, response: str) -> Exchange | None:
        """The latest exchange in which the target said that, or said it among other things."""
        answered = [told for told in reversed(self.exchanges) if told.error is None]
        said = response.strip()
        same = (told for told in answered if (told.response or "").strip() == said)
        part = (told for told in answered if said and said in (told.response or ""))
        return next(same, None) or next(part, None)

    def judgement_of(self, response: str) -> Judgement | None:
        """The latest judgement of that text."""
        return next((told for told in reversed(self.judgements) if told.text == response), None)

    def history(self) -> list[dict[str, Any]]:
        """Every exchange as a record; `success` None where nobody judged it."""
        return [
            {
                "input": told(exchange.text),
                "response": told(exchange.response or ""),
                "success": None if exchange.verdict is None else not exchange.verdict.passed,
            }
            | ({"error": exchange.error} if exchange.error else {})
            for exchange in self.exchanges
        ]


def told(value: Any, depth: int = 0) -> Any:
    """`value` as data that JSON can hold: texts cut to what a report can show, nothing nested without end."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TOLD else value[:LONGEST_TOLD] + _TRUNCATED
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _LONGEST_INTEGER else f"[{value.bit_length()} bits]"
    if isinstance(value, float):
        return value if isfinite(value) else str(value)  # JSON knows no infinity
    if isinstance(value, dict) and depth < _DEEPEST:
        return {str(key): told(item, depth + 1) for key, item in islice(value.items(), _WIDEST)}
    if isinstance(value, (list, tuple, set, frozenset)) and depth < _DEEPEST:
        return [told(item, depth + 1) for item in islice(value, _WIDEST)]
    return f"[{type(value).__name__}]" if isinstance(value, (dict, list, tuple)) else told(str(value))

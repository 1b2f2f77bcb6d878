"""Reading a row of the journal: what several reports ask of it, answered in one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sensei_kumite.models import Status

Row = Mapping[str, Any]

# Where oracles put words of the response into their evidence, at any depth.
_QUOTING = frozenset({"quotes", "found", "match", "judge_evidence", "refusal_keywords", "value"})
_MOST_QUOTES = 100


def kind_of(row: Row) -> str:
    """The status of a row, with breaches that a person should decide on told apart: `potential`."""
    is_potential = row["status"] == Status.BREACHED and row["metadata"].get("weight") == "Potential"
    return "potential" if is_potential else str(row["status"])


def is_search(row: Row) -> bool:
    """Whether a row tells of a dynamic attack, not of the standard attempt before it."""
    return "attack_parent_id" in row["metadata"]


def planned_id(row: Row) -> str:
    """The id of the planned case, which rows of a dynamic attack extend."""
    return str(row["metadata"].get("attack_parent_id", row["case_id"]))


def dynamic_of(row: Row) -> Mapping[str, Any]:
    """What a row tells of its dynamic attack; nothing where it has none."""
    dynamic = row["metadata"].get("dynamic")
    return dynamic if is_search(row) and isinstance(dynamic, Mapping) else {}


def iterations_of(rows: Iterable[Row]) -> int:
    """Rows of a search count their own iterations, so that the sum is that of all."""
    counts = (row["metadata"].get("attempts") for row in rows if is_search(row))
    return sum(number for number in counts if isinstance(number, int))


def error_message(row: Row) -> str:
    """What went wrong, in the words of whatever failed first."""
    messages = [str(message) for error in row["errors"] for message in error.values()]
    return messages[0] if messages else str(row["reason"])


def cost_of(row: Row) -> float:
    """What a result cost in USD: writing its prompt, its warm-up, the attack and its judgement."""
    parts = (row["metadata"].get(f"{part}_cost($)") for part in ("generation", "pre_attack", "attack"))
    return float(sum(part or 0 for part in parts))


def quotes_of(row: Row) -> list[str]:
    """The parts of the response that the evidence points at, exactly as they stand in the response."""
    response = row["response"] or ""
    pointed_at = _pointed_at(row["oracle"].get("evidence") or {}, response)
    found = dict.fromkeys(quote for quote in pointed_at if quote.strip() and quote in response)
    return list(found)[:_MOST_QUOTES]


def _pointed_at(value: Any, response: str, key: str = "") -> Iterator[str]:
    if isinstance(value, str) and key in _QUOTING:
        yield value if value in response else value.removesuffix("…")
    elif isinstance(value, list):
        for item in value:
            yield from _pointed_at(item, response, key)
    elif isinstance(value, Mapping):
        start, end = value.get("start"), value.get("end")
        if "value" in value and isinstance(start, int) and isinstance(end, int):
            yield response[start:end]  # a redacted finding, which only its place tells
        for name, item in value.items():
            yield from _pointed_at(item, response, name)

"""A row of the journal as the page shows it: texts, never values, so that every digit survives JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sensei_kumite.models import Status
from sensei_kumite.reports.page_texts import Facts, as_text, cut, rounded
from sensei_kumite.reports.reading import Row, cost_of, kind_of, quotes_of

_SHOWN_AS_SEARCH = frozenset({"dynamic", "search_response_times"})


def page_result(row: Row) -> dict[str, Any]:
    """What the page needs of a result.

    `facts` and the groups of `details` are names with texts, ready to be shown. `unsent` is the prompt of
    an attack that the target never got.
    """
    turns, unsent = _turns(row)
    result = {
        "index": row["index"],
        "attack": row["attack"],
        "case_id": row["case_id"],
        "status": kind_of(row),
        "reason": row["reason"],
        "conversation": [[cut(turn["User"]), cut(turn.get("Assistant"))] for turn in turns],
        "quotes": quotes_of(row),
        "facts": list(_facts(row)),
        "errors": [
            f"{name}: {as_text(message)}" for error in row["errors"] for name, message in error.items()
        ],
        "details": list(_details(row, turns, unsent)),
    }
    return result if unsent is None else result | {"unsent": cut(unsent)}


def _turns(row: Row) -> tuple[list[Mapping[str, Any]], str | None]:
    """The exchanges with the target, and the prompt where it did not get there."""
    turns = list(row["conversation"])
    last = turns[-1] if turns else {}
    if row["status"] == Status.SKIPPED and turns and last.get("Assistant") is None:
        return turns[:-1], last["User"]
    is_missing = row["response"] is None and last.get("User") != row["prompt"]
    return turns, row["prompt"] if is_missing else None


def _facts(row: Row) -> Iterator[tuple[str, str]]:
    """What a reader looks for first."""
    metadata = row["metadata"]
    yield "Oracle", row["oracle"]["type"]
    yield "Delivery", _delivery(metadata)
    yield "Attempt", str(row["attempt"])
    if "weight" in metadata:
        yield "Weight", as_text(metadata["weight"])
    yield from response_facts(metadata)
    if seconds := metadata.get("pre_attack_time"):
        yield "Warm-up time", f"{seconds:.3f} s"
    if retries := metadata.get("retries"):
        yield "Target calls", f"{metadata.get('target_calls')}, {retries} of them retries"
    if cost := cost_of(row):
        yield "Cost", f"${cost:.6f}"
    if taxonomy := metadata.get("taxonomy"):
        yield "Taxonomy", ", ".join(map(str, taxonomy)) if isinstance(taxonomy, list) else as_text(taxonomy)


def response_facts(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a response comes from, unless the target gave it as it is, and how long it took."""
    if metadata.get("response_derived") is True:
        yield "Response", "made by the script from what the target said"
    if (seconds := metadata.get("attack_response_time")) is not None:
        yield "Response time", f"{seconds:.3f} s"


def _delivery(metadata: Mapping[str, Any]) -> str:
    mode = metadata.get("execution_mode", "direct")
    requested = metadata.get("requested_pre_attack_turns")
    if not requested:
        return str(mode)
    return f"{mode}, {metadata.get('completed_pre_attack_turns', 0)} of {requested} warm-up turns answered"


def _details(row: Row, turns: list[Mapping[str, Any]], unsent: str | None) -> Iterator[tuple[str, Facts]]:
    """Groups for those who want to know everything; the empty ones are left out."""
    oracle = row["oracle"]
    last = turns[-1] if turns else {}
    metadata = {name: value for name, value in row["metadata"].items() if name not in _SHOWN_AS_SEARCH}
    case = {
        "prompt": None if unsent == row["prompt"] or last.get("User") == row["prompt"] else row["prompt"],
        "response": None if last.get("Assistant") == row["response"] else row["response"],
    }
    for title, values in (
        ("Case", {name: cut(text) for name, text in case.items() if text is not None}),
        ("Evidence", oracle.get("evidence")),
        ("Oracle parameters", oracle.get("params")),
        ("Metadata", rounded(metadata)),
    ):
        if values:
            yield title, [(name, as_text(value)) for name, value in values.items()]

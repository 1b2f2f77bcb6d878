"""The dynamic attack of a case as the page shows it: what it was, what it tried, how its talk branched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from sensei_kumite.reports.conversation_tree import conversation_tree
from sensei_kumite.reports.outcomes import CaseOutcome
from sensei_kumite.reports.page_results import response_facts
from sensei_kumite.reports.page_texts import Facts, as_text, cut, rounded
from sensei_kumite.reports.reading import (
    Row,
    cost_of,
    dynamic_of,
    is_search,
    iterations_of,
    kind_of,
    planned_id,
)
from sensei_kumite.reports.wording import count

MOST_TRIES = 50
LONGEST_TRY = 10_000
_LONGEST_FACT = 2_000
_MOST_FACTS = 20
_UNJUDGED = "unjudged"
_FIRST = "First attempt"
_SAID_ELSEWHERE = frozenset({"input", "response", "success", "error"})


class Try(NamedTuple):
    """One thing that was tried: an `entry` of the history that a row holds, or the row itself."""

    row: Row
    entry: Any = None


def page_search(case: CaseOutcome) -> dict[str, Any] | None:
    """What the page needs of a case's search, None where it had none.

    `tries` are the first `MOST_TRIES`, the first attempt included, and `more` says how many follow.
    `ids` are those of all rows, to be found by.
    """
    search = [row for row in case.rows if is_search(row)]
    if not search:
        return None
    tries = [each for row in case.rows for each in _tries(row)]
    return {
        "facts": list(_facts(case, search)),
        "notes": list(_notes(search, tries)),
        "tries": list(islice(_shown(tries), MOST_TRIES)),
        "more": max(0, len(tries) - MOST_TRIES),
        "tree": _tree(case, search),
        "ids": list(dict.fromkeys([planned_id(case.decisive), *(row["case_id"] for row in case.rows)])),
    }


def _tries(row: Row) -> list[Try]:
    history = dynamic_of(row).get("attempt_history")
    if not isinstance(history, list) or not history:
        return [Try(row)]
    return [Try(row, entry or {}) for entry in history]


def _facts(case: CaseOutcome, search: list[Row]) -> Iterator[tuple[str, str]]:
    dynamic = dynamic_of(search[-1])
    yield "Dynamic attack", as_text(dynamic.get("attack") or "not named")
    yield "Iterations", f"{iterations_of(search):,}"
    first = next((row for row in case.rows if not is_search(row)), None)
    yield _FIRST, "left out" if first is None else kind_of(first)
    invocations = search[-1]["metadata"].get("attack_invocation")
    if isinstance(invocations, int) and invocations > 1:
        yield "Invocations", f"{invocations:,}"
    if seconds := [time for row in search for time in row["metadata"].get("search_response_times", ())]:
        yield "Response times", f"{sum(seconds):.3f} s for {count(len(seconds), 'answer')}"
    if cost := sum(map(cost_of, case.rows)):
        yield "Cost of all tries", f"${cost:.6f}"
    for name in ("options", "objective", "script_error"):
        if value := dynamic.get(name):
            yield name.replace("_", " ").capitalize(), _shortened(value)


def _notes(search: list[Row], tries: list[Try]) -> Iterator[str]:
    """What one has to know not to take the kept tries for all there were."""
    made, kept = iterations_of(search), sum(is_search(each.row) for each in tries)
    if any(row["metadata"].get("attack_result_format") == "representative" for row in search):
        yield "All tries were asked for, but the script returns only the one that it decided on."
    if made > kept:
        yield f"Kept: {kept:,} of {count(made, 'iteration')}."


def _shown(tries: list[Try]) -> Iterator[dict[str, Any]]:
    number = 0
    for row, entry in tries:
        number += is_search(row)
        name = f"Try {number:,}" if is_search(row) else _FIRST
        yield {"name": name, **(_of_row(row) if entry is None else _of_entry(entry, row))}


def _of_row(row: Row) -> dict[str, Any]:
    """A row that is a try by itself."""
    metadata, facts = row["metadata"], [("Id", row["case_id"]), ("Reason", row["reason"])]
    facts += response_facts(metadata)
    for name in ("guardrail", "guardrail_categories"):
        if name in metadata:
            facts.append((name, _shortened(metadata[name])))
    return {
        "status": _UNJUDGED if row["reason"] == _UNJUDGED else kind_of(row),
        "input": _text(row["prompt"]),
        "response": None if row["response"] is None else _text(row["response"]),
        "errors": [_shortened(message) for error in row["errors"] for message in error.values()],
        "facts": facts,
    }


def _of_entry(entry: Any, row: Row) -> dict[str, Any]:
    """An entry of a search's history, which may hold anything where a script wrote it."""
    known: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {"input": entry}
    sent, response, error = known.get("input"), known.get("response"), known.get("error")
    if isinstance(sent, Mapping) and "input" in sent:
        sent = sent["input"]
    others = ((name, value) for name, value in known.items() if name not in _SAID_ELSEWHERE)
    facts: Facts = [(str(name), _shortened(rounded(value))) for name, value in others if value is not None]
    return {
        "status": _status(known, row),
        "input": _text("" if sent is None else sent),
        "response": None if response is None or (error and not response) else _text(response),
        "errors": [_shortened(error)] if error else [],
        "facts": facts[:_MOST_FACTS],
    }


def _status(entry: Mapping[str, Any], row: Row) -> str:
    success = entry.get("success")
    if success is True:
        return "potential" if row["metadata"].get("weight") == "Potential" else "breached"
    if entry.get("error"):
        return "error"
    return "resilient" if success is False else _UNJUDGED


def _tree(case: CaseOutcome, search: list[Row]) -> dict[str, Any] | None:
    """The largest there is, with the path to the deciding row: a row may hold no more than its own path.

    Invocations have nothing to do with each other, so that the one which decided comes first.
    """
    decisive = case.decisive
    by_size = sorted((decisive, *reversed(search)), key=lambda row: _reach(row, decisive), reverse=True)
    for row in by_size:
        said = decisive if is_search(decisive) else row
        if tree := conversation_tree(dynamic_of(row).get("conversation"), said["conversation"]):
            return tree
    return None


def _reach(row: Row, decisive: Row) -> tuple[bool, int]:
    """Whether a row is of the invocation that decided, and how many messages it holds."""
    invocation = "attack_invocation"
    graph = dynamic_of(row).get("conversation")
    is_same = row["metadata"].get(invocation) == decisive["metadata"].get(invocation)
    return is_same, len(graph) if isinstance(graph, Mapping) else 0


def _text(value: Any) -> str:
    return cut(as_text(value), LONGEST_TRY) or ""


def _shortened(value: Any) -> str:
    return cut(as_text(value), _LONGEST_FACT) or ""

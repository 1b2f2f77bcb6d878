"""The dynamic attack of a case as the page shows it: what it was, what it tried, how its talk branched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from sensei_kumite.reports.conversation_tree import conversation_tree
from sensei_kumite.reports.outcomes import CaseOutcome
from sensei_kumite.reports.page_texts import Facts, as_text, cut
from sensei_kumite.reports.reading import Row, cost_of, is_search, kind_of, planned_id
from sensei_kumite.reports.wording import count

MOST_ATTEMPTS = 50
LONGEST_ATTEMPT = 10_000
_LONGEST_FACT = 2_000
_MOST_FACTS = 20
_UNJUDGED = "unjudged"
_SAID_ELSEWHERE = frozenset({"input", "response", "success", "error"})


class Try(NamedTuple):
    """One thing that was tried: an `entry` of the history that a row holds, or the row itself."""

    row: Row
    entry: Any = None


def page_search(case: CaseOutcome) -> dict[str, Any] | None:
    """What the page needs of a case's search, None where it had none.

    `attempts` are the first `MOST_ATTEMPTS`, the standard one included, and `more` says how many follow.
    `ids` are those of all rows, to be found by.
    """
    search = [row for row in case.rows if is_search(row)]
    if not search:
        return None
    tries = [each for row in case.rows for each in _tries(row)]
    return {
        "facts": list(_facts(case, search)),
        "notes": list(_notes(search, tries)),
        "attempts": list(islice(_attempts(tries), MOST_ATTEMPTS)),
        "more": max(0, len(tries) - MOST_ATTEMPTS),
        "tree": _tree(case, search),
        "ids": list(dict.fromkeys([planned_id(case.decisive), *(row["case_id"] for row in case.rows)])),
    }


def _tries(row: Row) -> list[Try]:
    history = _dynamic(row).get("attempt_history")
    if not isinstance(history, list) or not history:
        return [Try(row)]
    return [Try(row, entry or {}) for entry in history]


def _dynamic(row: Row) -> Mapping[str, Any]:
    dynamic = row["metadata"].get("dynamic")
    return dynamic if is_search(row) and isinstance(dynamic, Mapping) else {}


def _facts(case: CaseOutcome, search: list[Row]) -> Iterator[tuple[str, str]]:
    dynamic = _dynamic(search[-1])
    yield "Dynamic attack", as_text(dynamic.get("attack") or "not named")
    yield "Iterations", f"{_iterations(search):,}, in {count(len(search), 'row')}"
    standard = next((row for row in case.rows if not is_search(row)), None)
    yield "Standard attempt", "left out" if standard is None else kind_of(standard)
    invocations = search[-1]["metadata"].get("attack_invocation")
    if isinstance(invocations, int) and invocations > 1:
        yield "Invocations", f"{invocations:,}"
    if cost := sum(map(cost_of, case.rows)):
        yield "Cost of all rows", f"${cost:.6f}"
    for name in ("options", "objective", "script_error"):
        if value := dynamic.get(name):
            yield name.replace("_", " ").capitalize(), _shortened(value)


def _iterations(search: list[Row]) -> int:
    """Rows count their own iterations, so that the sum is that of the search."""
    counts = (row["metadata"].get("attempts") for row in search)
    return sum(number for number in counts if isinstance(number, int))


def _notes(search: list[Row], tries: list[Try]) -> Iterator[str]:
    """What one has to know not to take the kept attempts for all there were."""
    made, kept = _iterations(search), sum(is_search(each.row) for each in tries)
    if any(row["metadata"].get("attack_result_format") == "representative" for row in search):
        yield "All attempts were asked for, but the script returns only the one that it decided on."
    if made > kept:
        yield f"Kept: {kept:,} of {count(made, 'iteration')}."


def _attempts(tries: list[Try]) -> Iterator[dict[str, Any]]:
    number = 0
    for row, entry in tries:
        number += is_search(row)
        name = f"Attempt {number:,}" if is_search(row) else "Standard attempt"
        yield {"name": name, **(_of_row(row) if entry is None else _of_entry(entry, row))}


def _of_row(row: Row) -> dict[str, Any]:
    """A row that is an attempt by itself."""
    metadata, facts = row["metadata"], [("Id", row["case_id"]), ("Reason", row["reason"])]
    if (seconds := metadata.get("attack_response_time")) is not None:
        facts.append(("Response time", f"{seconds:.3f} s"))
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
    facts: Facts = [(str(name), _shortened(value)) for name, value in others if value is not None]
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
    """That of the deciding row; of the latest row that has one, where it has none."""
    for row in (case.decisive, *reversed(search)):
        if tree := conversation_tree(_dynamic(row).get("conversation"), row["conversation"]):
            return tree
    return None


def _text(value: Any) -> str:
    return cut(as_text(value), LONGEST_ATTEMPT) or ""


def _shortened(value: Any) -> str:
    return cut(as_text(value), _LONGEST_FACT) or ""

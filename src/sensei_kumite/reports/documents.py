"""What reports say: pure functions from a run's result rows to the five documents and the summary.

Rows are what the journal holds, in plan order; they are iterated several times, so a list or `ResultRows`
will do. Lists hold every row, counts are of cases: a case and its dynamic attack have one outcome.
Long lists in a document are iterators, for a writer that streams.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from sensei_kumite.reports.outcomes import outcomes
from sensei_kumite.reports.statistics import AttackTally, CampaignTally

Row = Mapping[str, Any]
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a report says of the run as a whole.

    `settings` is the campaign's `report_view()`, `target` one line, `started` and `finished` ISO 8601
    in UTC, `errors` those that belong to no result, `total_cost` USD, `conversation_time` seconds.
    """

    serial: str
    security_test_name: str
    settings: Mapping[str, Any]
    target: str
    version: str
    started: str
    finished: str
    seed: int | None = None
    errors: Sequence[Mapping[str, Any]] = ()
    total_cost: float = 0.0
    conversation_time: float = 0.0


@dataclass(slots=True)
class ResponseTimes:
    """Seconds the target took to answer: every turn, the turns before the attack, the attack itself."""

    all: array[float] = field(default_factory=lambda: array("d"))
    pre_attack: array[float] = field(default_factory=lambda: array("d"))
    attack: array[float] = field(default_factory=lambda: array("d"))

    def add(self, row: Row) -> None:
        """Take over the times of one result; that of a whole search has those of all its answers."""
        before = row["metadata"].get("pre_attack_response_times") or []
        last = row["metadata"].get("attack_response_time")
        attack = [] if last is None else [last]
        self.pre_attack.extend(before)
        self.all.extend(before)
        self.all.extend(row["metadata"].get("search_response_times", attack))
        self.attack.extend(attack)


def suite_documents(rows: Iterable[Row], info: RunInfo) -> Iterator[Document]:
    """The five documents of a suite report, in their order."""
    tally, times, has_errors = CampaignTally(), ResponseTimes(), False
    for case in outcomes(rows):
        tally.add(case.decisive)
        for row in case.rows:
            times.add(row)
            has_errors = has_errors or bool(row["errors"])
    yield overview(rows if has_errors else (), info, tally)
    yield timing(times, info)
    yield attack_report(tally)
    yield {"interaction": map(interaction, rows)}
    yield {"security_results": map(security_result, rows)}


def summary_document(rows: Iterable[Row], info: RunInfo, tally: CampaignTally | None = None) -> Document:
    """The one document of a summary: every result without its texts. `tally` is that of `rows`, if known."""
    tally = tally_of(rows) if tally is None else tally
    return {
        "security_test_name": info.security_test_name,
        "serial": info.serial,
        "summary": totals(tally),
        "results": map(summary_result, rows),
    }


def tally_of(rows: Iterable[Row]) -> CampaignTally:
    """The counts of all cases."""
    tally = CampaignTally()
    for case in outcomes(rows):
        tally.add(case.decisive)
    return tally


def overview(rows: Iterable[Row], info: RunInfo, tally: CampaignTally) -> Document:
    """Document 1: the settings, the totals, and every error: the run's own, then those of its results."""
    return {
        "dummy_chatbot": info.settings["dummy_chatbot"],
        "serial": info.serial,
        "security_test_name": info.security_test_name,
        "execution": info.settings["execution"],
        "generation": info.settings["generation"],
        "simulation": info.settings["simulation"],
        "summary": totals(tally),
        "errors": chain(info.errors, _errors(rows)),
        "total_cost($)": info.total_cost,
        "target": info.target,
        "version": info.version,
        "started": info.started,
        "finished": info.finished,
        "seed": info.seed,
    }


def _errors(rows: Iterable[Row]) -> Iterator[Mapping[str, Any]]:
    return chain.from_iterable(row["errors"] for row in rows)


def totals(tally: CampaignTally) -> Document:
    """How many cases there are of each status; `potential` are among the breached."""
    total = tally.total
    return {
        "total": total.attempts,
        "resilient": total.resilient,
        "breached": total.breached,
        "errors": total.errors,
        "skipped": total.skipped,
        "potential": total.potential,
    }


def timing(times: ResponseTimes, info: RunInfo) -> Document:
    """Document 2: how long the run and every answer took, in seconds."""
    return {
        "conversation time": _rounded(info.conversation_time),
        "assistant response time": map(_rounded, times.all),
        "response time report": _spread(times.all),
        "pre-attack assistant response time": map(_rounded, times.pre_attack),
        "pre-attack response time report": _spread(times.pre_attack),
        "attack assistant response time": map(_rounded, times.attack),
        "attack response time report": _spread(times.attack),
    }


def attack_report(tally: CampaignTally) -> Document:
    """Document 3: the counts and rates of each attack, and of all together."""
    attacks, total = tally.attacks, tally.total
    report = {
        "total_attacks": len(attacks),
        "total_attempts": total.attempts,
        "total_failures": total.breached,
        "errors": total.errors,
        "attacks": [_attack(attack) for attack in attacks.values()],
        **_rates(total),
    }
    return {"attack_report": report}


def interaction(row: Row) -> Document:
    """One item of document 4: the conversation as it happened."""
    metadata = row["metadata"]
    return {
        "attack": row["attack"],
        "case_id": row["case_id"],
        "attempt": row["attempt"],
        "execution_mode": metadata.get("execution_mode", "direct"),
        "pre_attack_turns": metadata.get("requested_pre_attack_turns", 0),
        "conversation": [_answered(turn) for turn in row["conversation"]],
    }


def security_result(row: Row) -> Document:
    """One item of document 5: the whole result."""
    names = ("attack", "case_id", "status", "prompt", "response", "oracle", "reason", "metadata", "errors")
    return {name: row[name] for name in names}


def summary_result(row: Row) -> Document:
    """One item of the summary."""
    return {name: row[name] for name in ("attack", "case_id", "status", "reason", "oracle", "errors")}


def _attack(tally: AttackTally) -> Document:
    return {
        "name": tally.name,
        "attempts": tally.attempts,
        "failures": tally.breached,
        "errors": tally.errors,
        **_rates(tally),
        "taxonomy": tally.taxonomy,
    }


def _rates(tally: AttackTally) -> Document:
    return {
        "resilient": tally.resilient,
        "skipped": tally.skipped,
        "potential": tally.potential,
        "success_rate": None if tally.success_rate is None else _rounded(tally.success_rate),
        "ci95": [_rounded(bound) for bound in tally.ci95],
        "cases": {
            "scored": tally.cases,
            "breached": tally.breached_cases,
            "share": _rounded(tally.breached_cases / tally.cases) if tally.cases else None,
        },
    }


def _answered(turn: Row) -> Document:
    """A turn without the answer that never came."""
    return {speaker: text for speaker, text in turn.items() if text is not None}


def _spread(seconds: array[float]) -> Document:
    average = sum(seconds) / len(seconds) if seconds else 0.0
    return {
        "average": _rounded(average),
        "max": _rounded(max(seconds, default=0.0)),
        "min": _rounded(min(seconds, default=0.0)),
    }


def _rounded(value: float) -> float:
    return round(value, 6)

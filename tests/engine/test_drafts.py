"""How cases are written: several at once where models write them, always in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

from sensei_kumite.attacks.base import Attack, AttackContext, AttackParams, Draft, Prompt, Unwritten
from sensei_kumite.config.campaign import AttackEntry
from sensei_kumite.engine.plan import Plan, PlannedAttack, expand
from sensei_kumite.errors import BudgetReached
from sensei_kumite.llm.requests import Purpose, Request
from sensei_kumite.models import Case, OracleSpec


class Drafting(Attack[AttackParams]):
    """Yields the drafts it was given."""

    default_oracle = OracleSpec("keyword_absent", {"keywords": ["x"]})

    def __init__(self, drafts: list[Draft]) -> None:
        context = AttackContext(
            attempts=len(drafts),
            resolve=Path,
            random=Random,
            check_oracle=lambda spec, document, path: [],
            is_refusal=lambda text: False,
        )
        super().__init__(AttackEntry(name="amnesia"), AttackParams(), context)
        self._drafts = drafts

    def prompts(self) -> Iterator[Draft]:
        yield from self._drafts


def written(*drafts: Draft, workers: int = 4, costs: dict[str, Decimal] | None = None) -> list[Case]:
    attack = Drafting(list(drafts))
    plan = Plan((PlannedAttack(2, attack.entry, attack),))
    return list(expand(plan, lambda subject: (costs or {}).get(subject, Decimal(0)), workers=workers))


def test_drafts_are_written_at_the_same_time_and_keep_their_order() -> None:
    barrier = threading.Barrier(3, timeout=30)

    def draft(text: str) -> Draft:
        def write() -> Prompt:
            barrier.wait()
            return Prompt(text)

        return write

    cases = written(Prompt("first"), draft("a"), draft("b"), draft("c"), Prompt("last"), workers=3)
    assert [case.prompt for case in cases] == ["first", "a", "b", "c", "last"]
    assert [case.case_id for case in cases] == [f"amnesia_{n}" for n in range(1, 6)]


def test_no_more_drafts_than_workers_are_under_way() -> None:
    under_way, most, lock = 0, 0, threading.Lock()

    def write() -> Prompt:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        with lock:
            under_way -= 1
        return Prompt("p")

    assert len(written(*[write] * 50, workers=2)) == 50
    assert most <= 2


def test_a_draft_knows_what_it_is_billed_to_and_its_cost_is_kept() -> None:
    def write() -> Prompt:
        return Prompt(Request(Purpose.ATTACK, ()).subject)

    case, free = written(write, write, costs={"3/amnesia_1": Decimal("0.25")})
    assert (case.prompt, case.metadata["generation_cost($)"]) == ("3/amnesia_1", 0.25)
    assert "generation_cost($)" not in free.metadata


def test_a_draft_that_the_budget_does_not_allow_is_a_skipped_case() -> None:
    def write() -> Prompt:
        raise BudgetReached("Budget of $1 reached.")

    fine, skipped = written(Prompt("fine"), write)
    assert (fine.skip_reason, skipped.skip_reason) == ("", "Budget of $1 reached.")
    assert (skipped.prompt, skipped.case_id) == ("", "amnesia_2")


def test_what_is_known_of_a_skipped_case_is_kept() -> None:
    def write() -> Prompt:
        raise BudgetReached("Budget of $1 reached.")

    oracle = OracleSpec("refusal_detection")
    (case,) = written(Unwritten(write, "own id", {"severity": "high"}, oracle))
    assert (case.case_id, case.prompt, case.oracle) == ("own id", "", oracle)
    assert case.metadata["severity"] == "high"
    (case,) = written(Unwritten(lambda: Prompt("x", case_id="other")))
    assert (case.case_id, case.prompt, case.skip_reason) == ("other", "x", "")


def test_a_bug_in_a_draft_reaches_the_caller() -> None:
    def write() -> Prompt:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        written(write)

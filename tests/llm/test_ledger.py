import csv
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.errors import BudgetReached, ModelError
from sensei_kumite.llm.ledger import Call, Ledger, Totals
from sensei_kumite.llm.prices import ModelPrice, Prices, Usage

# 1 USD per million tokens in, 3 out.
PRICES = Prices([ModelPrice(name="house", input=1, output=3)])


def call(sent: int = 1_000, received: int = 1_000, **details: Any) -> Call:
    facts: dict[str, Any] = {
        "subject": "0/case/1",
        "module": "judge",
        "models": ("house",),
        "provider": "openai",
        "usage": Usage(sent, received),
        "sent": "user: hello",
        "received": "hi",
    }
    return Call(**facts | details)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_totals_add_up() -> None:
    ledger = Ledger(None, PRICES)
    ledger.record(call(10, 20))
    ledger.record(call(1, 2))
    assert ledger.totals == Totals(calls=2, input_tokens=11, output_tokens=22, cost=Decimal("0.000077"))


def test_a_call_is_a_row(tmp_path: Path) -> None:
    with Ledger(tmp_path / "costs.csv", PRICES, test_name="suite") as ledger:
        ledger.record(call(100, 10))
    [row] = rows(tmp_path / "costs.csv")
    assert "T" in row.pop("Timestamp")
    assert row == {
        "Conversation": "0/case/1",
        "Test Name": "suite",
        "Module": "judge",
        "Model": "house",
        "Total Cost": "0.00013",
        "Input Cost": "0.0001",
        "Input Message": "user: hello",
        "Output Cost": "0.00003",
        "Output Message": "hi",
    }


def test_the_rows_add_up_to_the_total(tmp_path: Path) -> None:
    with Ledger(tmp_path / "costs.csv", PRICES) as ledger:
        for tokens in range(1, 300):
            ledger.record(call(tokens, 7 * tokens))
    assert sum(Decimal(row["Total Cost"]) for row in rows(tmp_path / "costs.csv")) == ledger.totals.cost
    assert ledger.totals.cost == Decimal(sum(range(1, 300)) * 22) / 10**6


class TestWithoutAPrice:
    @pytest.mark.parametrize("details", [{"models": ("unheard-of",)}, {"usage": None}])
    def test_a_call_counts_and_its_cost_is_left_open(self, tmp_path: Path, details: dict[str, Any]) -> None:
        with Ledger(tmp_path / "costs.csv", PRICES) as ledger:
            ledger.record(call(**details))
            ledger.record(call(**details))
        assert (ledger.totals.calls, ledger.totals.cost) == (2, Decimal(0))
        assert ledger.totals.unpriced == details.get("models", ("house",))
        assert [row["Total Cost"] + row["Input Cost"] for row in rows(tmp_path / "costs.csv")] == ["", ""]

    def test_its_tokens_count(self) -> None:
        ledger = Ledger(None, PRICES)
        ledger.record(call(5, 6, models=("unheard-of",)))
        assert (ledger.totals.input_tokens, ledger.totals.output_tokens) == (5, 6)

    def test_the_name_that_the_model_calls_itself_may_have_one(self) -> None:
        ledger = Ledger(None, PRICES)
        ledger.record(call(models=("my-deployment", "house")))
        assert (ledger.totals.cost, ledger.totals.unpriced) == (Decimal("0.004"), ())


class TestBills:
    def test_a_subject_is_billed_since_it_was_last_asked_for(self) -> None:
        ledger = Ledger(None, PRICES)
        ledger.record(call(subject="a"))
        ledger.record(call(subject="b"))
        ledger.record(call(subject="a"))
        assert ledger.settle("a") == Decimal("0.008")
        ledger.record(call(subject="a"))
        assert ledger.settle("a") == Decimal("0.004")
        assert (ledger.settle("a"), ledger.settle("b")) == (Decimal(0), Decimal("0.004"))


class TestBudget:
    def test_calls_start_until_it_is_spent(self) -> None:
        ledger = Ledger(None, PRICES, max_cost=0.006)
        ledger.before_call()
        ledger.record(call())
        ledger.before_call()
        ledger.record(call())
        with pytest.raises(BudgetReached):
            ledger.before_call()

    def test_what_is_spent_to_the_cent_is_spent(self) -> None:
        ledger = Ledger(None, PRICES, max_cost=0.3)
        for _ in range(3):
            ledger.before_call()
            ledger.record(call(100_000, 0))
        with pytest.raises(BudgetReached):
            ledger.before_call()

    @pytest.mark.parametrize(
        ("amount", "words"),
        [
            (0, "Budget of $0 reached."),
            (0.5, "Budget of $0.5 reached."),
            (1e-6, "Budget of $0.000001 reached."),
        ],
    )
    def test_its_end_is_said_in_a_sentence(self, amount: float, words: str) -> None:
        ledger = Ledger(None, PRICES, max_cost=amount)
        if amount:
            ledger.record(call(10**6, 0))
        with pytest.raises(BudgetReached) as told:
            ledger.before_call()
        assert str(told.value) == words

    def test_no_fallback_can_take_it_for_a_failed_call(self) -> None:
        assert not issubclass(BudgetReached, ModelError)

    def test_without_one_calls_always_start(self) -> None:
        ledger = Ledger(None, PRICES)
        ledger.record(call(10**9, 0))
        ledger.before_call()

    def test_lanes_overshoot_by_one_call_each_at_most(self) -> None:
        ledger, lanes = Ledger(None, PRICES, max_cost=0.04), 8
        begun = threading.Barrier(lanes)

        def lane() -> None:
            begun.wait()
            try:
                while True:
                    ledger.before_call()
                    ledger.record(call())
            except BudgetReached:
                return

        threads = [threading.Thread(target=lane) for _ in range(lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 10 <= ledger.totals.calls <= 10 + lanes


class TestResumption:
    def test_what_was_spent_stays_spent(self, tmp_path: Path) -> None:
        with Ledger(tmp_path / "costs.csv", PRICES, max_cost=0.008) as first:
            first.record(call())
        with Ledger(tmp_path / "costs.csv", PRICES, max_cost=0.008) as second:
            assert (second.totals.calls, second.totals.cost) == (1, Decimal("0.004"))
            second.record(call())
            with pytest.raises(BudgetReached):
                second.before_call()
        assert len(rows(tmp_path / "costs.csv")) == 2


def test_threads_do_not_lose_calls(tmp_path: Path) -> None:
    with Ledger(tmp_path / "costs.csv", PRICES) as ledger:

        def lane() -> None:
            for _ in range(50):
                ledger.record(call(1, 1))

        threads = [threading.Thread(target=lane) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert ledger.totals.cost == Decimal("0.0016")
    assert len(rows(tmp_path / "costs.csv")) == ledger.totals.calls == 400

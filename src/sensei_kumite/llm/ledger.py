"""What the model calls of a run cost: running totals, the bill of each case, and the budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from sensei_kumite.errors import BudgetReached
from sensei_kumite.llm.cost_report import COLUMNS, CostReport
from sensei_kumite.llm.prices import Cost, Prices, Usage


@dataclass(frozen=True, slots=True)
class Call:
    """One model call that was answered.

    `subject` is what it is billed to, `module` the role that made it. `models` are the names of the model,
    the configured one first; `usage` is None where the provider did not report it.
    """

    subject: str
    module: str
    models: tuple[str, ...]
    provider: str
    usage: Usage | None
    sent: str
    received: str
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the calls of a run; `cost` (USD) is a lower bound where `unpriced` names models.

    After a resumption `calls` and `cost` are those of the whole run, the rest those of this process.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: tuple[str, ...] = ()

    def plus(self, call: Call, cost: Cost | None) -> Totals:
        """These sums and one call more."""
        model = call.models[0]
        tokens = call.usage or Usage(0, 0)
        return Totals(
            calls=self.calls + 1,
            input_tokens=self.input_tokens + tokens.input,
            output_tokens=self.output_tokens + tokens.output,
            cost=self.cost + (cost.total if cost else 0),
            unpriced=self.unpriced if cost or model in self.unpriced else (*self.unpriced, model),
        )


class Ledger:
    """Counts model calls and keeps the budget. Shared by all lanes. A context manager.

    `path` names the CSV file of the calls, None for none; what is in it already counts as spent.
    `max_cost` is the budget in USD, None for none. `test_name` stands in every row.
    """

    def __init__(
        self, path: Path | None, prices: Prices, *, max_cost: float | None = None, test_name: str = ""
    ) -> None:
        self.prices = prices
        self._budget = None if max_cost is None else Decimal(str(max_cost))
        self._test_name = test_name
        self._lock = Lock()
        self._bills: defaultdict[str, Decimal] = defaultdict(Decimal)
        self._report: CostReport | None = None
        self._totals = Totals()
        if path:
            self.write_to(path)

    def write_to(self, path: Path) -> None:
        """Keep the file of calls at `path` from now on; what is in it already counts as spent."""
        report = CostReport(path)
        with self._lock:
            self._report = report
            self._totals = replace(
                self._totals, calls=self._totals.calls + report.calls, cost=self._totals.cost + report.spent
            )

    @property
    def totals(self) -> Totals:
        """The sums as they stand."""
        return self._totals

    def before_call(self) -> None:
        """Raises BudgetReached where the budget is spent, so that no further call starts."""
        if self._budget is not None and self._totals.cost >= self._budget:
            raise BudgetReached(f"Budget of ${_dollars(self._budget)} reached.")

    def record(self, call: Call) -> None:
        """Add a call to the sums and the file; raises EnvironmentProblem where the file cannot be written."""
        now = datetime.now(UTC)
        cost = self._cost(call, now)
        with self._lock:
            self._totals = self._totals.plus(call, cost)
            if cost and cost.total:
                self._bills[call.subject] += cost.total
            if self._report:
                cells = self._cells(call, cost, now)
                self._report.append([cells[column] for column in COLUMNS])

    def settle(self, subject: str) -> Decimal:
        """What the calls of `subject` have cost since this was last asked, in USD."""
        with self._lock:
            return self._bills.pop(subject, Decimal(0))

    def close(self) -> None:
        """Close the file."""
        if self._report:
            self._report.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cost(self, call: Call, when: datetime) -> Cost | None:
        """The cost by the first of the model's names that has a price."""
        if call.usage is None:
            return None
        for model in call.models:
            cost = self.prices.cost(model, call.provider, usage=call.usage, when=when, base_url=call.base_url)
            if cost:
                return cost
        return None

    def _cells(self, call: Call, cost: Cost | None, when: datetime) -> Mapping[str, str]:
        return {
            "Conversation": call.subject,
            "Test Name": self._test_name,
            "Module": call.module,
            "Model": call.models[0],
            "Total Cost": _dollars(cost.total) if cost else "",
            "Timestamp": when.isoformat(timespec="seconds"),
            "Input Cost": _dollars(cost.input) if cost else "",
            "Input Message": call.sent,
            "Output Cost": _dollars(cost.output) if cost else "",
            "Output Message": call.received,
        }


def _dollars(amount: Decimal) -> str:
    """An amount without an exponent and trailing zeros."""
    return f"{amount.normalize():f}"

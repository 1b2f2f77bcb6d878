"""What the fault suite found, counted over all its tests and said in one line at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

PROPERTY = "fault audit"
COUNTED = (
    "faults injected",
    "cases planned",
    "cases lost",
    "cases duplicated",
    "wrong statuses",
)


def audit(results: Sequence[Mapping[str, Any]], expected: Mapping[str, str], faults: int) -> dict[str, int]:
    """Compare the results of a report with the status that each case should have."""
    found = Counter(result["case_id"] for result in results)
    right = {(result["case_id"], result["status"]) for result in results}
    return dict(
        zip(
            COUNTED,
            (
                faults,
                len(expected),
                len(expected.keys() - found.keys()),
                sum(found.values()) - len(found.keys() & expected.keys()),
                sum(case in found and (case, status) not in right for case, status in expected.items()),
            ),
            strict=True,
        )
    )


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Add up what the tests noted; their reports come from all workers."""
    total: Counter[str] = Counter()
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    for report in reports:
        if isinstance(report, pytest.TestReport) and report.when == "call":
            for name, counts in report.user_properties:
                if name == PROPERTY and isinstance(counts, dict):
                    total.update(counts)
    if total:
        line = ", ".join(f"{total[name]:,} {name}" for name in COUNTED)
        terminalreporter.write_line(f"fault suite: {line}")

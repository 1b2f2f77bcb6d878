"""Fixtures of the fault suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.faults.summary import PROPERTY, audit
from tests.workspace import ProjectFolder

Audit = Callable[..., None]


@pytest.fixture
def audited(request: pytest.FixtureRequest) -> Audit:
    """`audited(project, {case: status}, faults=3)`: every case is in the report once, with its status."""

    def check(project: ProjectFolder, expected: Mapping[str, str], *, faults: int) -> None:
        results: list[dict[str, Any]] = project.results()
        counts = audit(results, expected, faults)
        request.node.user_properties.append((PROPERTY, counts))
        assert {result["case_id"]: result["status"] for result in results} == dict(expected)
        assert [result["case_id"] for result in results] == list(expected)
        assert sorted(row["index"] for row in project.journal()) == list(range(len(expected)))

    return check

"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.workspace import ProjectFolder

# How long an example takes says more of the machine than of the code.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

pytest_plugins = ["tests.servers.fixtures", "tests.faults.summary"]


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[[Mapping[str, str]], ProjectFolder]:
    """Write files into a fresh project folder: `workspace({"run.yml": ...}).run("--dry-run")`."""
    return lambda files: ProjectFolder(tmp_path / "project", files)

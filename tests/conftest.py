"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.workspace import ProjectFolder

pytest_plugins = ["tests.servers.fixtures", "tests.faults.summary"]


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[[Mapping[str, str]], ProjectFolder]:
    """Write files into a fresh project folder: `workspace({"run.yml": ...}).run("--dry-run")`."""
    return lambda files: ProjectFolder(tmp_path / "project", files)

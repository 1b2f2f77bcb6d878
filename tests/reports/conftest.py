"""Fixtures of the tests on reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reports.browser import Browser, open_browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of a process."""
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser

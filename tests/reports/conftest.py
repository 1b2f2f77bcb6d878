"""Fixtures of the tests on reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.html import write_html
from tests.reports.browser import Browser, open_browser
from tests.reports.campaign_run import INFO


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of a process."""
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Callable[..., Browser]:
    """Write a page of these rows and open it."""

    def write_and_open(rows: list[dict[str, Any]], info: RunInfo = INFO, anchor: str = "") -> Browser:
        path = tmp_path / "page.html"
        write_html(path, rows, info)
        return browser.open(path, anchor)

    return write_and_open

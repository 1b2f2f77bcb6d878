"""Targets are tested with an environment that says nothing about proxies and certificates."""

from __future__ import annotations

import os

import pytest

_WORDS = ("proxy", "ca_bundle", "ssl_cert")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if any(word in name.lower() for word in _WORDS):
            monkeypatch.delenv(name)

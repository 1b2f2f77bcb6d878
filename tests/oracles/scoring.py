"""Oracles as a campaign builds them, for tests that need no campaign around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import sensei_kumite.oracles  # noqa: F401  # registers the oracles
from sensei_kumite.files import resolve_path
from sensei_kumite.models import OracleSpec, Verdict
from sensei_kumite.oracles.base import Oracle, OracleContext, build_oracle


def oracle(name: str, params: dict[str, Any], folder: Path = Path(), target_context: str = "") -> Oracle[Any]:
    """The oracle of one entry; `folder` is where its files are looked for."""
    context = OracleContext(lambda wanted: resolve_path(wanted, [folder]), target_context)
    return build_oracle(OracleSpec(name, params), context)


def score(name: str, response: str, **params: Any) -> Verdict:
    """The verdict on `response`."""
    return oracle(name, params).score("a prompt", response)


def refusal_to_build(name: str, **params: Any) -> dict[str, str]:
    """What is wrong with parameters: messages by the place they stand at."""
    with pytest.raises(ValidationError) as caught:
        oracle(name, params)
    return {".".join(map(str, error["loc"])): error["msg"] for error in caught.value.errors()}

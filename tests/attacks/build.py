"""Attacks as the plan builds them, for tests that need no workspace around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import sensei_kumite.attacks  # noqa: F401  # registers the strategies
from sensei_kumite.attacks.base import ATTACKS, Attack, AttackContext
from sensei_kumite.config.campaign import AttackEntry
from sensei_kumite.errors import Problem
from sensei_kumite.files import resolve_path
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath

CheckOracle = Callable[[OracleSpec, Document, YamlPath], list[Problem]]


def attack(
    name: str,
    folder: Path = Path(),
    *,
    attempts: int = 1,
    seed: int = 0,
    check_oracle: CheckOracle = lambda *_: [],
    **entry: Any,
) -> Attack[Any]:
    """The attack of one campaign entry; `folder` is where its files are looked for."""
    attack_class = ATTACKS.get(name)
    context = AttackContext(
        attempts=attempts,
        resolve=lambda wanted: resolve_path(wanted, [folder]),
        random=lambda source: Random(f"{seed}/{source}"),
        check_oracle=check_oracle,
    )
    written = AttackEntry.model_validate({"name": name, **entry})
    return attack_class(written, attack_class.Params.model_validate(written.params), context)

"""The oracles of a run: what they may ask of it, and building each of them once."""

from __future__ import annotations

import json
from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import Any

from sensei_kumite.config.loader import Workspace
from sensei_kumite.llm.requests import Role
from sensei_kumite.llm.roles import Models
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.base import Oracle, OracleContext, build_oracle


def oracle_context(workspace: Workspace, models: Models) -> OracleContext:
    """What the oracles of a campaign may ask of it."""
    return OracleContext(
        workspace.resolve, workspace.campaign.generation.target_context, partial(models.of, Role.JUDGE)
    )


class OracleCache:
    """Builds oracles from their specifications, keeping the most recent ones. Shared by all lanes."""

    def __init__(self, context: OracleContext, size: int = 256) -> None:
        self._context = context
        self._size = size
        self._lock = Lock()
        self._oracles: OrderedDict[str, Oracle[Any]] = OrderedDict()

    def __call__(self, spec: OracleSpec) -> Oracle[Any]:
        """The oracle of `spec`; raises as `build_oracle` does."""
        key = json.dumps([spec.type, dict(spec.params)])
        with self._lock:
            if key in self._oracles:
                self._oracles.move_to_end(key)
                return self._oracles[key]
            oracle = self._oracles[key] = build_oracle(spec, self._context)
            if len(self._oracles) > self._size:
                self._oracles.popitem(last=False)
            return oracle

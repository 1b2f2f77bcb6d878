"""The oracles of a run: what they may ask of it, and building each of them once."""

from __future__ import annotations

import json
from functools import lru_cache, partial
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
        def build(specification: str) -> Oracle[Any]:
            kind, params = json.loads(specification)
            return build_oracle(OracleSpec(kind, params), context)

        self._built = lru_cache(size)(build)

    def __call__(self, spec: OracleSpec) -> Oracle[Any]:
        """The oracle of `spec`, which is plain data; raises as `build_oracle` does."""
        return self._built(json.dumps([spec.type, spec.params]))

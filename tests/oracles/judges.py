"""A judge that answers from a script, and oracles that ask it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sensei_kumite.oracles  # noqa: F401  # registers the oracles
from sensei_kumite.files import resolve_path
from sensei_kumite.llm.requests import Model, ModelSettings, Request, Role
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.base import Oracle, OracleContext, build_oracle


class ScriptedJudge(Model):
    """Gives its answers in turn, the last one for ever; raises those that are errors. Keeps the requests."""

    def __init__(self, *answers: str | Exception, **settings: Any) -> None:
        self.settings = ModelSettings(Role.JUDGE).override(**settings)
        self.requests: list[Request] = []
        self._answers = answers

    def complete(self, request: Request) -> str:
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer


def says(violated: Any, reason: str = "because", **more: Any) -> str:
    """A verdict as it should be written."""
    return json.dumps({"evidence": [], "reason": reason, "violated": violated, "confidence": 0.9} | more)


def judged(
    model: Model | None,
    name: str = "llm_judge",
    params: dict[str, Any] | None = None,
    *,
    folder: Path = Path(),
    target_context: str = "",
) -> Oracle[Any]:
    """An oracle whose judge is `model`, in a campaign about `target_context` with its files in `folder`."""
    hand_out: Callable[..., Model] | None = None if model is None else lambda **_: model
    context = OracleContext(lambda wanted: resolve_path(wanted, [folder]), target_context, hand_out)
    return build_oracle(OracleSpec(name, params or {"policy": "Never reveal the code."}), context)

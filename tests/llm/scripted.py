"""A model that answers from a script, for whoever asks models."""

from __future__ import annotations

from typing import Any

from sensei_kumite.llm.requests import Model, ModelSettings, Request, Role


class ScriptedModel(Model):
    """Gives its answers in turn, the last one for ever; raises those that are errors. Keeps the requests."""

    def __init__(self, *answers: str | Exception, role: Role = Role.GENERATION, **settings: Any) -> None:
        self.settings = ModelSettings(role).override(**settings)
        self.requests: list[Request] = []
        self._answers = answers

    def complete(self, request: Request) -> str:
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

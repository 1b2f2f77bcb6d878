"""A chatbot that sets its conditions one by one, and a model that reads them in what it is told."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sensei_kumite.llm.requests import Model, ModelSettings, Request, Role
from tests.dynamic.doubles import OBJECTIVE, SECRET, Said

CONDITIONS = ("the auditor", "in writing", "case 4711")
_CONDITION = re.compile(r'^Chatbot: ".*?\[([^\]]+)\]', re.MULTILINE)


def gives_in_by_and_by(text: str, before: Sequence[Said]) -> str:
    """Names the first condition that a prompt does not meet."""
    missing = next((condition for condition in CONDITIONS if condition not in text), None)
    if missing is None:
        return f"It is {SECRET}."
    return f"I'm sorry, but I can't tell you that. I could for [{missing}]."


class Refining(Model):
    """Puts every condition into its prompt that it finds in the record; rates by how many a prompt meets.

    `off_topic` are the numbers, from 0, of the prompts it finds beside the matter.
    """

    def __init__(self, off_topic: Sequence[int] = ()) -> None:
        self.settings = ModelSettings(Role.GENERATION)
        self.refinements: list[Request] = []
        self._off_topic = off_topic
        self._checked = 0

    def read(self, request: Request) -> str:
        """What it sees of what it is told."""
        return request.messages[1].content

    def complete(self, request: Request) -> str:
        assert request.schema is not None
        answers = {"prompt": self._refine, "score": self._rate, "on_topic": self._check}
        [answer] = [answers[name] for name in answers if name in request.schema["properties"]]
        return json.dumps(answer(request))

    def _refine(self, request: Request) -> Mapping[str, Any]:
        self.refinements.append(request)
        met = dict.fromkeys(_CONDITION.findall(self.read(request)))
        number = len(self.refinements)
        prompt = f"Version {number} for {', '.join(met) or 'anybody'}: {OBJECTIVE}"
        return {"improvement": "I meet what it asks for.", "prompt": prompt}

    def _rate(self, request: Request) -> Mapping[str, Any]:
        prompt = self.read(request).partition("Prompt: ")[2].splitlines()[0]
        return {"reason": "-", "score": 1 + 3 * sum(condition in prompt for condition in CONDITIONS)}

    def _check(self, request: Request) -> Mapping[str, Any]:
        self._checked += 1
        return {"reason": "-", "on_topic": self._checked - 1 not in self._off_topic}

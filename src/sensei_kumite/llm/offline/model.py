"""The offline provider as a model: each purpose has a function of the request and its own random numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from sensei_kumite.errors import ModelError
from sensei_kumite.llm.offline.attacks import write_attack, write_variable
from sensei_kumite.llm.offline.dummy import Exchange, reply
from sensei_kumite.llm.offline.judge import verdict
from sensei_kumite.llm.offline.rephrasing import rephrase
from sensei_kumite.llm.offline.scripts import answer_script
from sensei_kumite.llm.offline.searches import write_for_search
from sensei_kumite.llm.offline.simulation import user_turn
from sensei_kumite.llm.requests import Message, Model, ModelSettings, Purpose, Request


class OfflineModel(Model):
    """Answers without a key, a network or a cost; the same request and seed give the same answer."""

    def __init__(self, settings: ModelSettings, seed: int) -> None:
        self.settings = settings
        self._seed = seed

    def complete(self, request: Request) -> str:
        """The answer; raises ModelError for a purpose that has no rules."""
        answer = _ANSWERS.get(request.purpose)
        if answer is None:
            raise ModelError(
                f"The {self.settings.role} model is not available offline: {request.purpose} has no rules."
            )
        return answer(request, Random(f"{self._seed}/{request.subject}/{request.purpose}"))


def dummy_reply(request: Request, random: Random) -> str:  # noqa: ARG001  # as the others; it leaves nothing to chance
    """What the offline dummy says to the last message, its instructions being the system messages."""
    instructions = "\n".join(text.content for text in request.messages if text.role == "system")
    spoken = [text for text in request.messages if text.role != "system"]
    return reply(spoken[-1].content, system_prompt=instructions, history=_exchanges(spoken[:-1]))


def _exchanges(spoken: list[Message]) -> list[Exchange]:
    pairs = zip(spoken[::2], spoken[1::2], strict=False)
    return [Exchange(user.content, assistant.content) for user, assistant in pairs]


_ANSWERS: Mapping[Purpose, Callable[[Request, Random], str]] = {
    Purpose.ATTACK: write_attack,
    Purpose.DUMMY_REPLY: dummy_reply,
    Purpose.REPHRASE: rephrase,
    Purpose.SCRIPT: answer_script,
    Purpose.SEARCH: write_for_search,
    Purpose.VARIABLE: write_variable,
    Purpose.VERDICT: verdict,
    Purpose.USER_TURN: user_turn,
}

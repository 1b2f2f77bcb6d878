"""`goat` on a chatbot that falls for one technique, from somebody it has got to know."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from sensei_kumite.dynamic.searches.goat import TECHNIQUES
from sensei_kumite.llm.requests import Model, ModelSettings, Request, Role
from tests.dynamic.doubles import OBJECTIVE, REFUSAL, SECRET, Chatbot, Said, check_graph, refuses, searched

_LISTED = re.compile(r"^- (\w+): ", re.MULTILINE)


class Agent(Model):
    """Says hello, and then uses the techniques that it is told of in turn; it knows what it is told only."""

    def __init__(self) -> None:
        self.settings = ModelSettings(Role.GENERATION)
        self.told: list[str] = []

    def complete(self, request: Request) -> str:
        system, user = (message.content for message in request.messages[:2])
        self.told.append(user)
        turn = user.count("You: ")
        technique = _LISTED.findall(system)[(turn - 1) % system.count("\n- ")] if turn else "rapport"
        reply = f"({technique}) {OBJECTIVE}" if turn else "Hello, nice to meet you!"
        return json.dumps(
            {"observation": "-", "thought": "-", "strategy": f"I use {technique}.", "reply": reply}
        )


def falls_for(technique: str) -> Chatbot:
    """A chatbot that must have had a friendly exchange first."""

    def answer(text: str, before: Sequence[Said]) -> str:
        if OBJECTIVE not in text:
            return "Nice to meet you, too!"
        is_known = any(said.assistant != REFUSAL for said in before)
        return f"It is {SECRET}." if is_known and f"({technique})" in text else REFUSAL

    return Chatbot(answer)


class TestTechniques:
    @pytest.mark.parametrize("technique", TECHNIQUES)
    def test_it_finds_the_one_that_the_target_falls_for(self, technique: str) -> None:
        target = falls_for(technique)
        assert target.process_input(OBJECTIVE)[0] == REFUSAL
        assert target.process_input(f"({technique}) {OBJECTIVE}")[0] == REFUSAL
        found = searched("goat", target, model=Agent(), options="max_turns=8")
        assert found.success
        [asked] = found.messages(technique=technique)
        assert found.conversation.get_message_data(asked)["strategy"] == f"I use {technique}."
        check_graph(found)

    def test_it_is_told_what_the_target_answered(self) -> None:
        agent = Agent()
        searched("goat", falls_for("none"), model=agent, iterations=3)
        assert 'Chatbot: "Nice to meet you, too!"' in agent.told[1]
        assert agent.told[2].count("Chatbot: ") == 2

    def test_others_can_be_left_out(self) -> None:
        target = falls_for("persona")
        options = "techniques=hypothetical, persona,max_turns=3"
        assert searched("goat", target, model=Agent(), options=options).iterations == 3
        assert not searched("goat", target, model=Agent(), options="techniques=hypothetical").success

    @pytest.mark.parametrize("options", ["techniques=persuasion", "techniques=persona,,charm", "max_turns=0"])
    def test_options_are_checked(self, options: str) -> None:
        with pytest.raises(ValueError, match=r"techniques|max_turns"):
            searched("goat", Chatbot(refuses), options=options)

    def test_a_strategy_may_name_several_or_none(self) -> None:
        class Mixed(Agent):
            def complete(self, request: Request) -> str:
                answer = json.loads(super().complete(request))
                strategies = ("Response priming, then Dual-Response", "something of my own")
                return json.dumps(answer | {"strategy": strategies[len(self.told) % 2]})

        found = searched("goat", Chatbot(refuses), model=Mixed(), iterations=2)
        assert len(found.messages(technique="dual_response, response_priming")) == 1
        [other] = found.messages(strategy="something of my own")
        assert "technique" not in found.conversation.get_message_data(other)


class TestConversations:
    def test_they_have_so_many_turns(self) -> None:
        target = Chatbot(refuses)
        searched("goat", target, iterations=8, options="max_turns=3")
        assert [len(call.before) for call in target.calls] == [0, 1, 2, 0, 1, 2, 0, 1]
        assert not any(call.backtrack for call in target.calls)

    def test_offline_each_begins_friendly_and_uses_techniques(self) -> None:
        target = Chatbot(refuses)
        found = searched("goat", target, iterations=24, options="max_turns=8")
        openings = [call.text for call in target.calls if not call.before]
        assert len(openings) == 3
        assert not any(OBJECTIVE in text for text in openings)
        used = {node["data"].get("technique") for _, node in found.nodes} - {None}
        assert used == set(TECHNIQUES)

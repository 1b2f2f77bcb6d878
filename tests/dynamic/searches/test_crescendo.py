"""`crescendo` on a chatbot that refuses what is asked outright, and is on its guard once it has refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from sensei_kumite.dynamic.log import Log
from sensei_kumite.dynamic.proxy import TargetModule
from sensei_kumite.dynamic.sessions import Conversations
from sensei_kumite.llm.client import ChatModel
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.providers import Access
from sensei_kumite.llm.requests import ModelSettings, Role
from sensei_kumite.targets.base import Capabilities, Session
from tests.dynamic.doubles import (
    OBJECTIVE,
    REFUSAL,
    SECRET,
    Chatbot,
    Said,
    check_graph,
    judged,
    refuses,
    searched,
)
from tests.llm.scripted import ScriptedModel
from tests.servers.openai_server import Asked, OpenAIServer


class Wary:
    """Refuses the first message at each depth of a conversation, and everything after a refusal that stands.

    Who asks for the secret gets it after four answers at least.
    """

    def __init__(self) -> None:
        self._heard: Counter[int] = Counter()

    def __call__(self, text: str, before: Sequence[Said]) -> str:
        self._heard[len(before)] += 1
        is_on_guard = any(said.assistant == REFUSAL for said in before)
        if is_on_guard or self._heard[len(before)] == 1:
            return REFUSAL
        if OBJECTIVE not in text:
            return f"There is a lot to say about step {len(before) + 1}."
        return f"It is {SECRET}." if len(before) > 3 else REFUSAL


class TestClimbing:
    def test_small_steps_get_what_the_plain_question_does_not(self) -> None:
        target = Chatbot(Wary())
        assert not any(judged({}, target.process_input(OBJECTIVE)[0]) for _ in range(5))
        found = searched("crescendo", target, iterations=30)
        assert (found.success, found.response) == (True, f"It is {SECRET}.")
        last = target.calls[-1]
        assert not any(said.assistant == REFUSAL for said in last.before)
        assert OBJECTIVE not in last.before[0].user
        check_graph(found)

    def test_without_taking_refusals_back_it_gets_nowhere(self) -> None:
        """Every conversation but this one's first has a refusal in it, and no other is begun in time."""
        found = searched("crescendo", Chatbot(Wary()), iterations=15, options="max_backtracks=0,max_turns=20")
        assert not found.success
        assert not found.messages(taken_back=True)

    def test_what_was_taken_back_stays_in_the_graph_beside_what_took_its_place(self) -> None:
        target = Chatbot(Wary())
        found = searched("crescendo", target, iterations=30)
        given_up = found.messages(taken_back=True)
        assert len(given_up) == sum(call.backtrack for call in target.calls)
        for number in given_up:
            node = found.conversation.conversation[number]
            siblings = found.conversation.conversation[node["parent"]]["children"]
            assert siblings[-1] > number
            [answer] = node["children"]
            assert found.conversation.get_message_data(answer)["content"] == REFUSAL
            assert not found.conversation.conversation[answer]["children"]
        winning = found.conversation.get_path(found.nodes[-1][0])
        assert not set(given_up) & set(winning)
        spoken = [found.conversation.get_message_data(number)["content"] for number in winning[:-2]]
        assert spoken == [text for said in target.calls[-1].before for text in said]

    def test_a_refused_wording_is_not_said_again_in_its_place(self) -> None:
        target = Chatbot(refuses)
        searched("crescendo", target, iterations=4)
        assert len({call.text for call in target.calls}) == 4
        assert all(call.before == () for call in target.calls)

    def test_so_many_refusals_are_taken_back_and_no_more(self) -> None:
        target = Chatbot(refuses)
        searched("crescendo", target, iterations=6, options="max_backtracks=2")
        assert [call.backtrack for call in target.calls] == [False, True, True, False, False, False]
        assert [len(call.before) for call in target.calls] == [0, 0, 0, 1, 2, 3]

    def test_none_where_the_target_cannot(self) -> None:
        target = Chatbot(refuses, backtrack=False)
        found = searched("crescendo", target, iterations=5)
        assert not any(call.backtrack for call in target.calls)
        check_graph(found)

    def test_after_so_many_turns_another_conversation_begins(self) -> None:
        target = Chatbot(lambda text, before: "Go on.")
        searched("crescendo", target, iterations=7, options="max_turns=3")
        sessions = [call.session for call in target.calls]
        assert [len(call.before) for call in target.calls] == [0, 1, 2, 0, 1, 2, 0]
        assert len(set(sessions)) == 3

    @pytest.mark.parametrize("options", ["max_turns=0", "max_backtracks=-1", "turns=3", "max_turns=many"])
    def test_options_are_checked(self, options: str) -> None:
        with pytest.raises(ValueError, match=r"turns|backtracks"):
            searched("crescendo", Chatbot(refuses), options=options)


class Chat(Session):
    """A session with a chatbot that knows what was said in it, but takes nothing back."""

    def __init__(self, answer: Wary) -> None:
        self._answer = answer
        self._said: list[Said] = []

    def send(self, text: str) -> str:
        reply = self._answer(text, self._said)
        self._said.append(Said(text, reply))
        return reply

    def reset(self) -> bool:
        self._said = []
        return True


class NativeChat(Chat):
    """One that does."""

    def backtrack(self) -> bool:
        self._said.pop()
        return True


class TestBehindTheProxy:
    """What stands in for the target elsewhere in these tests, for real."""

    @pytest.mark.parametrize("chat", [Chat, NativeChat])
    @pytest.mark.parametrize("several", [True, False])
    def test_turns_are_taken_back_natively_or_by_playing_the_others_again(
        self, chat: type[Chat], several: bool
    ) -> None:
        wary = Wary()
        able = Capabilities(concurrent_sessions=several, backtrack=chat is NativeChat)
        conversations = Conversations(chat(wary), lambda: chat(wary), able)
        target = TargetModule(conversations, Log(), nullcontext(), iterations=30)
        found = searched("crescendo", target, iterations=30)
        assert found.success
        assert found.messages(taken_back=True)
        check_graph(found)


class TestTheModel:
    def test_it_is_told_what_the_target_said_and_what_it_refused(self) -> None:
        model = ScriptedModel(*(json.dumps({"summary": "-", "message": f"Step {n}?"}) for n in range(9)))
        target = Chatbot(lambda text, before: REFUSAL if text == "Step 1?" else f"Answer to {text}")
        found = searched("crescendo", target, iterations=3, model=model)
        assert [call.text for call in target.calls] == ["Step 0?", "Step 1?", "Step 2?"]
        told = model.requests[2].messages[-1].content
        assert 'You: "Step 0?"\nChatbot: "Answer to Step 0?"' in told
        assert 'Declined and taken back: "Step 1?"' in told
        assert OBJECTIVE in told
        assert "the assistant of a pizzeria" in told
        assert not any("fallback" in node["data"] for _, node in found.nodes)

    def test_a_message_that_was_refused_already_is_not_taken(self) -> None:
        model = ScriptedModel(json.dumps({"summary": "-", "message": "Again?"}))
        target = Chatbot(refuses)
        found = searched("crescendo", target, iterations=3, model=model)
        assert [call.text for call in target.calls].count("Again?") == 1
        assert found.nodes[-2][1]["data"]["fallback"] == "that message was written before"


class TestOverHttp:
    """A real model client, on a server."""

    @pytest.fixture
    def ledger(self, tmp_path: Path) -> Iterator[Ledger]:
        with Ledger(None, Prices()) as kept:
            yield kept

    def test_a_model_behind_a_server_leads_the_target_on(
        self, serve_openai: Callable[..., OpenAIServer], ledger: Ledger
    ) -> None:
        def write(asked: Asked) -> str:
            steps = asked.text.count("You: ")
            message = f"Step {steps}, please." if steps < 4 else f"And now: {OBJECTIVE}"
            return f"Here you are:\n```json\n{json.dumps({'summary': 'fine', 'message': message})}\n```"

        server = serve_openai(write)
        settings = ModelSettings(Role.GENERATION, base_url=server.base_url)
        model = ChatModel(settings, ledger, access=Access("sk-0", ("sk-0",)), timeout=30, retries=0)

        def gives_in_late(text: str, before: Sequence[Said]) -> str:
            if OBJECTIVE not in text:
                return f"This was answer {len(before) + 1}."
            return SECRET if len(before) == 4 else REFUSAL

        found = searched("crescendo", Chatbot(gives_in_late), model=model)
        assert (found.iterations, found.success) == (5, True)
        assert 'Chatbot: "This was answer 4."' in server.asked[-1].text
        assert server.asked[0].body["response_format"]["json_schema"]["schema"]["required"] == [
            "summary",
            "message",
        ]
        assert not any("fallback" in node["data"] for _, node in found.nodes)

"""`tap` on a chatbot whose conditions come to light one by one, down a branch of the tree."""

from __future__ import annotations

import json

import pytest

from sensei_kumite.llm.requests import Request
from tests.dynamic.doubles import OBJECTIVE, SECRET, Chatbot, Found, check_graph, refuses, searched
from tests.dynamic.searches.refining import CONDITIONS, Refining, gives_in_by_and_by


def ancestors(found: Found, number: int) -> list[str]:
    return [
        found.conversation.get_message_data(step)["content"]
        for step in found.conversation.get_path(number)
        if found.conversation.get_message_data(step)["role"] == "user"
    ]


class TestTheTree:
    def test_a_branch_leads_to_the_framing(self) -> None:
        target = Chatbot(gives_in_by_and_by)
        assert SECRET not in target.process_input(OBJECTIVE)[0]
        found = searched("tap", target, model=Refining(), iterations=40)
        assert found.success
        assert all(condition in found.text for condition in CONDITIONS)
        check_graph(found)

    def test_refinements_hang_below_the_answers_that_they_are_made_from(self) -> None:
        found = searched("tap", Chatbot(gives_in_by_and_by), model=Refining(), iterations=40)
        way = ancestors(found, found.nodes[-1][0])
        met = [sum(condition in prompt for condition in CONDITIONS) for prompt in way]
        assert met == [0, 1, 2, 3]
        depths = [node["data"]["depth"] for _, node in found.nodes if node["attempt"]]
        assert depths == sorted(depths)

    def test_every_try_is_a_conversation_of_its_own(self) -> None:
        target = Chatbot(refuses)
        searched("tap", target, iterations=10)
        assert {(call.session, call.before) for call in target.calls} == {(None, ())}

    def test_its_shape_is_as_told(self) -> None:
        options = "branching_factor=2,width=3,depth=3"
        found = searched("tap", Chatbot(refuses), iterations=12, options=options)
        depths = [node["data"]["depth"] for _, node in found.nodes if node["attempt"]]
        assert depths == [1] * 2 + [2] * 4 + [3] * 6
        assert len(found.conversation.conversation[0]["children"]) == 2

    def test_after_the_last_level_another_tree_begins(self) -> None:
        options = "branching_factor=2,width=1,depth=2"
        found = searched("tap", Chatbot(refuses), iterations=7, options=options)
        depths = [node["data"]["depth"] for _, node in found.nodes if node["attempt"]]
        assert depths == [1, 1, 2, 2, 1, 1, 2]
        assert len(found.conversation.conversation[0]["children"]) == 4

    def test_refinements_of_one_prompt_are_told_of_each_other(self) -> None:
        model = Refining()
        searched("tap", Chatbot(refuses), model=model, iterations=3)
        assert [request.messages[1].content.count("Version") for request in model.refinements] == [0, 1, 2]

    @pytest.mark.parametrize(
        "options", ["width=0", "depth=0", "branching_factor=0", "branching=2", "prune_off_topic=maybe"]
    )
    def test_options_are_checked(self, options: str) -> None:
        with pytest.raises(ValueError, match=options.partition("=")[0]):
            searched("tap", Chatbot(refuses), options=options)


class TestPruning:
    def test_what_is_off_topic_is_kept_as_a_leaf_and_not_sent(self) -> None:
        target = Chatbot(gives_in_by_and_by)
        found = searched("tap", target, model=Refining(off_topic=(0, 2, 4)), iterations=40)
        pruned = found.messages(pruned="off-topic")
        assert len(pruned) == 3
        sent = {call.text for call in target.calls}
        for number in pruned:
            node = found.conversation.conversation[number]
            assert not node["attempt"]
            assert not node["children"]
            assert node["data"]["content"] not in sent
        assert found.success
        check_graph(found)

    def test_but_a_level_is_never_left_without_any(self) -> None:
        target = Chatbot(refuses)
        found = searched("tap", target, model=Refining(off_topic=range(1000)), iterations=6)
        assert (found.iterations, len(target.calls)) == (6, 6)
        check_graph(found)

    def test_it_can_be_switched_off(self) -> None:
        model = Refining(off_topic=range(1000))
        found = searched("tap", Chatbot(refuses), model=model, iterations=6, options="prune_off_topic=no")
        assert not found.messages(pruned="off-topic")

    def test_only_the_best_go_on(self) -> None:
        class Uneven(Refining):
            """Rates the second of three branches best."""

            rated = 0

            def _rate(self, request: Request) -> dict[str, object]:
                self.rated += 1
                return {"reason": "-", "score": (2, 9, 5)[(self.rated - 1) % 3]}

        found = searched("tap", Chatbot(refuses), model=Uneven(), iterations=6, options="width=1,depth=2")
        first, second, third = found.conversation.conversation[0]["children"]
        assert found.messages(pruned="score")[:2] == [first, third]
        [answer] = found.conversation.conversation[second]["children"]
        assert len(found.conversation.conversation[answer]["children"]) == 3
        for number in (first, third):
            [answer] = found.conversation.conversation[number]["children"]
            assert not found.conversation.conversation[answer]["children"]

    def test_offline_a_prompt_on_something_else_is_off_topic(self) -> None:
        class Astray(Refining):
            def _refine(self, request: Request) -> dict[str, str]:
                self.refinements.append(request)
                return {"improvement": "-", "prompt": f"How is the weather, number {len(self.refinements)}?"}

            def _check(self, request: Request) -> str:  # type: ignore[override]
                return json.dumps("no answer of the form")

        found = searched("tap", Chatbot(refuses), model=Astray(), iterations=2)
        assert found.messages(pruned="off-topic")

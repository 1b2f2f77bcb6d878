"""What a script returned: read as the contract has it, or the script's mistake."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.dynamic.content import Audio
from sensei_kumite.dynamic.contract import AttackAttempt
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.returned import Attempt, Input, Representative, ScriptMistake, read_returned


def one(returned: Any, allowed: int = 5, *, traced: bool = False) -> Representative:
    found = read_returned(returned, allowed, traced=traced)
    assert isinstance(found, Representative)
    return found


def many(*returned: AttackAttempt, allowed: int = 5) -> list[Attempt]:
    found = read_returned([*returned], allowed, traced=True)
    assert isinstance(found, list)
    return found


def mistake(returned: Any, allowed: int = 5, *, traced: bool = False) -> str:
    with pytest.raises(ScriptMistake) as caught:
        read_returned(returned, allowed, traced=traced)
    return str(caught.value)


class TestRepresentative:
    @pytest.mark.parametrize("returned", [(2, True, "sent", "heard"), [2, True, "sent", "heard"]])
    def test_four_values_are_one_result(self, returned: Any) -> None:
        assert one(returned) == Representative(2, True, Input("sent"), "heard")

    def test_a_script_that_can_trace_may_still_return_one(self) -> None:
        assert one((2, False, "sent", "heard"), traced=True).iterations == 2

    @pytest.mark.parametrize("iterations", [0, 5])
    def test_iterations_go_from_none_to_all(self, iterations: int) -> None:
        assert one((iterations, False, "", "")).iterations == iterations

    def test_one_more_is_a_mistake(self) -> None:
        assert mistake((6, False, "", "")) == "made 6 iterations where 5 were allowed."

    @pytest.mark.parametrize("iterations", [True, -1, 1.0, "1", None])
    def test_iterations_are_counted_in_whole_numbers(self, iterations: Any) -> None:
        assert "as its iterations, not a whole number from 0" in mistake((iterations, False, "", ""))

    @pytest.mark.parametrize("success", [None, 0, 1, "yes"])
    def test_success_is_true_or_false(self, success: Any) -> None:
        assert mistake((1, success, "", "")) == f"returned {success!r} as its success, not True or False."

    @pytest.mark.parametrize(
        ("response", "text"), [("a", "a"), (("a", {}), "a"), (["a"], "a"), (Audio("aGk="), "aGk=")]
    )
    def test_the_response_is_text(self, response: Any, text: str) -> None:
        assert one((1, False, "", response)).response == text

    @pytest.mark.parametrize("response", [None, 5, [], (None, {}), {"text": "a"}])
    def test_what_is_no_response_is_a_mistake(self, response: Any) -> None:
        assert mistake((1, False, "", response)).endswith("as its response, not text.")

    @pytest.mark.parametrize(
        ("returned", "shown"),
        [
            (None, "None"),
            ((1, False, ""), "a tuple of 3"),
            ([1] * 5, "a list of 5"),
            ({"iterations": 1}, "something of the type dict"),
        ],
    )
    def test_anything_else_is_named(self, returned: Any, shown: str) -> None:
        assert mistake(returned) == f"returned {shown}, not (iterations, success, input, response)."

    def test_what_is_named_is_short_and_never_asked_to_describe_itself(self) -> None:
        class Silent:
            def __repr__(self) -> str:
                raise RuntimeError("no words")

        assert len(mistake("x" * 9999)) < 150
        assert f"{__name__}.Silent" in mistake(Silent())
        assert "made [16610 bits] iterations" in mistake((10**5000, False, "", ""))


def counting_messages(exchanges: int, *, attempts: bool = True) -> dict[str, Any]:
    """The input of a script that keeps a conversation of so many exchanges."""
    conversation = StandardisedConversation()
    latest = conversation.get_root_id()
    for _ in range(exchanges):
        latest = conversation.add_message(latest, {"role": "user"}, attempt=attempts)
        latest = conversation.add_message(latest, {"role": "assistant"})
    return {"input": "last", "conversation": str(conversation)}


class TestCountedMessages:
    def test_answers_do_not_count_where_all_messages_are_counted(self) -> None:
        assert one((10, False, counting_messages(5), "")).iterations == 5

    def test_half_of_them_are_answers_where_none_is_marked(self) -> None:
        assert one((10, False, counting_messages(5, attempts=False), "")).iterations == 5
        loose = {"conversation": [{"role": "question"}] * 3}
        assert one((3, False, loose, "")).iterations == 2

    def test_messages_count(self) -> None:
        assert mistake((12, False, counting_messages(6), "")) == "made 6 iterations where 5 were allowed."

    @pytest.mark.parametrize("iterations", [6, 7, 11, 100])
    def test_any_other_number_is_what_it_says(self, iterations: int) -> None:
        assert f"made {iterations} iterations" in mistake((iterations, False, counting_messages(5), ""))


class TestInput:
    @pytest.mark.parametrize(
        ("given", "read"),
        [
            ("sent", Input("sent")),
            (Audio("aGk="), Input("aGk=")),
            ({"input": "sent"}, Input("sent")),
            ({"input": Audio("aGk=")}, Input("aGk=")),
            ({"input": "", "objective": "goal"}, Input("", objective="goal")),
            ({"input": "sent", "objective": None}, Input("sent")),
            ({"input": "sent", "objective": ["goal", 1]}, Input("sent", objective="goal")),
            ({"input": "sent", "attempt_history": [1]}, Input("sent", attempt_history=[1])),
            ({"input": "sent", "attempt_history": []}, Input("sent", attempt_history=[])),
            ({"input": "sent", "attempt_history": "none"}, Input("sent")),
            ({"objective": "goal"}, Input("goal", objective="goal")),
            ({"conversation": []}, Input("")),
            ({"conversation": None}, Input("")),
            ({"objective": None}, Input("")),
        ],
    )
    def test_a_text_or_a_mapping(self, given: Any, read: Input) -> None:
        assert one((1, False, given, "")).input == read

    @pytest.mark.parametrize("more", [{}, {"input": "sent"}])
    def test_the_conversation_goes_along(self, more: dict[str, str]) -> None:
        conversation = one((1, False, {**counting_messages(2), **more}, "")).input.conversation
        assert conversation is not None and len(conversation) == 5

    @pytest.mark.parametrize(
        ("given", "what"),
        [
            (None, "None as its input, not text or a mapping with"),
            (("sent", {}), "a tuple of 2 as its input, not text or a mapping with"),
            ({}, "dict as its input, not text or a mapping with"),
            ({"text": "sent"}, "dict as its input, not text or a mapping with"),
            ({"input": None}, "None as the input in its mapping, not text."),
            ({"input": ["sent"]}, "a list of 1 as the input in its mapping, not text."),
            ({"conversation": "broken"}, "'broken' as its conversation, which is none."),
            ({"input": "", "conversation": {}}, "dict as its conversation, which is none."),
            ({"objective": 5}, "5 as its response, not text."),
        ],
    )
    def test_anything_else_is_a_mistake(self, given: Any, what: str) -> None:
        assert what in mistake((1, False, given, ""))


class TestAttempts:
    def test_every_field_is_read(self) -> None:
        attempt = AttackAttempt(
            {"input": "sent", "objective": "goal"},
            ("heard", {}),
            None,
            attempts=2,
            error=ValueError("odd"),  # type: ignore[arg-type]
            response_time=3,
            guardrail=False,
            guardrail_categories={},
        )
        assert many(attempt) == [
            Attempt(
                Input("sent", objective="goal"),
                "heard",
                None,
                2,
                "odd",
                3.0,
                {"guardrail": False, "guardrail_categories": {}},
            )
        ]

    def test_what_is_not_said_is_not_known(self) -> None:
        assert many(AttackAttempt("sent", "heard", False)) == [Attempt(Input("sent"), "heard", False)]

    @pytest.mark.parametrize("time", ["1.5", [], None, -1, 1e9, 10**400, float("nan"), float("inf")])
    def test_a_time_that_cannot_be_is_none(self, time: Any) -> None:
        assert many(AttackAttempt("", "", False, response_time=time))[0].seconds is None

    def test_an_empty_error_is_none(self) -> None:
        assert many(AttackAttempt("", "", False, error=""))[0].error is None

    def test_attempts_stand_for_iterations(self) -> None:
        nothing, three, two = (AttackAttempt("", "", False, attempts=count) for count in (0, 3, 2))
        assert len(many(nothing, three, two)) == 3
        assert mistake([three, three], traced=True) == "made 6 iterations where 5 were allowed."
        assert len(many(*[nothing] * 9)) == 9

    @pytest.mark.parametrize("attempts", [-1, True, 1.0, None])
    def test_attempts_are_counted_in_whole_numbers(self, attempts: Any) -> None:
        given = AttackAttempt("", "", False, attempts=attempts)
        assert mistake([given], traced=True) == f"returned an attempt with {attempts!r} as its attempts."

    @pytest.mark.parametrize("success", [0, 1, "no"])
    def test_success_is_true_or_false_or_unknown(self, success: Any) -> None:
        given = AttackAttempt("", "", success)
        assert mistake([given], traced=True) == f"returned an attempt with the success {success!r}."

    def test_four_values_in_a_list_are_no_history(self) -> None:
        assert "a history with 1 in it" in mistake([1, False, "", ""], traced=True)
        assert "an empty history" in mistake([], traced=True)

    def test_one_result_was_asked_for(self) -> None:
        attempts = [AttackAttempt("", "", False)] * 4
        assert "which nobody asked for" in mistake(attempts)
        assert "which nobody asked for" in mistake([1, False, "", AttackAttempt("", "", False)])

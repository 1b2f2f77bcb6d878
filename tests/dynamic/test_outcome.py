"""What is reported of a search: by what really happened, whatever the script says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.graph import as_graph
from sensei_kumite.dynamic.log import LONGEST_TOLD, Exchange, Log
from sensei_kumite.dynamic.outcome import DERIVED, LONGEST_HISTORY, NO_CALL, Evidence, Tried, invoked, whole
from sensei_kumite.dynamic.proxy import Judge
from sensei_kumite.dynamic.returned import Attempt, Input, Representative
from sensei_kumite.dynamic.sessions import Said
from sensei_kumite.errors import OracleError
from sensei_kumite.models import Status
from tests.dynamic.test_log import answered, failed
from tests.dynamic.test_proxy import Listening

PATH = (Said("hello", "hi"), Said("try 2", "the secret"))


def resisted() -> Exchange:
    return answered("try 1", "no")


def broken() -> Exchange:
    return answered("try 2", "the secret", said=PATH)


def evidence_of(*exchanges: Exchange, judged: tuple[str, ...] = (), oracle: Any = None) -> Evidence:
    """The evidence of a search that had these exchanges and had these texts judged."""
    log = Log([*exchanges])
    judge = Judge(oracle or Listening(), log, "goal")
    for text in judged:
        judge({}, text)
    return Evidence(log, judge, "goal")


def representative(
    evidence: Evidence, response: str, *, success: bool = False, iterations: int = 2, **given: Any
) -> Tried:
    found = Representative(iterations, success, Input("what the script says", **given), response)
    return evidence.representative(found, allowed=2)


class TestRepresentative:
    def test_a_breach_is_told_as_it_happened(self) -> None:
        tried = representative(
            evidence_of(resisted(), broken(), judged=("no", "the secret")), "the secret", success=True
        )
        assert tried.status is Status.BREACHED
        assert (tried.prompt, tried.response, tried.said) == ("try 2", "the secret", PATH)
        assert tried.verdict is not None and tried.reason == tried.verdict.reason
        assert (tried.attempts, tried.seconds, tried.errors, tried.is_attempt) == (2, 0.5, (), False)
        assert tried.times == [0.5, 0.5]
        assert [record["success"] for record in tried.history] == [False, True]

    def test_a_search_in_vain_is_the_answer_that_it_names(self) -> None:
        tried = representative(
            evidence_of(resisted(), answered("try 2", "never"), judged=("no", "never")), "no"
        )
        assert (tried.status, tried.prompt) == (Status.RESILIENT, "try 1")
        assert tried.said == (Said("try 1", "no"),)

    def test_a_breach_that_is_not_named_is_one(self) -> None:
        tried = representative(evidence_of(broken(), resisted(), judged=("the secret", "no")), "no")
        assert (tried.status, tried.prompt) == (Status.BREACHED, "try 2")

    def test_the_breach_that_is_named_goes_before_a_later_one(self) -> None:
        other = answered("try 3", "another secret")
        evidence = evidence_of(broken(), other, judged=("the secret", "another secret"))
        assert representative(evidence, "the secret", success=True).prompt == "try 2"

    def test_what_nobody_judged_is_judged(self) -> None:
        oracle = Listening()
        tried = representative(evidence_of(broken(), resisted(), oracle=oracle), "the secret")
        assert tried.status is Status.BREACHED
        assert oracle.asked == [("try 2", "the secret")]

    def test_a_judgement_is_not_asked_for_again(self) -> None:
        oracle = Listening()
        evidence = evidence_of(broken(), resisted(), judged=("no",), oracle=oracle)
        assert representative(evidence, "no").status is Status.RESILIENT
        assert representative(evidence, "said by nobody").status is Status.RESILIENT
        assert oracle.asked == [("try 1", "no")]

    def test_the_latest_answer_stands_for_what_the_target_never_said(self) -> None:
        evidence = evidence_of(resisted(), answered("try 2", "never"), failed("try 3"))
        tried = representative(evidence, "a summary of it all", success=False)
        assert (tried.status, tried.prompt, tried.response) == (Status.RESILIENT, "try 2", "never")

    def test_white_space_around_an_answer_does_not_count(self) -> None:
        tried = representative(evidence_of(answered("try 1", "no\n"), broken(), judged=("no",)), " no")
        assert (tried.status, tried.prompt) == (Status.RESILIENT, "try 1")

    def test_what_the_script_made_of_answers_is_kept_where_that_is_its_success(self) -> None:
        pieces = [answered("try 1", "the sec"), answered("try 2", "ret", said=PATH)]
        tried = representative(evidence_of(*pieces, judged=("the secret",)), "the secret", success=True)
        assert (tried.status, tried.response) == (Status.BREACHED, "the secret")
        assert (tried.prompt, tried.said, tried.exchange, tried.seconds) == ("try 2", PATH, None, None)
        assert tried.verdict is not None and tried.reason == f"{tried.verdict.reason} {DERIVED}"

    def test_what_the_script_made_of_answers_is_no_breach_otherwise(self) -> None:
        evidence = evidence_of(resisted(), judged=("a secret of its own",))
        tried = representative(evidence, "no")
        assert (tried.status, tried.response) == (Status.RESILIENT, "no")

    def test_success_is_not_believed(self) -> None:
        tried = representative(evidence_of(resisted(), judged=("no",)), "no", success=True)
        assert tried.status is Status.ERROR
        assert tried.verdict is None
        assert tried.reason == "Dynamic attack failed."
        assert "reports success, but the oracle does not see any" in tried.errors[0]["dynamic"]
        assert (tried.prompt, tried.response) == ("try 1", "no")

    def test_an_oracle_that_fails_is_an_error(self) -> None:
        tried = representative(evidence_of(resisted(), oracle=Listening(OracleError("no judge"))), "no")
        assert (tried.status, tried.reason) == (Status.ERROR, "Security oracle evaluation failed.")
        assert tried.errors == ({"oracle": "no judge"},)
        assert tried.response == "no"

    def test_without_an_answer_it_is_the_failure(self) -> None:
        tried = representative(
            evidence_of(failed("try 1", "first"), failed("try 2", "last")), "", iterations=1
        )
        assert (tried.status, tried.reason) == (Status.ERROR, "Chatbot execution failed.")
        assert tried.errors == ({"chatbot": "last"},)
        assert (tried.prompt, tried.response, tried.attempts) == ("try 2", None, 1)

    def test_without_a_call_it_is_an_error_of_the_script(self) -> None:
        tried = representative(evidence_of(), "invented", success=True)
        assert (tried.status, tried.reason) == (Status.ERROR, "Dynamic attack failed.")
        assert tried.errors == ({"dynamic": NO_CALL},)
        assert tried.prompt == "goal"

    def test_giving_up_on_a_failing_target_is_no_resistance(self) -> None:
        evidence = evidence_of(resisted(), failed("try 2", "hung up"), judged=("no",))
        tried = representative(evidence, "Error: hung up", iterations=1)
        assert (tried.status, tried.errors) == (Status.ERROR, ({"chatbot": "hung up"},))
        assert tried.attempts == 1

    @pytest.mark.parametrize(
        ("exchanges", "response", "iterations"),
        [
            ((resisted(), failed("try 2")), "Error: gone", 2),
            ((resisted(), failed("try 2")), "no", 1),
            ((failed("try 1"), resisted()), "Error: gone", 1),
        ],
        ids=["all iterations used", "an answer is named", "it went on"],
    )
    def test_a_failure_among_answers_is_none_of_the_whole(
        self, exchanges: tuple[Exchange, ...], response: str, iterations: int
    ) -> None:
        tried = representative(evidence_of(*exchanges), response, iterations=iterations)
        assert (tried.status, tried.response) == (Status.RESILIENT, "no")

    def test_a_cleaned_answer_is_no_giving_up(self) -> None:
        evidence = evidence_of(resisted(), failed("try 2"), judged=("No!",))
        assert representative(evidence, "No!", iterations=1).status is Status.RESILIENT

    def test_a_success_before_a_failure_is_a_breach(self) -> None:
        evidence = evidence_of(answered("try 1", "well: the secret"), failed("try 2"))
        assert representative(evidence, "the secret", success=True, iterations=1).status is Status.BREACHED

    def test_what_the_script_kept_goes_before_what_was_noted(self) -> None:
        conversation = StandardisedConversation()
        conversation.add_message(0, "kept")
        graph = as_graph(conversation)
        evidence = evidence_of(answered("a", "no", session_id="x", said=(Said("a", "no"),)))
        kept = representative(
            evidence,
            "no",
            conversation=graph,
            objective="o" * 9999,
            attempt_history=["mine", {1: "x" * 9999}],
        )
        assert kept.conversation == graph
        assert kept.objective is not None and len(kept.objective) < LONGEST_TOLD + 20
        assert kept.history[0] == "mine"
        assert len(kept.history[1]["1"]) < LONGEST_TOLD + 20
        noted = representative(evidence, "no", attempt_history=[])
        assert noted.conversation is not None and len(noted.conversation) == 3
        assert (noted.objective, noted.history) == (None, [])
        assert len(representative(evidence, "no").history) == 1


class TestAttempts:
    def test_each_is_judged_by_its_own_exchange(self) -> None:
        evidence = evidence_of(resisted(), broken(), judged=("no", "the secret"))
        tried = evidence.attempts(
            [Attempt(Input("try 1"), "no", False), Attempt(Input("try 2"), "the secret", True, seconds=2.0)]
        )
        assert [(each.status, each.prompt, each.seconds) for each in tried] == [
            (Status.RESILIENT, "try 1", 0.5),
            (Status.BREACHED, "try 2", 2.0),
        ]
        assert all(each.is_attempt and each.attempts == 1 for each in tried)
        assert tried[1].said == PATH

    def test_the_same_answer_is_told_apart_by_its_message(self) -> None:
        talks = [answered(text, "no", said=(Said(text, "no"),)) for text in ("a", "b")]
        tried = evidence_of(*talks, judged=("no",)).attempts(
            Attempt(Input(text), "no", False) for text in ("a", "b")
        )
        assert [each.said for each in tried] == [(Said("a", "no"),), (Said("b", "no"),)]

    def test_an_answer_to_a_message_in_other_words_is_found(self) -> None:
        (tried,) = evidence_of(broken()).attempts([Attempt(Input("the goal"), "the secret", True)])
        assert (tried.status, tried.prompt, tried.said) == (Status.BREACHED, "the goal", PATH)

    def test_without_a_text_it_is_the_one_that_was_sent(self) -> None:
        (tried,) = evidence_of(resisted()).attempts([Attempt(Input(""), "no", False)])
        assert tried.prompt == "try 1"

    def test_success_is_not_believed(self) -> None:
        evidence = evidence_of(resisted(), judged=("no",))
        (tried,) = evidence.attempts([Attempt(Input("try 1"), "no", True)])
        assert (tried.status, tried.verdict) == (Status.ERROR, None)

    def test_a_failure_that_is_not_told_is_a_breach_where_it_is_one(self) -> None:
        evidence = evidence_of(broken(), judged=("the secret",))
        (tried,) = evidence.attempts([Attempt(Input("try 2"), "the secret", False)])
        assert tried.status is Status.BREACHED

    def test_a_breach_elsewhere_is_none_of_this_attempt(self) -> None:
        evidence = evidence_of(resisted(), broken(), judged=("no", "the secret"))
        told = [Attempt(Input("try 1"), "no", False)]
        tried = evidence.attempts(told)
        assert [each.status for each in tried] == [Status.RESILIENT, Status.BREACHED]
        assert (tried[1].prompt, tried[1].is_attempt) == ("try 2", True)

    def test_a_breach_that_is_listed_is_not_added(self) -> None:
        evidence = evidence_of(broken(), judged=("the secret",))
        assert len(evidence.attempts([Attempt(Input("try 2"), "the secret", True)])) == 1

    def test_what_is_unjudged_is_skipped_and_not_judged(self) -> None:
        oracle = Listening()
        (tried,) = evidence_of(resisted(), oracle=oracle).attempts([Attempt(Input("try 1"), "no", None)])
        assert (tried.status, tried.reason, tried.verdict) == (Status.SKIPPED, "unjudged", None)
        assert tried.said == (Said("try 1", "no"),)
        assert oracle.asked == []

    def test_an_error_is_one_whatever_its_success(self) -> None:
        evidence = evidence_of(resisted(), judged=("no",))
        (tried,) = evidence.attempts([Attempt(Input("try 2"), "", False, attempts=3, error="odd")])
        assert (tried.status, tried.errors) == (Status.ERROR, ({"dynamic": "odd"},))
        assert (tried.prompt, tried.attempts, tried.is_attempt) == ("try 2", 3, True)

    @pytest.mark.parametrize(
        ("text", "error", "errors"),
        [
            ("a", "gone", {"chatbot": "gone"}),
            ("a", "something else", {"dynamic": "something else"}),
            ("b", "gone", {"dynamic": "gone"}),
        ],
    )
    def test_a_failure_is_the_targets_where_it_was(
        self, text: str, error: str, errors: dict[str, str]
    ) -> None:
        evidence = evidence_of(failed("a", "gone"), resisted())
        (tried,) = evidence.attempts([Attempt(Input(text), "gone", False, error=error)])
        assert (tried.status, tried.errors, tried.verdict) == (Status.ERROR, (errors,), None)
        assert (tried.said == (Said("a", None, "gone"),)) == ("chatbot" in errors)

    @pytest.mark.parametrize(
        ("exchanges", "errors"),
        [((failed("a", "first"), failed("b", "last")), {"chatbot": "last"}), ((), {"dynamic": NO_CALL})],
    )
    @pytest.mark.parametrize("success", [True, False, None])
    def test_without_an_answer_each_is_an_error(
        self, exchanges: tuple[Exchange, ...], errors: dict[str, str], success: bool | None
    ) -> None:
        found = [Attempt(Input(text), "x", success) for text in ("a", "b")]
        tried = evidence_of(*exchanges).attempts(found)
        assert [(each.status, each.errors) for each in tried] == [(Status.ERROR, (errors,))] * 2

    def test_what_the_script_says_goes_along(self) -> None:
        given = Input("try 1", conversation={"0": {}}, objective="goal")
        attempt = Attempt(given, "no", False, guardrail={"guardrail": True, "guardrail_categories": {1: "x"}})
        (tried,) = evidence_of(resisted()).attempts([attempt])
        assert (tried.conversation, tried.objective) == ({"0": {}}, "goal")
        assert tried.guardrail == {"guardrail": True, "guardrail_categories": {"1": "x"}}


class TestEnded:
    def test_an_error_is_told_with_how_far_it_came(self) -> None:
        tried = evidence_of(resisted(), judged=("no",)).failed({"dynamic": "odd"})
        assert (tried.status, tried.reason, tried.errors) == (
            Status.ERROR,
            "Dynamic attack failed.",
            ({"dynamic": "odd"},),
        )
        assert (tried.prompt, tried.response, tried.attempts) == ("try 1", None, 1)
        assert [record["input"] for record in tried.history] == ["try 1"]

    def test_a_failure_of_the_target_comes_before_what_the_script_made_of_it(self) -> None:
        tried = evidence_of(resisted(), failed("b", "gone")).failed({"dynamic": "odd"})
        assert tried.errors == ({"chatbot": "gone"}, {"dynamic": "odd"})
        assert tried.reason == "Chatbot execution failed."

    def test_a_breach_before_the_end_is_one(self) -> None:
        talk = answered("try 2", "the secret", session_id="x", said=PATH)
        tried = evidence_of(talk, resisted(), judged=("the secret", "no")).failed({"dynamic": "odd"})
        assert (tried.status, tried.prompt, tried.said) == (Status.BREACHED, "try 2", PATH)
        assert (tried.script_error, tried.errors, tried.attempts) == ("odd", (), 2)
        assert tried.conversation is not None and len(tried.history) == 2

    def test_a_search_that_is_cut_short_is_skipped_with_what_it_did(self) -> None:
        tried = evidence_of(resisted(), failed("b")).skipped("All spent.")
        assert (tried.status, tried.reason, tried.prompt) == (Status.SKIPPED, "All spent.", "goal")
        assert tried.attempts == len(tried.history) == 2
        assert tried.times == [0.5]

    def test_a_history_ends_somewhere(self) -> None:
        evidence = evidence_of(*[resisted()] * (LONGEST_HISTORY + 9))
        assert len(evidence.failed().history) == LONGEST_HISTORY
        assert evidence.failed().attempts == evidence.skipped("").attempts == LONGEST_HISTORY + 9
        half = LONGEST_HISTORY // 2
        kept = representative(evidence, "no", attempt_history=range(10 * LONGEST_HISTORY)).history
        assert kept[:half] == list(range(half))
        assert kept[half:] == list(range(10 * LONGEST_HISTORY - half, 10 * LONGEST_HISTORY))


def tried(status: Status, attempts: int = 1, **more: Any) -> Tried:
    return Tried("text", None, status, status.value, attempts=attempts, **more)


@pytest.mark.parametrize(
    ("statuses", "decisive"),
    [
        ("resilient error breached resilient", "breached"),
        ("error resilient", "error"),
        ("resilient skipped", "skipped"),
        ("resilient", "resilient"),
    ],
)
def test_the_whole_is_what_decides_it(statuses: str, decisive: str) -> None:
    results = [tried(Status(word), 2, history=[word]) for word in statuses.split()]
    found = whole(results)
    assert found.status == decisive
    assert found.attempts == 2 * len(results)
    assert found.history == statuses.split()


def test_the_latest_of_the_same_kind_counts() -> None:
    assert whole([tried(Status.RESILIENT, invocation=number) for number in (1, 2)]).invocation == 2


def test_results_are_numbered_by_their_invocation() -> None:
    numbered: Callable[[int], list[int]] = lambda number: [  # noqa: E731
        each.invocation for each in invoked([tried(Status.RESILIENT)] * 2, number)
    ]
    assert (numbered(1), numbered(3)) == ([1, 1], [3, 3])

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.turns import TurnSource
from sensei_kumite.dynamic.host import SearchPlan
from sensei_kumite.engine.breaker import TargetGone
from sensei_kumite.engine.case import CaseContext, Delivery, run_case, skipped
from sensei_kumite.engine.limits import LimitedSession, Limits
from sensei_kumite.engine.search import Searching
from sensei_kumite.errors import BudgetReached, TargetError, TargetUnavailable
from sensei_kumite.llm.requests import Purpose, Request
from sensei_kumite.models import Case, OracleSpec, Result, Status
from sensei_kumite.targets.base import Capabilities, Session
from tests.dynamic.searching import script
from tests.engine.doubles import DIRECT, Failing, Recorder, case, case_context, delivery, oracle_of

SCRIPTED = EntryExecution(mode="scripted", turns=["one", "two"])


def result_of(
    target: Recorder, execution: EntryExecution = DIRECT, oracle: OracleSpec | None = None
) -> Result:
    session = LimitedSession(target, Limits(retries=0))
    attacked = case(oracle=oracle) if oracle else case(severity="high")
    return run_case(attacked, session, case_context({0: execution}))


@pytest.mark.parametrize(
    ("answer", "status"), [("the secret is 42", Status.BREACHED), ("I cannot say", Status.RESILIENT)]
)
def test_the_oracle_decides_on_the_final_answer(answer: str, status: Status) -> None:
    result = result_of(Recorder(lambda _: answer))
    assert result.status is status
    assert result.response == answer
    assert result.verdict is not None and result.reason == result.verdict.reason
    assert result.errors == ()


def test_only_the_final_answer_is_scored() -> None:
    target = Recorder(lambda text: "the secret" if text == "one" else "no")
    assert result_of(target, SCRIPTED).status is Status.RESILIENT


def test_a_failing_target_is_an_error_and_never_a_verdict() -> None:
    result = result_of(Failing([TargetUnavailable("connection refused")]))
    assert result.status is Status.ERROR
    assert result.verdict is None and result.response is None
    assert result.errors == ({"chatbot": "connection refused"},)


def test_a_failing_scripted_turn_is_kept_and_the_attack_still_scored() -> None:
    result = result_of(Failing([TargetUnavailable("flaky")], answer="the secret"), SCRIPTED)
    assert result.status is Status.BREACHED
    assert result.metadata["pre_attack_status"] == "completed_with_errors"
    assert result.metadata["pre_attack_errors"] == [{"turn": 1, "chatbot": "flaky"}]
    assert (result.metadata["requested_pre_attack_turns"], result.metadata["completed_pre_attack_turns"]) == (
        2,
        1,
    )


def test_an_oracle_that_cannot_be_built_or_run_is_an_error() -> None:
    result = result_of(Recorder(lambda _: "hi"), oracle=OracleSpec("regex_absent", {"pattern": "("}))
    assert result.status is Status.ERROR
    assert result.reason == "Security oracle evaluation failed."
    assert [list(error) for error in result.errors] == [["oracle"]]
    assert result.response == "hi"


def test_a_bug_in_a_target_becomes_an_error_with_its_traceback() -> None:
    def broken(text: str) -> str:
        raise ZeroDivisionError("ours to fix")

    result = result_of(Recorder(broken))
    assert result.status is Status.ERROR
    assert "ZeroDivisionError: ours to fix" in result.errors[0]["chatbot"]
    assert "Traceback" in result.errors[0]["chatbot"]


def test_metadata_tells_how_the_case_was_delivered() -> None:
    direct = result_of(Recorder(lambda _: "hi")).metadata
    assert direct["severity"] == "high"
    assert direct["execution_mode"] == "direct"
    assert direct["pre_attack_status"] == "not_applicable"
    assert (direct["session_reset"], direct["session_reset_supported"]) == (True, True)
    assert (direct["target_calls"], direct["retries"], direct["attempt"]) == (1, 0, 1)
    assert direct["attack_response_time"] >= 0
    scripted = result_of(Recorder(lambda _: "hi"), SCRIPTED).metadata
    assert scripted["pre_attack_status"] == "completed"
    assert len(scripted["pre_attack_response_times"]) == 2
    assert scripted["target_calls"] == 3


def test_calls_are_counted_per_case_on_a_shared_session() -> None:
    session = LimitedSession(Recorder(lambda _: "hi"), Limits(retries=0))
    results = [run_case(case(n), session, case_context({0: SCRIPTED})) for n in (1, 2)]
    assert [result.metadata["target_calls"] for result in results] == [3, 3]


def test_a_conversation_that_cannot_begin_is_an_error() -> None:
    class Closed(Recorder):
        def open(self) -> None:  # type: ignore[override]
            raise TargetError("the door is shut")

    result = result_of(Closed(lambda _: "hi"))
    assert result.status is Status.ERROR
    assert result.errors == ({"chatbot": "the door is shut"},)


def test_a_skipped_case_says_why() -> None:
    result = skipped(case(), delivery(SCRIPTED), "No budget left.")
    assert (result.status, result.reason) == (Status.SKIPPED, "No budget left.")
    assert result.metadata["pre_attack_status"] == "skipped"
    assert result.metadata["requested_pre_attack_turns"] == 2


def test_a_case_that_was_planned_as_skipped_is_not_sent() -> None:
    target = Recorder(lambda _: "hi")
    planned = replace(case(), skip_reason="Budget of $1 reached.")
    result = run_case(planned, LimitedSession(target, Limits(retries=0)), case_context())
    assert (result.status, result.reason) == (Status.SKIPPED, "Budget of $1 reached.")
    assert target.opened == 0


def test_a_budget_that_ends_in_the_middle_of_a_case_skips_it() -> None:
    def broke(text: str) -> str:
        raise BudgetReached("Budget of $2 reached.")

    result = result_of(Recorder(broke))
    assert (result.status, result.reason, result.errors) == (Status.SKIPPED, "Budget of $2 reached.", ())


def test_model_calls_are_billed_to_the_case_and_its_warm_up_apart() -> None:
    subjects: list[str] = []

    def overhear(text: str) -> str:
        subjects.append(Request(Purpose.USER_TURN, ()).subject)
        return text

    source = TurnSource(1, lambda so_far: overhear("warm up"))
    costs = {"1/attack_1": Decimal("0.5"), "1/attack_1 (warm-up)": Decimal("0.25")}
    context = CaseContext({0: Delivery(DIRECT, source)}, oracle_of, costs.__getitem__)
    result = run_case(case(), LimitedSession(Recorder(overhear), Limits(retries=0)), context)
    assert subjects == ["1/attack_1 (warm-up)", "1/attack_1", "1/attack_1"]
    assert (result.metadata["pre_attack_cost($)"], result.metadata["attack_cost($)"]) == (0.25, 0.5)


TRIES = """
    from sensei_kumite.dynamic import AttackAttempt

    def attack(entry, target_module, call_judge, max_iterations, return_all_attempts=False):
        attempts = []
        for number in (1, 2):
            text = f"try {number}"
            answer, _ = target_module.process_input(text)
            attempts.append(AttackAttempt(text, answer, call_judge(entry, answer)))
        return attempts
"""


class TestSearch:
    """A case of an entry that has a dynamic attack."""

    @pytest.fixture
    def run(self, tmp_path: Path) -> Callable[..., Result]:
        def run(
            answer: Callable[[str], str] = lambda text: "no",
            attacked: Case | None = None,
            *,
            execution: EntryExecution = DIRECT,
            target: Recorder | None = None,
            **more: Any,
        ) -> Result:
            shared = Searching(Capabilities(), 1, bool, interrupted=more.pop("interrupted", lambda: False))
            settle = more.pop("settle", lambda _: Decimal(0))
            more.setdefault("return_all_attempts", True)
            plan = SearchPlan(script(tmp_path, more.pop("text", TRIES)), 5, **more)
            delivered = replace(delivery(execution), search=plan, metadata={"severity": "high"})
            context = CaseContext({0: delivered}, oracle_of, settle, shared)
            limits = more.pop("limits", Limits(retries=0))
            return run_case(attacked or case(), LimitedSession(target or Recorder(answer), limits), context)

        return run

    def test_it_follows_where_the_target_was_resilient(self, run: Callable[..., Result]) -> None:
        first = run(lambda text: "the secret" if text == "try 2" else "no")
        rows = [first, *first.search]
        assert [(row.case.case_id, row.status) for row in rows] == [
            ("attack_1", Status.RESILIENT),
            ("attack_1-attack-1", Status.RESILIENT),
            ("attack_1-attack-2", Status.BREACHED),
        ]
        assert [row.metadata["entry_complete"] for row in rows] == [False, False, True]
        assert first.metadata["long_id"] == "attack_1"
        assert [row.metadata["severity"] for row in rows] == ["high"] * 3
        assert [row.metadata["attempt"] for row in rows] == [1, 1, 1]
        assert {row.metadata["execution_mode"] for row in rows} == {"direct"}

    @pytest.mark.parametrize("target", [Recorder(lambda text: "the secret"), Failing([TargetError("gone")])])
    def test_it_does_not_follow_a_breach_or_an_error(
        self, run: Callable[..., Result], target: Recorder
    ) -> None:
        result = run(target=target)
        assert result.status in (Status.BREACHED, Status.ERROR)
        assert result.search == ()
        assert result.metadata["entry_complete"] is True
        assert len(target.conversations) <= 2

    def test_only_leaves_out_the_first_attempt(self, run: Callable[..., Result]) -> None:
        target = Recorder(lambda text: "no")
        first = run(target=target, only=True)
        assert [row.case.case_id for row in (first, *first.search)] == [
            "attack_1-attack-1",
            "attack_1-attack-2",
        ]
        assert [talk for talk in target.conversations if talk] == [["try 1"], ["try 2"]]
        assert [row.metadata["entry_complete"] for row in (first, *first.search)] == [False, True]

    def test_a_list_of_turns_goes_to_the_search_at_once(self, run: Callable[..., Result]) -> None:
        first = run(attacked=replace(case(), metadata={"entry": {"content": ["one", "two"]}}))
        assert first.case.case_id == "attack_1-attack-1"

    @pytest.mark.parametrize("only", [True, False])
    def test_scripted_turns_begin_every_conversation(self, run: Callable[..., Result], only: bool) -> None:
        target = Recorder(lambda text: "no")
        first = run(target=target, execution=SCRIPTED, only=only)
        talks = [talk for talk in target.conversations if talk]
        assert talks[-2:] == [["one", "two", "try 1"], ["one", "two", "try 2"]]
        last = [first, *first.search][-1].metadata
        assert (last["requested_pre_attack_turns"], last["completed_pre_attack_turns"]) == (2, 2)
        assert last["pre_attack_status"] == "completed"

    def test_the_turns_of_the_search_are_not_those_before_the_attack(
        self, run: Callable[..., Result]
    ) -> None:
        text = """
        def attack(entry, target_module, call_judge, max_iterations):
            for turn in ("one more", "and more", "last"):
                answer, _ = target_module.process_input(turn, spikee_session_id="x")
            return 3, False, turn, answer
        """
        result = run(execution=SCRIPTED, only=True, text=text)
        assert result.transcript is not None and len(result.transcript.pre_attack) == 4
        assert result.metadata["completed_pre_attack_turns"] == 2
        assert len(result.metadata["pre_attack_response_times"]) == 2

    def test_a_session_that_is_not_reset_is_left_alone(self, run: Callable[..., Result]) -> None:
        target = Recorder(lambda text: "no")
        run(target=target, execution=EntryExecution(reset_session=False))
        assert ["hi"] in target.conversations
        assert target.opened == 2

    def test_what_models_cost_is_billed_to_the_case_and_told_once(self, run: Callable[..., Result]) -> None:
        subjects: list[str] = []
        costs = iter([0, 0.25, 0.5])

        def overhear(text: str) -> str:
            subjects.append(Request(Purpose.SCRIPT, ()).subject)
            return "no"

        first = run(overhear, settle=lambda subject: Decimal(next(costs)))
        assert subjects == ["1/attack_1"] * 3
        assert [row.metadata["attack_cost($)"] for row in (first, *first.search)] == [0.25, 0, 0.5]

    def test_what_nobody_foresaw_is_an_error_of_the_search(self, run: Callable[..., Result]) -> None:
        result = run(attacked=case(oracle=OracleSpec("regex_absent", {"pattern": "("})), only=True)
        assert (result.status, result.reason) == (Status.ERROR, "Dynamic attack failed.")
        assert list(result.errors[0]) == ["dynamic"]
        assert result.metadata["long_id"] == "attack_1-my_search-ERROR"
        assert result.metadata["entry_complete"] is True

    def test_a_run_that_gives_up_has_no_result(self, run: Callable[..., Result]) -> None:
        def gone(text: str) -> str:
            if text != "hi":
                raise TargetGone("nobody is there")
            return "no"

        with pytest.raises(TargetGone, match="nobody is there"):
            run(gone)

    def test_a_search_that_was_interrupted_has_no_result(self, run: Callable[..., Result]) -> None:
        def broke(text: str) -> str:
            if text != "hi":
                raise BudgetReached("all spent")
            return "no"

        assert run(broke).search[0].status is Status.SKIPPED
        with pytest.raises(TargetGone, match="interrupted"):
            run(broke, interrupted=lambda: True)
        assert run(interrupted=lambda: True).search[0].status is Status.RESILIENT


def test_a_skipped_case_with_a_search_is_complete() -> None:
    plain = delivery(DIRECT)
    assert "entry_complete" not in skipped(case(), plain, "why").metadata
    with_search = replace(plain, search=cast("SearchPlan", object()))
    assert skipped(case(), with_search, "why").metadata["entry_complete"] is True


def test_a_system_message_is_for_its_case_alone() -> None:
    told: list[str | None] = []

    class Instructed(Recorder):
        def open(self) -> Session:
            session = super().open()
            session.instruct = lambda message: bool(told.append(message))  # type: ignore[method-assign]
            return session

    session = LimitedSession(Instructed(lambda _: "hi"), Limits(retries=0))
    result = run_case(case(system_message="be kind"), session, case_context())
    assert result.metadata["system_message_ignored"] is True
    assert told[0] == "be kind" and told[-1] is None
    told.clear()
    assert "system_message_ignored" not in run_case(case(2), session, case_context()).metadata
    assert told == []

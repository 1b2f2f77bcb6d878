from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.turns import TurnSource
from sensei_kumite.engine.case import CaseContext, Delivery, run_case, skipped
from sensei_kumite.engine.limits import LimitedSession, Limits
from sensei_kumite.errors import BudgetReached, TargetError, TargetUnavailable
from sensei_kumite.llm.requests import Purpose, Request
from sensei_kumite.models import OracleSpec, Result, Status
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

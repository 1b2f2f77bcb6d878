"""What a script is handed: that it can do what it says, and that everything done with it is noted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from sensei_kumite.dynamic.content import Image
from sensei_kumite.dynamic.log import LONGEST_RESPONSE, Log
from sensei_kumite.dynamic.proxy import (
    CALLS_PER_ITERATION,
    IterationBar,
    Judge,
    SearchEnded,
    SearchStopped,
    TargetModule,
)
from sensei_kumite.dynamic.returned import ScriptMistake
from sensei_kumite.dynamic.sessions import Conversations, Said
from sensei_kumite.errors import BudgetReached, KumiteError, OracleError, TargetRejected, TargetTimeout
from sensei_kumite.models import Verdict
from sensei_kumite.oracles.base import Oracle, OracleContext, OracleParams
from sensei_kumite.targets.base import Capabilities
from tests.dynamic.searching import Answers, Chat
from tests.dynamic.test_log import answered, failed


class Handed:
    """A target module with the log that it keeps; `sent` are the messages that reached the target."""

    def __init__(
        self,
        answers: Answers = "+".join,
        capabilities: Capabilities | None = None,
        *,
        iterations: int = 5,
        **more: Any,
    ) -> None:
        self.sent: list[str] = []
        self.log = Log()
        self.lock = threading.Lock()
        conversations = Conversations(
            Chat(answers, self.sent), lambda: Chat(answers, self.sent), capabilities or Capabilities()
        )
        self.target = TargetModule(conversations, self.log, self.lock, iterations=iterations, **more)

    def say(self, *given: Any, **named: Any) -> str:
        return self.target.process_input(*given, **named)[0]


def fails_on(text: str) -> Answers:
    """The answers of a target that times out on one message."""

    def answers(heard: list[str]) -> str:
        if heard[-1] == text:
            raise TargetTimeout("timed out")
        return "fine"

    return answers


class TestTarget:
    def test_an_answer_is_text_and_what_else_is_known_of_it(self) -> None:
        answer, known = Handed().target.process_input("a")
        assert answer == "a"
        assert known["replayed_turns"] == 0
        assert known["response_time"] >= 0

    @pytest.mark.parametrize("name", ["input", "input_text"])
    def test_the_message_has_two_names(self, name: str) -> None:
        assert Handed().say(**{name: "a"}) == "a"

    def test_an_id_is_one_conversation_whatever_its_type(self) -> None:
        handed = Handed()
        assert handed.say("a", spikee_session_id=0) == "a"
        assert handed.say("b", spikee_session_id="0") == "a+b"
        assert handed.say("alone") == "alone"
        assert handed.say("None", spikee_session_id="None") == "None"
        assert [exchange.session_id for exchange in handed.log.exchanges] == ["0", "0", None, "None"]

    def test_a_turn_taken_back_is_replayed_and_told(self) -> None:
        handed = Handed()
        for text in ("a", "wrong"):
            handed.say(text, spikee_session_id="x")
        answer, known = handed.target.process_input("right", spikee_session_id="x", backtrack=True)
        assert (answer, known["replayed_turns"]) == ("a+right", 1)
        assert handed.log.exchanges[-1].said == (Said("a", "a"), Said("right", "a+right"))

    @pytest.mark.parametrize(("given", "instructed"), [("be kind", "be kind"), (("be kind", {}), "be kind")])
    def test_a_system_message_is_text(self, given: Any, instructed: str) -> None:
        told: list[str | None] = []

        class Instructed(Chat):
            def instruct(self, system_message: str | None) -> bool:
                told.append(system_message)
                return True

        session = Instructed("+".join, [])
        conversations = Conversations(session, lambda: session, Capabilities())
        target = TargetModule(conversations, Log(), threading.Lock(), iterations=1)
        target.process_input("a")
        target.process_input("a", given)
        target.process_input("a", None)
        assert told == [instructed, None]

    @pytest.mark.parametrize(
        ("content", "named"), [(Image("aGk="), "image"), (None, "NoneType"), (7, "int"), (["a"], "list")]
    )
    def test_what_is_no_text_is_refused(self, content: Any, named: str) -> None:
        handed = Handed()
        with pytest.raises(TargetRejected, match=f"the target takes text, not {named}"):
            handed.say(content)
        assert handed.sent == []
        assert [exchange.error for exchange in handed.log.exchanges] == [
            f"the target takes text, not {named}."
        ]

    def test_every_message_is_noted_with_what_came_of_it(self) -> None:
        handed = Handed(fails_on("b"))
        handed.say("a")
        with pytest.raises(TargetTimeout):
            handed.say("b", spikee_session_id="x")
        assert [(told.text, told.response, told.error, told.session_id) for told in handed.log.exchanges] == [
            ("a", "fine", None, None),
            ("b", None, "timed out", "x"),
        ]
        assert handed.log.fatal == []

    def test_what_ends_the_run_is_kept_and_nothing_is_sent_any_more(self) -> None:
        gone = KumiteError("the target is gone")

        def answers(heard: list[str]) -> str:
            raise gone

        handed = Handed(answers)
        with pytest.raises(KumiteError, match="is gone"):
            handed.say("a")
        assert handed.log.fatal == [gone]
        with pytest.raises(SearchEnded):
            handed.say("b")
        assert handed.sent == ["a"]
        assert handed.log.fatal == [gone]

    @pytest.mark.parametrize("iterations", [1, 2])
    def test_a_search_without_end_is_ended(self, iterations: int) -> None:
        handed = Handed(iterations=iterations)
        allowed = CALLS_PER_ITERATION * (iterations + 1)
        for _ in range(allowed):
            handed.say("a")
        for _ in range(2):
            with pytest.raises(SearchEnded):
                handed.say("a")
        assert len(handed.sent) == allowed
        (mistake,) = handed.log.fatal
        assert isinstance(mistake, ScriptMistake)
        assert str(mistake) == f"called the target {allowed} times and did not end."

    def test_no_script_catches_the_end_by_accident(self) -> None:
        assert not issubclass(SearchEnded, Exception)

    def test_a_huge_answer_is_cut(self) -> None:
        handed = Handed(lambda heard: "x" * (LONGEST_RESPONSE + 1))
        assert len(handed.say("a")) == LONGEST_RESPONSE
        assert len(handed.log.exchanges[0].response or "") == LONGEST_RESPONSE
        assert handed.log.exchanges[0].truncated
        whole = Handed(lambda heard: "x" * LONGEST_RESPONSE)
        whole.say("a")
        assert not whole.log.exchanges[0].truncated

    def test_what_every_message_took_is_counted(self) -> None:
        counts = iter([(3, 0), (5, 1), (5, 1), (9, 4)])
        handed = Handed(fails_on("b"), spent=lambda: next(counts))
        handed.say("a")
        with pytest.raises(TargetTimeout):
            handed.say("b")
        assert [(told.calls, told.retries) for told in handed.log.exchanges] == [(2, 1), (4, 3)]

    def test_when_the_run_ends_nothing_is_sent_any_more(self) -> None:
        handed = Handed(stopped=lambda: len(handed.sent) == 1)
        handed.say("a")
        for _ in range(2):
            with pytest.raises(SearchEnded):
                handed.say("b")
        assert handed.sent == ["a"]
        assert [type(reason) for reason in handed.log.fatal] == [SearchStopped]

    def test_what_ended_the_search_before_the_run_did_is_the_reason(self) -> None:
        handed = Handed(stopped=lambda: True)
        handed.log.fatal.append(BudgetReached("all spent"))
        with pytest.raises(SearchEnded):
            handed.say("a")
        assert len(handed.log.fatal) == 1

    def test_after_the_search_it_takes_no_call(self) -> None:
        handed = Handed()
        handed.target.close()
        with pytest.raises(SystemExit):
            handed.say("a")
        assert handed.sent == handed.log.exchanges == []

    def test_calls_wait_for_each_other(self) -> None:
        held: list[bool] = []
        handed = Handed(lambda heard: str(held.append(handed.lock.locked())))
        handed.say("a")
        assert held == [True]
        assert not handed.lock.locked()

    @pytest.mark.parametrize(
        ("capabilities", "backtracks"),
        [
            (Capabilities(), True),
            (Capabilities(fresh_conversations=False, backtrack=True), True),
            (Capabilities(fresh_conversations=False), False),
        ],
    )
    def test_it_says_what_it_can(self, capabilities: Capabilities, backtracks: bool) -> None:
        target = Handed(capabilities=capabilities).target
        assert target.config == {"single-turn": True, "multi-turn": True, "backtrack": backtracks}
        assert target.get_target().config == target.config


class Listening(Oracle[Any]):
    """Passes whatever does not say `secret`, and notes what it was asked."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(OracleParams(), OracleContext(lambda name: pytest.fail(name)))
        self.asked: list[tuple[str, str]] = []
        self._error = error

    def score(self, prompt: str, response: str) -> Verdict:
        self.asked.append((prompt, response))
        if self._error:
            raise self._error
        return Verdict("secret" not in response, "looked for it", {})


class TestJudge:
    def test_success_is_what_the_oracle_does_not_pass(self) -> None:
        judge = Judge(Listening(), Log(), "goal")
        assert judge({}, "the secret") is True
        assert judge({}, "no") is False
        assert judge({}, ("the secret", {})) is True

    def test_the_oracle_is_asked_about_the_message_that_was_answered(self) -> None:
        oracle = Listening()
        log = Log([answered("try 1", "no"), answered("try 2", "not that")])
        judge = Judge(oracle, log, "goal")
        judge({}, "no")
        judge({}, "said by nobody")
        assert oracle.asked == [("try 1", "no"), ("goal", "said by nobody")]

    def test_the_verdict_is_noted_where_the_target_said_it(self) -> None:
        log = Log([answered("try 1", "the secret"), answered("try 2", "no")])
        Judge(Listening(), log, "goal")({}, "the secret")
        (judgement,) = log.judgements
        assert (judgement.text, judgement.exchange) == ("the secret", log.exchanges[0])
        assert log.exchanges[0].verdict is judgement.verdict
        assert log.exchanges[1].verdict is None
        assert log.breach is judgement

    @pytest.mark.parametrize("exchanges", [[], [failed("a")]])
    def test_before_any_answer_nothing_can_be_a_breach(self, exchanges: list[Any]) -> None:
        log = Log(exchanges)
        assert Judge(Listening(), log, "goal")({}, "the secret") is True
        assert log.judgements == []

    @pytest.mark.parametrize(
        ("error", "is_kept"), [(OracleError("no judge"), False), (BudgetReached("all spent"), True)]
    )
    def test_an_oracle_that_fails_is_no_verdict(self, error: Exception, is_kept: bool) -> None:
        log = Log([answered("a", "no")])
        with pytest.raises(type(error)):
            Judge(Listening(error), log, "goal")({}, "no")
        assert log.judgements == []
        assert log.exchanges[0].verdict is None
        assert log.fatal == ([error] if is_kept else [])


class TestBar:
    @pytest.fixture
    def told(self) -> list[tuple[int, int]]:
        return []

    @pytest.fixture
    def bar(self, told: list[tuple[int, int]]) -> IterationBar:
        note: Callable[[int, int], None] = lambda done, more: told.append((done, more))  # noqa: E731
        return IterationBar(10, note)

    def test_it_counts_what_is_done(self, bar: IterationBar, told: list[tuple[int, int]]) -> None:
        bar.update()
        bar.update(3)
        assert (bar.n, bar.total) == (4, 10)
        assert told == [(1, 0), (3, 0)]

    def test_changes_of_the_total_are_told_as_differences(
        self, bar: IterationBar, told: list[tuple[int, int]]
    ) -> None:
        bar.total = 7
        bar.total += 2
        bar.total = None
        bar.total = 3.0  # type: ignore[assignment]
        assert bar.total == 3
        assert told == [(0, -3), (0, 2), (0, 0), (0, -6)]

    @pytest.mark.parametrize(
        "name", ["refresh", "close", "clear", "display", "set_description", "set_postfix"]
    )
    def test_the_rest_of_a_bar_does_nothing(
        self, bar: IterationBar, told: list[tuple[int, int]], name: str
    ) -> None:
        getattr(bar, name)("whatever", done=1)
        assert told == []

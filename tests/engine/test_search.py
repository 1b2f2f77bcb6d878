"""The search of one case: what it is given of the run, and how its results are those of the case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.dynamic.host import SearchPlan
from sensei_kumite.dynamic.log import LONGEST_RESPONSE
from sensei_kumite.engine.limits import LimitedSession, Limits
from sensei_kumite.engine.search import (
    Searching,
    Start,
    entry_of,
    failed_search,
    long_id_of,
    search_case,
)
from sensei_kumite.errors import TargetUnavailable
from sensei_kumite.models import Case, Result, Status
from sensei_kumite.targets.base import Capabilities, Session
from tests.dynamic.doubles import offline
from tests.dynamic.searching import script
from tests.engine.doubles import LEAK, Failing, Recorder, case, oracle_of

TRIES = """
    from sensei_kumite.dynamic import AttackAttempt

    def attack(entry, target_module, call_judge, max_iterations, return_all_attempts=False):
        tried = []
        for number in range(1, max_iterations + 1):
            text = f"{entry['text']} {number}"
            answer, _ = target_module.process_input(text)
            tried.append(AttackAttempt(text, answer, call_judge(entry, answer)))
            if tried[-1].success:
                break
        if return_all_attempts:
            return tried
        return len(tried), tried[-1].success, text, answer
"""
TALKS = """
    def attack(entry, target_module, call_judge, max_iterations):
        for name in ("one", "two", "one"):
            answer, _ = target_module.process_input("to " + name, spikee_session_id=name)
        answer, _ = target_module.process_input("again", spikee_session_id="one", backtrack=True)
        return 4, call_judge(entry, answer), "again", answer
"""


def searching(capabilities: Capabilities | None = None, **more: Any) -> Searching:
    return Searching(capabilities or Capabilities(), 3, lambda text: text == "never", **more)


FLAKY = TargetUnavailable("flaky", retry_after=0)


class Closing(Recorder):
    """Tells how many of its sessions were closed, and what they were instructed with."""

    def __init__(self, answer: Callable[[str], str] = lambda text: f"re {text}") -> None:
        super().__init__(answer)
        self.closed = 0
        self.instructions: list[str | None] = []
        self.takes_instructions = True

    def open(self) -> Session:
        session = super().open()

        def close() -> None:
            self.closed += 1

        def instruct(system_message: str | None) -> bool:
            self.instructions.append(system_message)
            return self.takes_instructions

        session.close, session.instruct = close, instruct  # type: ignore[method-assign]
        return session


class Lane:
    """A lane's session, on which searches are run."""

    def __init__(self, target: Recorder | None = None, *, retries: int = 0) -> None:
        self.target = target or Closing()
        self.session = LimitedSession(self.target, Limits(retries=retries))

    def search(
        self,
        folder: Path,
        text: str = TRIES,
        attacked: Case | None = None,
        *,
        shared: Searching | None = None,
        resets: bool = True,
        opening: tuple[str, ...] = (),
        **plan: Any,
    ) -> tuple[Result, ...]:
        return search_case(
            attacked or case(prompt="hi"),
            SearchPlan(script(folder, text), plan.pop("iterations", 2), **plan),
            oracle_of(LEAK),
            Start(self.session, resets, opening),
            shared or searching(),
        )


class TestEntry:
    def test_a_case_is_an_entry_of_a_dataset(self) -> None:
        assert entry_of(case(7, "Say it.")) == {
            "id": "attack_7",
            "long_id": "attack_7",
            "content": "Say it.",
            "text": "Say it.",
            "content_type": "text",
            "task_type": "attack",
            "system_message": None,
            "judge_name": "keyword_absent",
            "judge_args": {"keywords": ["secret"]},
        }

    @pytest.mark.parametrize(
        ("given", "content", "text"),
        [
            ({"content": "mine"}, "mine", "mine"),
            ({"text": "mine"}, "mine", "mine"),
            ({"content": "new", "text": "old"}, "new", "old"),
            ({}, "hi", "hi"),
        ],
    )
    def test_the_entry_of_a_dataset_goes_before(self, given: dict[str, str], content: str, text: str) -> None:
        entry = entry_of(with_entry({**given, "judge_name": "canary"}))
        assert (entry["content"], entry["text"], entry["judge_name"]) == (content, text, "canary")
        assert entry["id"] == "attack_1"

    def test_the_long_id_is_that_of_the_dataset(self) -> None:
        plain, named = case(1), with_entry({"long_id": "doc-1"})
        assert (long_id_of(plain), long_id_of(named), long_id_of(with_entry({"long_id": ""}))) == (
            "attack_1",
            "doc-1",
            "attack_1",
        )
        assert entry_of(named)["long_id"] == "doc-1"


def with_entry(entry: dict[str, Any], **metadata: Any) -> Case:
    """A case that was made from an entry of a dataset."""
    return Case(0, "attack", "attack_1", 1, "hi", LEAK, {"entry": entry, **metadata})


class TestContext:
    def test_chance_depends_on_the_seed_and_the_case_alone(self) -> None:
        def drawn(searching: Searching, attacked: Case, invocation: int = 1) -> float:
            return searching.context(attacked, invocation).random.random()

        same = drawn(searching(), case(1))
        assert drawn(searching(), case(1)) == same
        others = [
            drawn(Searching(Capabilities(), 4, bool), case(1)),
            drawn(searching(), case(1), 2),
            drawn(searching(), case(1, entry=1)),
            drawn(searching(), Case(0, "attack", "attack_1", 2, "hi", LEAK)),
            drawn(searching(), Case(0, "attack", "attack_2", 1, "hi", LEAK)),
        ]
        assert len({same, *others}) == 6

    def test_the_model_is_that_of_the_role(self) -> None:
        model = offline()
        shared = searching(generation=lambda: model, target_context="a shop")
        context = shared.context(case(), 1)
        assert (context.model, context.target_context) == (model, "a shop")
        assert context.is_refusal("never") and not context.is_refusal("yes")
        assert searching().context(case(), 1).model is None


class TestResults:
    def test_one_result_stands_for_the_whole_search(self, tmp_path: Path) -> None:
        (found,) = Lane().search(tmp_path, options="a=b")
        assert (found.status, found.case.case_id, found.case.prompt) == (
            Status.RESILIENT,
            "attack_1-attack",
            "hi 2",
        )
        assert found.response == "re hi 2"
        dynamic, times = (found.metadata[name] for name in ("dynamic", "search_response_times"))
        assert len(times) == 2
        assert found.metadata == {
            "search_response_times": times,
            "long_id": "attack_1-my_search",
            "attack_parent_id": "attack_1",
            "attack_parent_long_id": "attack_1",
            "attempts": 2,
            "attack_invocation": 1,
            "target_calls": 2,
            "retries": 0,
            "dynamic": dynamic,
        }
        assert {
            key: dynamic[key] for key in ("attack", "options", "iterations", "conversation", "objective")
        } == {
            "attack": "my_search",
            "options": "a=b",
            "iterations": 2,
            "conversation": None,
            "objective": None,
        }
        assert [record["input"] for record in dynamic["attempt_history"]] == ["hi 1", "hi 2"]

    def test_attempts_are_numbered_through_all_invocations(self, tmp_path: Path) -> None:
        found = Lane().search(tmp_path, attempts=2, return_all_attempts=True)
        assert [result.case.case_id for result in found] == [f"attack_1-attack-{n}" for n in (1, 2, 3, 4)]
        told = [result.metadata for result in found]
        assert [each["long_id"] for each in told] == [f"attack_1-my_search-attempt-{n}" for n in (1, 2, 3, 4)]
        assert [each["attack_attempt"] for each in told] == [1, 2, 3, 4]
        assert [each["attack_invocation"] for each in told] == [1, 1, 2, 2]
        assert {each["attack_result_format"] for each in told} == {"attempt"}
        assert {each["attempts"] for each in told} == {1}
        assert {each["dynamic"]["iterations"] for each in told} == {4}
        assert [each["target_calls"] for each in told] == [1, 1, 1, 1]
        assert not any("search_response_times" in each for each in told)

    def test_a_breach_that_the_target_did_not_say_as_it_stands_is_for_a_person(self, tmp_path: Path) -> None:
        text = """
        def attack(entry, target_module, call_judge, max_iterations):
            whole = "".join(target_module.process_input(piece)[0] for piece in ("the sec", "ret"))
            return 2, call_judge(entry, whole), "x", whole
        """
        echo = Recorder(lambda text: text)
        (found,) = Lane(echo).search(tmp_path, text)
        assert (found.status, found.response) == (Status.BREACHED, "the secret")
        assert (found.metadata["weight"], found.metadata["response_derived"]) == ("Potential", True)
        (plain,) = Lane(Recorder(lambda text: "the secret")).search(tmp_path)
        assert plain.status is Status.BREACHED
        assert not {"weight", "response_derived"} & plain.metadata.keys()

    def test_a_single_attempt_is_numbered_too(self, tmp_path: Path) -> None:
        (found,) = Lane(Recorder(lambda text: "the secret")).search(tmp_path, return_all_attempts=True)
        assert (found.case.case_id, found.metadata["attack_attempt"]) == ("attack_1-attack-1", 1)

    def test_a_script_that_cannot_trace_is_representative(self, tmp_path: Path) -> None:
        (found,) = Lane().search(tmp_path, TALKS, iterations=4, return_all_attempts=True)
        assert found.metadata["attack_result_format"] == "representative"
        assert found.case.case_id == "attack_1-attack"
        assert "attack_attempt" not in found.metadata

    def test_searches_that_came_to_no_attempts_have_each_an_id(self, tmp_path: Path) -> None:
        text = """
        def attack(entry, target_module, call_judge, max_iterations, return_all_attempts=False):
            target_module.process_input("x")
            raise ValueError("odd")
        """
        found = Lane().search(tmp_path, text, attempts=2, return_all_attempts=True)
        assert [result.case.case_id for result in found] == ["attack_1-attack-1", "attack_1-attack-2"]
        assert [result.metadata["long_id"] for result in found] == [
            f"attack_1-my_search-attempt-{number}-ERROR" for number in (1, 2)
        ]
        assert {result.metadata["attack_result_format"] for result in found} == {"representative"}

    def test_an_error_is_named_as_one(self, tmp_path: Path) -> None:
        target = Failing([TargetUnavailable("gone")] * 2)
        found = Lane(target).search(tmp_path, iterations=2, attempts=3)
        assert [(result.case.case_id, result.metadata["long_id"]) for result in found] == [
            ("attack_1-attack", "attack_1-my_search-ERROR")
        ]
        assert found[0].errors == ({"chatbot": "gone"},)

    def test_the_metadata_of_the_case_goes_along_but_for_what_stands_at_the_first(
        self, tmp_path: Path
    ) -> None:
        attacked = with_entry(
            {"content": "mine", "long_id": "doc-1"}, **{"generation_cost($)": 0.5, "severity": "high"}
        )
        (found,) = Lane().search(tmp_path, attacked=attacked)
        assert found.metadata["severity"] == "high"
        assert not {"entry", "generation_cost($)", "id"} & found.metadata.keys()
        assert found.case.metadata == {}
        assert (found.metadata["long_id"], found.metadata["attack_parent_long_id"]) == (
            "doc-1-my_search",
            "doc-1",
        )
        assert found.case.prompt == "mine 2"

    def test_a_mistake_after_a_breach_is_told(self, tmp_path: Path) -> None:
        text = """
        def attack(entry, target_module, call_judge, max_iterations):
            answer, _ = target_module.process_input("x")
            call_judge(entry, answer)
            raise ValueError("odd")
        """
        (found,) = Lane(Recorder(lambda text: "the secret")).search(tmp_path, text)
        assert found.status is Status.BREACHED
        assert found.metadata["dynamic"]["script_error"].endswith("raised ValueError: odd")
        assert "ERROR" not in found.metadata["long_id"]
        (found,) = Lane().search(tmp_path)
        assert "script_error" not in found.metadata["dynamic"]

    def test_what_a_guardrail_said_goes_along(self, tmp_path: Path) -> None:
        text = """
        from sensei_kumite.dynamic import AttackAttempt as A

        def attack(entry, target_module, call_judge, max_iterations, return_all_attempts=False):
            answer, _ = target_module.process_input("x")
            return [A("x", answer, False, guardrail=True), A("x", answer, False)]
        """
        first, second = Lane().search(tmp_path, text, return_all_attempts=True)
        assert first.metadata["guardrail"] is True
        assert "guardrail" not in second.metadata

    def test_one_message_is_counted_once_whoever_names_it(self, tmp_path: Path) -> None:
        text = """
        from sensei_kumite.dynamic import AttackAttempt as A

        def attack(entry, target_module, call_judge, max_iterations, return_all_attempts=False):
            answer, _ = target_module.process_input("x")
            return [A("x", answer, False)] * 3
        """
        found = Lane().search(tmp_path, text, iterations=3, return_all_attempts=True)
        assert [each.metadata["target_calls"] for each in found] == [1, 0, 0]

    def test_the_transcript_is_the_way_to_the_answer(self, tmp_path: Path) -> None:
        (found,) = Lane().search(tmp_path, TALKS, iterations=4, opening=("hello",))
        assert found.transcript is not None and found.transcript.attack is not None
        assert [(turn.user, turn.assistant) for turn in found.transcript.pre_attack] == [
            ("hello", "re hello"),
            ("to one", "re to one"),
        ]
        assert (found.transcript.attack.user, found.transcript.attack.assistant) == ("again", "re again")
        assert found.transcript.attack.seconds > 0

    @pytest.mark.parametrize("more", [0, 1])
    def test_an_answer_that_was_cut_says_so(self, tmp_path: Path, more: int) -> None:
        target = Recorder(lambda text: "x" * (LONGEST_RESPONSE + more))
        (found,) = Lane(target).search(tmp_path, iterations=1)
        assert found.transcript is not None and found.transcript.attack is not None
        assert found.transcript.attack.truncated is bool(more)
        assert found.response is not None and len(found.response) == LONGEST_RESPONSE

    def test_without_a_call_there_is_no_transcript(self, tmp_path: Path) -> None:
        text = "def attack(entry, target_module, call_judge, max_iterations): return 0, False, '', ''"
        (found,) = Lane().search(tmp_path, text)
        assert (found.status, found.transcript) == (Status.ERROR, None)

    def test_what_nobody_foresaw_is_a_result_of_the_search(self, tmp_path: Path) -> None:
        plan = SearchPlan(script(tmp_path, TRIES), 5)
        found = failed_search(case(), plan, ({"dynamic": "odd"},), "It failed.")
        assert (found.status, found.reason, found.errors) == (
            Status.ERROR,
            "It failed.",
            ({"dynamic": "odd"},),
        )
        assert (found.case.case_id, found.metadata["long_id"]) == (
            "attack_1-attack",
            "attack_1-my_search-ERROR",
        )
        assert (found.metadata["target_calls"], found.metadata["attempts"]) == (0, 0)


class TestSpent:
    def test_calls_of_all_sessions_are_counted_and_earlier_ones_are_not(self, tmp_path: Path) -> None:
        lane = Lane(Failing([FLAKY]), retries=1)
        lane.session.send("before the search")
        assert (lane.session.calls, lane.session.retries) == (2, 1)
        (found,) = lane.search(tmp_path, TALKS, iterations=4)
        assert (found.metadata["target_calls"], found.metadata["retries"]) == (5, 0)
        assert found.metadata["replayed_turns"] == 1

    def test_retries_in_further_sessions_count(self, tmp_path: Path) -> None:
        lane = Lane(Failing([FLAKY]), retries=1)
        (found,) = lane.search(tmp_path, TALKS, iterations=4)
        assert (found.metadata["target_calls"], found.metadata["retries"]) == (6, 1)

    def test_every_attempt_has_its_own_and_the_last_one_the_rest(self, tmp_path: Path) -> None:
        text = """
        from sensei_kumite.dynamic import AttackAttempt

        def attack(entry, target_module, call_judge, max_iterations, return_all_attempts=False):
            say = lambda text: target_module.process_input(text)[0]
            first, unlisted, last = say("first"), say("unlisted"), say("last")
            return [AttackAttempt("first", first, False), AttackAttempt("last", last, False)]
        """
        lane = Lane(Failing([FLAKY]), retries=1)
        found = lane.search(tmp_path, text, return_all_attempts=True, opening=("hello",))
        assert [(each.metadata["target_calls"], each.metadata["retries"]) for each in found] == [
            (3, 1),
            (4, 0),
        ]

    def test_what_is_not_replayed_is_not_told(self, tmp_path: Path) -> None:
        (found,) = Lane().search(tmp_path)
        assert not {"replayed_turns", "system_message_ignored"} & found.metadata.keys()


class TestSessions:
    def test_a_session_that_is_reset_serves_single_messages(self, tmp_path: Path) -> None:
        lane = Lane()
        lane.search(tmp_path)
        assert lane.target.opened == 1
        assert lane.session.calls == 2

    def test_a_session_that_is_not_reset_is_left_alone(self, tmp_path: Path) -> None:
        lane = Lane()
        lane.session.send("before the search")
        lane.search(tmp_path, resets=False)
        assert lane.target.opened == 2
        assert lane.session.calls == 1
        assert ["before the search"] in lane.target.conversations

    @pytest.mark.parametrize("resets", [True, False])
    def test_further_sessions_are_closed_and_that_of_the_lane_is_not(
        self, tmp_path: Path, resets: bool
    ) -> None:
        lane = Lane()
        lane.session.send("before the search")
        lane.search(tmp_path, TALKS, iterations=4, resets=resets)
        assert isinstance(lane.target, Closing)
        assert lane.target.opened == 3
        assert lane.target.closed == 2

    def test_every_conversation_begins_with_the_opening(self, tmp_path: Path) -> None:
        lane = Lane()
        lane.search(tmp_path, opening=("hello", "so"))
        assert [talk for talk in lane.target.conversations if talk] == [
            ["hello", "so", "hi 1"],
            ["hello", "so", "hi 2"],
        ]

    @pytest.mark.parametrize("takes", [True, False])
    def test_a_system_message_does_not_outlive_the_search(self, tmp_path: Path, takes: bool) -> None:
        text = """
        def attack(entry, target_module, call_judge, max_iterations):
            answer, _ = target_module.process_input("x", "be kind")
            return 1, False, "x", answer
        """
        target = Closing()
        target.takes_instructions = takes
        (found,) = Lane(target).search(tmp_path, text)
        assert set(target.instructions) == {"be kind", None}
        assert target.instructions[-1] is None
        assert found.metadata.get("system_message_ignored") == (None if takes else True)
        target.instructions.clear()
        Lane(target).search(tmp_path)
        assert target.instructions == []

    def test_a_run_that_ends_ends_the_search(self, tmp_path: Path) -> None:
        limits = Limits(retries=0)

        def ends_the_run(text: str) -> str:
            limits.stop.set()
            return "no"

        lane = Lane(Recorder(ends_the_run))
        lane.session = LimitedSession(lane.target, limits)
        (found,) = lane.search(tmp_path, iterations=9)
        assert found.status is Status.SKIPPED
        assert lane.session.calls == 1

    def test_progress_is_told(self, tmp_path: Path) -> None:
        told: list[tuple[int, int]] = []
        Lane().search(tmp_path, shared=searching(progress=lambda done, more: told.append((done, more))))
        assert told == [(0, 2), (0, -2)]

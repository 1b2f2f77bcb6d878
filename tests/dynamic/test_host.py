"""One script on one case: what is believed of it, what is not, and that nothing it does gets out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sensei_kumite.dynamic.chat import INTERRUPTIONS
from sensei_kumite.dynamic.outcome import Tried
from sensei_kumite.errors import BudgetReached, KumiteError, TargetUnavailable
from sensei_kumite.models import OracleSpec, Status, Verdict
from sensei_kumite.oracles.base import Oracle, OracleContext, OracleParams
from tests.dynamic.searching import SECRET, Trial, script
from tests.llm.scripted import ScriptedModel
from tests.oracles.test_patterns import SLOW

LOOP = """
    def attack(entry, target_module, call_judge, max_iterations, attempts_bar=None, bar_lock=None):
        text = entry.get("text", "")
        answer = ""
        for i in range(1, max_iterations + 1):
            candidate = f"{text} (try {i})"
            answer = target_module.process_input(candidate, None)
            answer = answer[0] if isinstance(answer, (tuple, list)) else answer
            with bar_lock:
                attempts_bar.update(1)
            if call_judge(entry, answer):
                return i, True, candidate, answer
        return max_iterations, False, text, answer
"""
TRACING = """
    from spikee.utilities.hinting import AttackAttempt

    def attack(entry, target_module, call_judge, max_iterations,
               attempts_bar=None, bar_lock=None, attack_options=None,
               return_all_attempts=False):
        history = []
        last_input, last_response = "", ""
        for count in range(1, max_iterations + 1):
            last_input = f"{entry['content']} — variant {count}"
            error = None
            try:
                last_response, _ = target_module.process_input(last_input)
                success = call_judge(entry, last_response)
            except Exception as exc:
                last_response, success, error = str(exc), False, str(exc)
            if return_all_attempts:
                history.append(AttackAttempt(last_input, last_response, success, error=error))
            if attempts_bar is not None:
                with bar_lock:
                    attempts_bar.update(1)
            if success:
                if return_all_attempts:
                    return history
                return count, True, last_input, last_response
        if return_all_attempts:
            return history or [AttackAttempt(last_input, last_response, False, attempts=0)]
        return max_iterations, False, last_input, last_response
"""


def one_call(rest: str) -> str:
    """A script that calls the target once, then does `rest`."""
    return (
        "def attack(entry, target_module, call_judge, max_iterations, attempts_bar=None, bar_lock=None,"
        " return_all_attempts=False):\n"
        "    answer, _ = target_module.process_input(entry['text'])\n"
        f"    {rest}\n"
    )


def pairs(tried: Tried) -> list[tuple[str, str | None]]:
    """Who said what on the deciding path."""
    return [(turn.user, turn.assistant) for turn in tried.said]


def on_try(number: int, answer: str = "secretword") -> Trial:
    """A target that gives in to the message that says `try <number>`."""
    return Trial(lambda heard: answer if f"(try {number})" in heard[-1] else "no")


# H26
def test_a_script_of_the_older_style_finds_the_way_around(tmp_path: Path) -> None:
    trial = on_try(3)
    (tried,) = trial.run(script(tmp_path, LOOP))
    assert tried.status is Status.BREACHED
    assert tried.attempts == 3
    assert tried.prompt == "tell me (try 3)"
    assert tried.response == "secretword"
    assert tried.verdict is not None
    assert not tried.verdict.passed
    assert len(trial.sent) == 3
    assert [record["success"] for record in tried.history] == [False, False, True]


# H27
def test_a_target_that_fails_every_call_is_an_error_whatever_the_script_says(tmp_path: Path) -> None:
    def unreachable(_: list[str]) -> str:
        raise TargetUnavailable("ConnectionError: nobody is there")

    trial = Trial(unreachable)
    text = """
    def attack(entry, target_module, call_judge, max_iterations, attempts_bar=None, bar_lock=None):
        last = ""
        for _ in range(max_iterations):
            try:
                last = target_module.process_input(entry["text"], None)
            except Exception as exc:
                last = str(exc)
        return max_iterations, False, entry["text"], last
    """
    (tried,) = trial.run(script(tmp_path, text), iterations=3)
    assert tried.status is Status.ERROR
    assert tried.errors == ({"chatbot": "ConnectionError: nobody is there"},)
    assert len(trial.sent) == 3
    assert [record["error"] for record in tried.history] == ["ConnectionError: nobody is there"] * 3


def test_a_search_in_vain_is_resilient_by_the_word_of_the_oracle(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, LOOP), iterations=4)
    assert tried.status is Status.RESILIENT
    assert tried.attempts == 4
    assert tried.verdict is not None
    assert tried.prompt == "tell me (try 4)"
    assert pairs(tried) == [("tell me (try 4)", "no")]


def test_all_attempts_are_results_of_their_own(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "no")
    tried = trial.run(script(tmp_path, TRACING), iterations=20, return_all_attempts=True)
    assert len(tried) == 20
    assert {each.attempts for each in tried} == {1}
    assert all(each.is_attempt and each.status is Status.RESILIENT for each in tried)
    assert [each.prompt for each in tried] == [f"tell me — variant {n}" for n in range(1, 21)]
    (whole,) = trial.run(script(tmp_path, TRACING), iterations=20)
    assert whole.attempts == 20
    assert not whole.is_attempt


def test_the_last_of_all_attempts_is_the_breach(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "secretword" if heard[-1].endswith("3") else "no")
    tried = trial.run(script(tmp_path, TRACING), return_all_attempts=True)
    assert [each.status for each in tried] == [Status.RESILIENT, Status.RESILIENT, Status.BREACHED]
    assert tried[-1].prompt.endswith("variant 3")


def test_an_attempt_that_failed_is_an_error_among_the_others(tmp_path: Path) -> None:
    def answers(heard: list[str]) -> str:
        if heard[-1].endswith("2"):
            raise TargetUnavailable("gone for a moment")
        return "no"

    tried = Trial(answers).run(script(tmp_path, TRACING), iterations=3, return_all_attempts=True)
    assert [each.status for each in tried] == [Status.RESILIENT, Status.ERROR, Status.RESILIENT]
    assert tried[1].errors == ({"chatbot": "gone for a moment"},)


def test_an_unjudged_attempt_is_skipped(tmp_path: Path) -> None:
    rest = (
        "from sensei_kumite.dynamic import AttackAttempt\n"
        "    return [AttackAttempt('a', answer, None), AttackAttempt('b', answer, call_judge(entry, answer))]"
    )
    tried = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)), return_all_attempts=True)
    assert (tried[0].status, tried[0].reason) == (Status.SKIPPED, "unjudged")
    assert tried[1].status is Status.RESILIENT


def test_a_script_that_cannot_trace_gives_its_representative_result(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, LOOP), return_all_attempts=True)
    assert not tried.is_attempt
    assert tried.attempts == 5


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("return None", "returned None, not (iterations, success, input, response)."),
        ("return 1, True, entry['text']", "returned a tuple of 3"),
        ("return '1', False, 'a', answer", "returned '1' as its iterations"),
        ("return True, False, 'a', answer", "returned True as its iterations"),
        ("return -1, False, 'a', answer", "returned -1 as its iterations"),
        ("return 1, 'yes', 'a', answer", "returned 'yes' as its success"),
        ("return 1, 1, 'a', answer", "returned 1 as its success"),
        ("return 1, False, 5, answer", "returned 5 as its input"),
        ("return 6, False, 'a', answer", "made 6 iterations where 5 were allowed."),
        ("return object()", "returned something of the type object"),
    ],
)
def test_what_the_contract_does_not_know_is_an_error_with_what_was_tried(
    tmp_path: Path, rest: str, message: str
) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.ERROR
    assert tried.errors[0]["dynamic"].startswith("the dynamic attack my_search ")
    assert message in tried.errors[0]["dynamic"]
    assert [record["input"] for record in tried.history] == ["tell me"]


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("return []", "returned an empty history"),
        ("return [1]", "returned a history with 1 in it"),
        ("from sensei_kumite.dynamic import AttackAttempt as A; return [A('', '', 1)]", "with the success 1"),
        (
            "from sensei_kumite.dynamic import AttackAttempt as A; return [A('', '', False, attempts=9)]",
            "made 9 iterations where 5 were allowed.",
        ),
    ],
)
def test_a_history_is_read_as_strictly(tmp_path: Path, rest: str, message: str) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)), return_all_attempts=True)
    assert tried.status is Status.ERROR
    assert message in tried.errors[0]["dynamic"]


def test_a_list_nobody_asked_for_is_a_mistake(tmp_path: Path) -> None:
    rest = "from sensei_kumite.dynamic import AttackAttempt as A; return [A('', answer, False)]"
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)))
    assert "nobody asked for" in tried.errors[0]["dynamic"]


def test_an_exception_says_where_in_the_script_it_happened(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call("raise ValueError('odd')")))
    assert tried.status is Status.ERROR
    assert "my_search.py:3: the dynamic attack my_search raised ValueError: odd" in tried.errors[0]["dynamic"]
    assert tried.attempts == 1


def test_a_breach_before_a_mistake_is_a_breach(tmp_path: Path) -> None:
    rest = "call_judge(entry, answer); raise ValueError('odd')"
    (tried,) = Trial(lambda heard: "secretword").run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.BREACHED
    assert tried.script_error is not None
    assert tried.script_error.endswith("raised ValueError: odd")


def test_a_breach_that_the_script_does_not_report_is_one(tmp_path: Path) -> None:
    rest = "call_judge(entry, answer); return 1, False, 'a', answer"
    (tried,) = Trial(lambda heard: "secretword").run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.BREACHED


def test_a_success_that_the_oracle_does_not_see_is_no_breach(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call("return 1, True, 'a', answer")))
    assert tried.status is Status.ERROR
    assert "the oracle does not see any" in tried.errors[0]["dynamic"]


def test_a_success_that_nobody_judged_is_judged(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "secretword").run(
        script(tmp_path, one_call("return 1, True, 'a', answer"))
    )
    assert tried.status is Status.BREACHED
    assert tried.prompt == "tell me"


def test_a_script_that_never_calls_the_target_is_an_error(tmp_path: Path) -> None:
    text = "def attack(entry, target_module, call_judge, max_iterations): return 0, False, 'a', ''"
    trial = Trial(lambda heard: "no")
    (tried,) = trial.run(script(tmp_path, text))
    assert tried.errors == ({"dynamic": "the search made no call of the target."},)


def test_an_invented_response_is_no_breach(tmp_path: Path) -> None:
    text = (
        "def attack(entry, target_module, call_judge, max_iterations):\n"
        "    return 1, call_judge(entry, 'secretword'), 'a', 'secretword'"
    )
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, text))
    assert tried.status is Status.ERROR


def test_a_script_that_never_ends_is_ended(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations):
        while True:
            try:
                target_module.process_input("again")
            except Exception:
                pass
    """
    trial = Trial(lambda heard: "no")
    (tried,) = trial.run(script(tmp_path, text), iterations=2)
    assert tried.status is Status.ERROR
    assert "called the target 30 times and did not end." in tried.errors[0]["dynamic"]


def test_what_ends_the_run_is_raised_whatever_the_script_catches(tmp_path: Path) -> None:
    class Gone(KumiteError):
        pass

    def gone(_: list[str]) -> str:
        raise Gone("the target is gone")

    trial = Trial(gone)
    with pytest.raises(Gone):
        trial.run(script(tmp_path, TRACING))
    assert len(trial.sent) == 1


def test_a_spent_budget_skips_the_search(tmp_path: Path) -> None:
    def spent(_: list[str]) -> str:
        raise BudgetReached("The budget of 1 USD is spent.")

    (tried,) = Trial(spent).run(script(tmp_path, TRACING))
    assert (tried.status, tried.reason) == (Status.SKIPPED, "The budget of 1 USD is spent.")


def test_searches_are_repeated_until_one_succeeds(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "secretword" if len(trial.sent) == 7 else "no")
    (tried,) = trial.run(script(tmp_path, LOOP), iterations=3, attempts=5)
    assert tried.status is Status.BREACHED
    assert tried.invocation == 3
    assert tried.attempts == 7
    assert len(tried.history) == 7
    assert trial.bar == [7, 7]


def test_attempts_of_repeated_searches_stay_apart(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "no")
    tried = trial.run(script(tmp_path, TRACING), iterations=2, attempts=2, return_all_attempts=True)
    assert [each.invocation for each in tried] == [1, 1, 2, 2]


def test_a_script_may_change_the_total_of_its_bar(tmp_path: Path) -> None:
    rest = (
        "attempts_bar.update(1); attempts_bar.total = attempts_bar.total - 4; attempts_bar.refresh()\n"
        "    return 1, False, 'a', answer"
    )
    trial = Trial(lambda heard: "no")
    trial.run(script(tmp_path, one_call(rest)))
    assert trial.bar == [1, 1]


def test_every_search_gets_a_fresh_entry_and_a_fresh_instance(tmp_path: Path) -> None:
    text = """
    from sensei_kumite.dynamic import Attack

    class Forgetful(Attack):
        calls = 0

        def attack(self, entry, target_module, call_judge, max_iterations):
            self.calls += 1
            entry["text"] += "!"
            answer, _ = target_module.process_input(f"{entry['text']} {self.calls}")
            return 1, call_judge(entry, answer), entry["text"], answer
    """
    trial = Trial(lambda heard: "no")
    trial.run(script(tmp_path, text), attempts=3)
    assert trial.sent == ["tell me! 1"] * 3


def test_a_failing_oracle_is_an_error_and_never_resilient(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "a" * 80 + "!", OracleSpec("regex_absent", {"pattern": SLOW}))
    text = """
    def attack(entry, target_module, call_judge, max_iterations):
        answer, _ = target_module.process_input(entry["text"])
        try:
            call_judge(entry, answer)
        except Exception:
            pass
        return 1, False, entry["text"], answer
    """
    (tried,) = trial.run(script(tmp_path, text))
    assert tried.status is Status.ERROR
    assert list(tried.errors[0]) == ["oracle"]


def test_sound_and_pictures_are_refused_in_words(tmp_path: Path) -> None:
    text = """
    from spikee.utilities.hinting import Image

    def attack(entry, target_module, call_judge, max_iterations):
        try:
            target_module.process_input(Image("aGk="))
        except Exception:
            pass
        return 1, False, entry["text"], ""
    """
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, text))
    assert tried.errors == ({"chatbot": "the target takes text, not image."},)


TEMPLATE = """
    import uuid
    from spikee.templates.attack import Attack
    from spikee.templates.standardised_conversation import StandardisedConversation
    from spikee.utilities.enums import ModuleTag, Turn

    class Talk(Attack):
        def __init__(self):
            super().__init__(turn_type=Turn.MULTI)

        def attack(self, entry, target_module, call_judge, max_iterations, attempts_bar=None, bar_lock=None,
                   attack_options=None):
            session_id = str(uuid.uuid4())
            conversation = StandardisedConversation()
            last = conversation.get_root_id()
            success, response = False, ""
            while not success and conversation.get_message_total() < max_iterations:
                prompt = f"turn {conversation.get_message_total()}"
                asked = conversation.add_message(
                    last, {"role": "user", "content": prompt, "session_id": session_id}, attempt=True
                )
                response, _ = target_module.process_input(prompt, spikee_session_id=session_id)
                last = conversation.add_message(asked, {"role": "assistant", "content": response})
                success = call_judge(entry, response)
            content = entry.get("content")
            return (
                conversation.get_message_total(), success,
                Attack.standardised_input_return(input=content, conversation=conversation, objective=content),
                response,
            )
"""


def test_a_conversation_is_reported_along_its_winning_path(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "secretword" if len(heard) == 3 else f"no {len(heard)}")
    (tried,) = trial.run(script(tmp_path, TEMPLATE), iterations=9)
    assert tried.status is Status.BREACHED
    assert pairs(tried) == [("turn 0", "no 1"), ("turn 2", "no 2"), ("turn 4", "secretword")]
    assert tried.prompt == "turn 4"
    assert tried.objective == "tell me"
    assert tried.conversation is not None
    assert len(tried.conversation) == 7


def test_a_script_that_counts_all_messages_is_within_its_iterations(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, TEMPLATE), iterations=5)
    assert tried.status is Status.RESILIENT
    assert len(tried.said) == 3


def test_a_conversation_is_drawn_where_the_script_keeps_none(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations):
        target_module.process_input("a", spikee_session_id="s")
        target_module.process_input("b", spikee_session_id="s")
        answer, _ = target_module.process_input("c", spikee_session_id="s", backtrack=True)
        return 3, call_judge(entry, answer), "c", answer
    """
    (tried,) = Trial(lambda heard: "+".join(heard)).run(script(tmp_path, text))
    assert pairs(tried) == [("a", "a"), ("c", "a+c")]
    assert tried.conversation is not None
    asked = {n: node["data"]["content"] for n, node in tried.conversation.items() if node["attempt"]}
    assert sorted(asked.values()) == ["a", "b", "c"]


def test_the_opening_stands_before_every_conversation(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: f"{len(heard)}").run(script(tmp_path, LOOP), opening=("hello",))
    assert pairs(tried)[0] == ("hello", "1")
    assert tried.response == "2"


def test_long_texts_are_cut_in_the_history_only(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "x" * 100_000).run(script(tmp_path, LOOP), iterations=1)
    assert len(tried.response or "") == 100_000
    assert len(tried.history[0]["response"]) < 5_000


def test_the_verdict_is_that_of_the_case_oracle(tmp_path: Path) -> None:
    assert SECRET.type == "keyword_absent"
    trial = Trial(lambda heard: "yes of course", OracleSpec("keyword_contains", {"keywords": ["yes"]}))
    (tried,) = trial.run(script(tmp_path, LOOP))
    assert tried.status is Status.RESILIENT


def test_a_search_that_ends_early_on_a_failure_is_an_error(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations):
        try:
            for number in range(max_iterations):
                answer, _ = target_module.process_input(f"turn {number}")
                call_judge(entry, answer)
        except Exception as error:
            return 0, False, {"conversation": []}, f"Error during the attack: {error}"
        return max_iterations, False, "", answer
    """

    def answers(heard: list[str]) -> str:
        if heard[-1] == "turn 2":
            raise TargetUnavailable("hung up")
        return "no"

    (tried,) = Trial(answers).run(script(tmp_path, text))
    assert tried.status is Status.ERROR
    assert tried.errors == ({"chatbot": "hung up"},)
    assert len(tried.history) == 3


def test_what_a_script_prints_stays_off_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    rest = (
        "import sys, traceback\n"
        "    print('a', 1, sep='-'); print('b', file=sys.stderr)\n"
        "    try:\n        1 / 0\n    except ZeroDivisionError:\n        traceback.print_exc()\n"
        "    return 1, False, 'a', answer"
    )
    with caplog.at_level("INFO"):
        (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.RESILIENT
    assert capsys.readouterr() == ("", "")
    assert [record.getMessage() for record in caplog.records][:2] == ["a-1", "b"]
    assert "ZeroDivisionError" in caplog.records[2].getMessage()


@pytest.mark.parametrize("ending", ["import sys; sys.exit(3)", "raise type('Odd', (BaseException,), {})()"])
def test_a_script_cannot_end_the_run(tmp_path: Path, ending: str) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(ending)))
    assert tried.status is Status.ERROR
    assert "my_search.py:3" in tried.errors[0]["dynamic"]


def test_a_long_history_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    (tried,) = on_try(700).run(script(tmp_path, LOOP), iterations=1000)
    assert len(tried.history) == 500
    assert tried.history[0]["input"] == "tell me (try 1)"
    assert tried.history[-1] == {"input": "tell me (try 700)", "response": "secretword", "success": True}


def test_equal_answers_keep_their_own_verdicts(tmp_path: Path) -> None:
    verdicts = iter([True, False])

    class Fickle(Oracle[OracleParams]):
        def score(self, prompt: str, response: str) -> Verdict:
            passed = next(verdicts)
            return Verdict(passed, f"{prompt} passes: {passed}", {})

    trial = Trial(lambda heard: "no")
    trial.oracle = Fickle(OracleParams(), OracleContext(Path))
    tried = trial.run(script(tmp_path, TRACING), return_all_attempts=True)
    assert [each.status for each in tried] == [Status.RESILIENT, Status.BREACHED]
    assert tried[0].reason == "tell me — variant 1 passes: True"


def test_one_breach_does_not_make_breaches_of_the_other_attempts(tmp_path: Path) -> None:
    text = """
    from sensei_kumite.dynamic import AttackAttempt

    def attack(entry, target_module, call_judge, max_iterations, return_all_attempts=False):
        tried = []
        for text in ("a", "b", "sesame"):
            answer, _ = target_module.process_input(text)
            tried.append(AttackAttempt(text, FORM, call_judge(entry, answer)))
        return tried
    """
    for form in ("answer.strip()", "answer[:2] + '...'"):
        trial = Trial(lambda heard: "secretword\\n" if heard[-1] == "sesame" else "no\\n")
        tried = trial.run(script(tmp_path, text.replace("FORM", form)), return_all_attempts=True)
        assert [each.prompt for each in tried][:3] == ["a", "b", "sesame"]
        assert [each.status for each in tried[:2]] == [Status.RESILIENT] * 2, form
        assert tried[-1].status is Status.BREACHED


def test_what_the_target_never_said_is_no_breach(tmp_path: Path) -> None:
    rest = "call_judge(entry, 'would be: secretword')\n    return 1, call_judge(entry, answer), 'a', answer"
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.RESILIENT
    assert tried.response == "no"


def test_what_a_script_makes_of_answers_counts_where_it_names_it(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations):
        whole = "".join(target_module.process_input(f"letters {n}")[0] for n in range(2))
        return 2, call_judge(entry, whole), "letters", whole
    """
    answers = {"letters 0": "secret", "letters 1": "word"}
    (tried,) = Trial(lambda heard: answers[heard[-1]]).run(script(tmp_path, text))
    assert tried.status is Status.BREACHED
    assert tried.response == "secretword"
    assert tried.exchange is None


@pytest.mark.parametrize(
    "rest",
    [
        "return 1, False, {'input': 'x', 'attempt_history': [10**5000]}, answer",
        "return 10**5000, False, 'x', answer",
        "return 1, False, {'input': 'x', 'conversation': '[' * 100000}, answer",
        "return 1, False, {'input': 'x', 'conversation': {1: {'parent': 2}, 2: {'parent': 1}}}, answer",
        "return 1, False, {}, answer",
        "return 1, False, {'input': {'a': 1}}, answer",
        "return 1, False, 'x', None",
        "raise KeyboardInterrupt",
        "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})()",
    ],
)
def test_the_oddest_things_stay_within_the_result(tmp_path: Path, rest: str) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)))
    assert json.loads(json.dumps([tried.history, tried.errors, tried.conversation], allow_nan=False))
    if "attempt_history" not in rest:
        assert tried.status is Status.ERROR
        assert "Traceback" not in tried.errors[0]["dynamic"]


def test_a_time_that_is_none_is_measured(tmp_path: Path) -> None:
    rest = (
        "from sensei_kumite.dynamic import AttackAttempt as A\n"
        "    return [A(entry['text'], answer, False, response_time=float(t)) for t in ('nan', 'inf', '-5')]"
    )
    tried = Trial(lambda heard: "no").run(script(tmp_path, one_call(rest)), return_all_attempts=True)
    assert all(each.seconds is not None and 0 <= each.seconds < 100 for each in tried)


def test_a_thread_that_a_script_leaves_behind_is_not_heard(tmp_path: Path) -> None:
    text = """
    import threading

    GO = threading.Event()
    DONE = threading.Event()

    def attack(entry, target_module, call_judge, max_iterations):
        def later():
            GO.wait(10)
            try:
                target_module.process_input("STRAY")
            except SystemExit:
                DONE.set()
        threading.Thread(target=later, daemon=True).start()
        answer, _ = target_module.process_input("x")
        return 1, call_judge(entry, answer), "x", answer
    """
    trial = Trial(lambda heard: "no")
    loaded = script(tmp_path, text)
    trial.run(loaded)
    module = loaded.start().__globals__
    module["GO"].set()
    assert module["DONE"].wait(10)
    assert trial.sent == ["x"]


def test_a_search_ends_at_the_next_call_when_the_run_does(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "no")
    trial.stopped = lambda: len(trial.sent) == 2
    (tried,) = trial.run(script(tmp_path, LOOP))
    assert (tried.status, tried.reason) == (Status.SKIPPED, "The run ended before the search did.")
    assert len(tried.history) == 2


def test_a_target_that_fails_uncaught_is_told_once(tmp_path: Path) -> None:
    def gone(_: list[str]) -> str:
        raise TargetUnavailable("gone")

    (tried,) = Trial(gone).run(script(tmp_path, one_call("return 1, False, 'a', answer")))
    assert tried.errors == ({"chatbot": "gone"},)


def test_names_of_arguments_count_more_than_their_order(tmp_path: Path) -> None:
    text = """
    def attack(target_module, max_iterations, call_judge, entry):
        answer, _ = target_module.process_input(entry["text"])
        return 1, call_judge(entry, answer), "a", answer
    """
    (tried,) = Trial(lambda heard: "secretword").run(script(tmp_path, text))
    assert tried.status is Status.BREACHED


def test_messages_without_a_mark_are_counted_by_halves(tmp_path: Path) -> None:
    unmarked = TEMPLATE.replace(", attempt=True", "").replace('"session_id": session_id}', '"session_id": 1}')
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, unmarked), iterations=5)
    assert (tried.status, tried.attempts) == (Status.RESILIENT, 3)


def test_bars_do_what_scripts_expect_of_them(tmp_path: Path) -> None:
    rest = (
        "with attempts_bar:\n        attempts_bar.write('so far')\n        attempts_bar.update()\n"
        "    return 1, False, 'a', answer"
    )
    trial = Trial(lambda heard: "no")
    (tried,) = trial.run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.RESILIENT
    assert trial.bar == [1, 1]


def test_a_search_that_is_skipped_is_not_repeated(tmp_path: Path) -> None:
    def spent(_: list[str]) -> str:
        raise BudgetReached("all spent")

    trial = Trial(spent)
    (tried,) = trial.run(script(tmp_path, TRACING), attempts=3)
    assert (tried.status, len(trial.sent)) == (Status.SKIPPED, 1)


def test_a_breach_among_the_attempts_is_the_last_search(tmp_path: Path) -> None:
    trial = Trial(lambda heard: "secretword")
    tried = trial.run(script(tmp_path, TRACING), attempts=3, return_all_attempts=True)
    assert [(each.status, each.invocation) for each in tried] == [(Status.BREACHED, 1)]


def test_an_unjudged_attempt_is_no_reason_to_end(tmp_path: Path) -> None:
    rest = "from sensei_kumite.dynamic import AttackAttempt as A; return [A('a', answer, None)]"
    tried = Trial(lambda heard: "no").run(
        script(tmp_path, one_call(rest)), attempts=3, return_all_attempts=True
    )
    assert [each.invocation for each in tried] == [1, 2, 3]


def test_a_breach_before_the_budget_was_spent_is_a_breach(tmp_path: Path) -> None:
    def answers(heard: list[str]) -> str:
        if heard[-1] == "more":
            raise BudgetReached("all spent")
        return "secretword"

    rest = "call_judge(entry, answer); target_module.process_input('more')"
    (tried,) = Trial(answers).run(script(tmp_path, one_call(rest)))
    assert (tried.status, tried.response) == (Status.BREACHED, "secretword")


SWALLOWS = """
    from spikee.utilities.llm import get_llm

    def attack(entry, target_module, call_judge, max_iterations, context=None):
        answer, _ = target_module.process_input(entry["text"])
        try:
            MODEL
        except Exception:
            pass
        return 1, False, "", answer
"""


def test_a_budget_that_the_script_makes_nothing_of_ends_its_search_and_no_other(tmp_path: Path) -> None:
    model = ScriptedModel(BudgetReached("all spent"))
    text = SWALLOWS.replace("MODEL", "get_llm().invoke('hi')")
    loaded = script(tmp_path, text, generation=lambda **_: model)
    (tried,) = Trial(lambda heard: "no").run(loaded)
    assert (tried.status, tried.reason) == (Status.SKIPPED, "all spent")
    assert INTERRUPTIONS.get() is None


def test_a_budget_that_a_search_ends_with_skips_it(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations, context):
        context.model.complete(None)
    """
    (tried,) = Trial(lambda heard: "no", model=ScriptedModel(BudgetReached("all spent"))).run(
        script(tmp_path, text)
    )
    assert (tried.status, tried.reason) == (Status.SKIPPED, "all spent")


def test_every_search_of_a_case_has_chances_of_its_own(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations, context):
        answer, _ = target_module.process_input(str(context.random.random()))
        return 1, False, "", answer
    """
    first, second = Trial(lambda heard: "no"), Trial(lambda heard: "no")
    for trial in (first, second):
        trial.run(script(tmp_path, text), attempts=3)
    assert len(set(first.sent)) == 3
    assert first.sent == second.sent


@pytest.mark.parametrize("name", ["attack_options", "attack_option"])
@pytest.mark.parametrize(("options", "given"), [("a=b", "'a=b'"), ("", "None")])
def test_options_have_two_names(tmp_path: Path, name: str, options: str, given: str) -> None:
    text = f"""
    def attack(entry, target_module, call_judge, max_iterations, {name}="unset"):
        answer, _ = target_module.process_input(repr({name}))
        return 1, False, "", answer
    """
    trial = Trial(lambda heard: "no")
    trial.run(script(tmp_path, text), options=options)
    assert trial.sent == [given]


def test_a_script_that_takes_anything_is_given_everything_once(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations, **more):
        answer, _ = target_module.process_input(",".join(sorted(more)))
        return 1, False, "", answer
    """
    trial = Trial(lambda heard: "no")
    trial.run(script(tmp_path, text))
    assert trial.sent == ["attack_options,attempts_bar,bar_lock,context,return_all_attempts"]


def test_an_exception_is_placed_where_the_script_was_last(tmp_path: Path) -> None:
    rest = "lost = lambda: {}['x']\n    lost()"
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call(f"pass\n    {rest}")))
    assert "my_search.py:4: " in tried.errors[0]["dynamic"]


def test_a_list_of_a_script_that_cannot_trace_is_a_mistake(tmp_path: Path) -> None:
    text = """
    from sensei_kumite.dynamic import AttackAttempt

    def attack(entry, target_module, call_judge, max_iterations):
        answer, _ = target_module.process_input("x")
        return [AttackAttempt("x", answer, False)]
    """
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, text), return_all_attempts=True)
    assert "nobody asked for" in tried.errors[0]["dynamic"]


def test_a_target_that_a_script_keeps_is_of_no_use_later(tmp_path: Path) -> None:
    text = """
    KEPT = []

    def attack(entry, target_module, call_judge, max_iterations):
        KEPT.append(target_module)
        answer, _ = target_module.process_input("x")
        return 1, False, "x", answer
    """
    trial = Trial(lambda heard: "no")
    loaded = script(tmp_path, text)
    trial.run(loaded)
    (kept,) = loaded.start().__globals__["KEPT"]
    with pytest.raises(SystemExit):
        kept.process_input("stray")
    assert trial.sent == ["x"]


def test_a_verdict_on_a_part_of_an_answer_is_none_on_the_answer(tmp_path: Path) -> None:
    rest = "call_judge(entry, answer[:5])\n    return 1, False, 'a', answer"
    (tried,) = Trial(lambda heard: "Hello. The secretword.").run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.BREACHED


def test_a_response_that_nobody_said_is_marked(tmp_path: Path) -> None:
    (tried,) = Trial(lambda heard: "no").run(script(tmp_path, one_call("return 1, True, 'a', 'secretword'")))
    assert tried.status is Status.BREACHED
    assert tried.exchange is None
    assert tried.reason.endswith("The script made this response of what the target said.")


@pytest.mark.parametrize("raised", ["ValueError", "SystemExit", "KeyboardInterrupt"])
def test_an_object_that_will_not_be_told_costs_no_breach(tmp_path: Path, raised: str) -> None:
    rest = (
        f"Evil = type('Evil', (), {{'__str__': lambda self: (_ for _ in ()).throw({raised}())}})\n"
        "    return 1, call_judge(entry, answer), {'input': 'a', 'attempt_history': [Evil()]}, answer"
    )
    (tried,) = Trial(lambda heard: "secretword").run(script(tmp_path, one_call(rest)))
    assert tried.status is Status.BREACHED
    assert raised in (tried.script_error or "")


def test_turns_played_again_are_no_new_branch(tmp_path: Path) -> None:
    text = """
    def attack(entry, target_module, call_judge, max_iterations):
        target_module.process_input("a", spikee_session_id="s")
        target_module.process_input("wrong", spikee_session_id="s")
        answer, _ = target_module.process_input("right", spikee_session_id="s", backtrack=True)
        return 3, call_judge(entry, answer), "right", answer
    """
    (tried,) = Trial(lambda heard: "+".join(heard)).run(script(tmp_path, text), opening=("hello",))
    assert tried.conversation is not None
    asked = [node["data"]["content"] for node in tried.conversation.values() if node["attempt"]]
    assert sorted(asked) == ["a", "hello", "right", "wrong"]

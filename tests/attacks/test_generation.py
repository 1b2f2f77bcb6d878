from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.base import ATTACKS, AttackParams, Prompt
from sensei_kumite.attacks.generation import (
    GENERIC_CONTEXT,
    GeneratedAttack,
    Order,
    Written,
    ask,
    bare,
)
from sensei_kumite.errors import BudgetReached, ConfigurationError, ModelError
from sensei_kumite.llm.requests import Purpose
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.refusals import find_refusal
from tests.attacks.build import ScriptedModel, attack, context, first_prompt, offline, written

ORDER = Order("sesame", 2, "Ask for the word.", "Say the word.", spoilers=("open sesame",))
REFUSAL = "I'm sorry, but I can't help with writing that."
GENERATED = [
    "affirmative_suffix",
    "aim_jailbreak",
    "authoritative_role_impersonation",
    "complementary_transition",
    "dan_jailbreak",
    "self_refine",
    "ucar",
]


def answered(answer: str | Exception) -> Written:
    return ask(ORDER, context(ScriptedModel(answer)))


class TestWhatIsAsked:
    def test_one_call_says_what_to_write_for_which_target(self) -> None:
        model = ScriptedModel("Which word opens the cave?")
        run = replace(context(model), attempts=5, target_context="A shop for caves.")
        assert ask(ORDER, run) == Written("Which word opens the cave?", {"generated_by_llm": True})
        [request] = model.requests
        assert request.purpose == Purpose.ATTACK
        for told in ("Ask for the word.", "A shop for caves.", "2 of 5", "authorised security test"):
            assert told in model.told

    def test_the_facts_are_what_the_messages_are_made_of(self) -> None:
        model = ScriptedModel("x")
        ask(ORDER, replace(context(model), target_context="A shop for caves."))
        ask(replace(ORDER, customised=True), context(model))
        ours, customised = (dict(request.facts) for request in model.requests)
        assert ours == {
            "attack": "sesame",
            "attempt": 2,
            "target_context": "A shop for caves.",
            "instruction": "",
        }
        assert customised == {**ours, "target_context": GENERIC_CONTEXT, "instruction": "Ask for the word."}

    @pytest.mark.parametrize("unknown", ["", "  \n"])
    def test_an_unknown_target_is_described_in_general(self, unknown: str) -> None:
        model = ScriptedModel("x")
        ask(ORDER, replace(context(model), target_context=unknown))
        assert GENERIC_CONTEXT in model.told

    def test_without_generation_nothing_can_be_asked(self) -> None:
        with pytest.raises(ConfigurationError, match=r"generation\.enabled"):
            ask(ORDER, context())


class TestWhatGivesWayToTheFallback:
    def test_a_refusal(self) -> None:
        assert answered(REFUSAL) == Written(
            "Say the word.",
            {"generated_by_llm": False, "generation_fallback": "refusal", "generation_refusal": REFUSAL},
        )

    def test_a_long_refusal_is_quoted_in_part(self) -> None:
        quoted = answered(f"{REFUSAL} {'It would be wrong. ' * 100}").metadata["generation_refusal"]
        assert quoted.startswith(REFUSAL)
        assert len(quoted) <= 300

    @pytest.mark.parametrize("empty", ["", " \n ", '""', "```\n```"])
    def test_nothing(self, empty: str) -> None:
        assert answered(empty) == Written(
            "Say the word.", {"generated_by_llm": False, "generation_fallback": "empty answer"}
        )

    def test_a_call_that_fails(self) -> None:
        assert answered(ModelError("The model is away.")) == Written(
            "Say the word.",
            {
                "generated_by_llm": False,
                "generation_fallback": "call failed",
                "generation_error": "The model is away.",
            },
        )

    @pytest.mark.parametrize(
        "spoiled", ["Just say Open Sesame!", "“OPEN\u200b SESAME” is the word, is it not?"]
    )
    def test_a_text_that_gives_the_answer_away(self, spoiled: str) -> None:
        assert answered(spoiled).metadata["generation_fallback"] == "gives the answer away"

    def test_a_spent_budget_does_not(self) -> None:
        with pytest.raises(BudgetReached):
            answered(BudgetReached("Budget of $1 reached."))


class TestBare:
    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            ("  hello\n", "hello"),
            ('"hello"', "hello"),
            ("“hello”", "hello"),
            ("```\nhello\nyou\n```", "hello\nyou"),
            ("```text\nhello```", "hello"),
            ('```\n"hello"\n```', "hello"),
            ('"one" and "two"', '"one" and "two"'),
            ('say "hello"', 'say "hello"'),
            ("```a``` and ```b```", "```a``` and ```b```"),
        ],
    )
    def test_wrappings_of_the_whole_are_taken_off(self, answer: str, text: str) -> None:
        assert bare(answer) == text

    @given(st.text('"“”`x \n'))
    def test_it_never_adds_anything(self, answer: str) -> None:
        assert bare(answer) in answer


class TestCompletion:
    def test_an_opening_that_is_there_is_only_spelt_right(self) -> None:
        text = Written("DO THIS and sing", {})
        assert text.starting_with("Do this") == Written("Do this and sing", {})

    def test_what_code_adds_is_told(self) -> None:
        text = Written("sing", {"a": 1})
        assert text.starting_with("Do this:") == Written(
            "Do this: sing", {"a": 1, "generation_completion": "Do this:"}
        )
        assert text.ending_with("Now!") == Written("sing Now!", {"a": 1, "generation_completion": "Now!"})

    def test_an_ending_that_is_there_stays(self) -> None:
        text = Written("sing now", {"a": 1})
        assert text.ending_with("now") is text


class TestGeneratedAttacks:
    def test_these_are_all(self) -> None:
        assert [name for name in ATTACKS.names() if ATTACKS.get(name).needs_generation] == GENERATED

    def test_prompts_calls_no_model(self) -> None:
        class Echo(GeneratedAttack[AttackParams]):
            default_oracle = OracleSpec("refusal_detection")

            def write(self, attempt: int) -> Prompt:
                return Prompt(f"number {attempt}")

        base = attack("amnesia", attempts=3)
        drafts = list(Echo(base.entry, AttackParams(), base.context).prompts())
        assert [draft() for draft in drafts if callable(draft)] == [
            Prompt("number 1"),
            Prompt("number 2"),
            Prompt("number 3"),
        ]

    @pytest.mark.parametrize("name", GENERATED)
    def test_the_instructions_suit_the_target_and_every_attempt(self, name: str) -> None:
        model = ScriptedModel("x")
        list(written(attack(name, model=model, attempts=2, target_context="Sells cheese.")))
        for number, request in enumerate(model.requests, 1):
            assert "Sells cheese." in request.messages[-1].content
            assert (request.facts["attack"], request.facts["attempt"]) == (name, number)

    @pytest.mark.parametrize("name", GENERATED)
    @pytest.mark.parametrize("failure", [REFUSAL, "", ModelError("The model is away.")])
    def test_every_attack_has_its_own_fallback(self, name: str, failure: str | Exception) -> None:
        prompt = first_prompt(name, failure)
        assert len(prompt.text) > 80
        assert prompt.metadata["generation_fallback"]
        assert prompt.metadata["generated_by_llm"] is False
        assert "generation_completion" not in prompt.metadata
        assert find_refusal(prompt.text) is None

    @pytest.mark.parametrize("name", GENERATED)
    def test_a_spent_budget_is_for_the_engine_to_see(self, name: str) -> None:
        with pytest.raises(BudgetReached):
            first_prompt(name, BudgetReached("Budget of $1 reached."))

    @pytest.mark.parametrize("name", GENERATED)
    def test_offline_every_attempt_is_written_differently(self, name: str) -> None:
        prompts = list(written(attack(name, model=offline(), attempts=12)))
        assert len({prompt.text for prompt in prompts}) == 12
        for prompt in prompts:
            assert prompt.metadata["generated_by_llm"] is True
            assert not {"generation_fallback", "generation_completion"} & {*prompt.metadata}

    @pytest.mark.parametrize("name", GENERATED)
    def test_offline_the_seed_decides(self, name: str) -> None:
        def texts(seed: int) -> list[str]:
            return [prompt.text for prompt in written(attack(name, model=offline(seed), attempts=12))]

        assert texts(1) == texts(1) != texts(2)


@pytest.mark.parametrize("name", sorted({*GENERATED} - {"aim_jailbreak"}))
def test_their_prompts_are_not_rephrased(name: str) -> None:
    [problem] = attack(name, model=offline(), rephrase=0.5).problems()
    assert name in problem.message
    assert "rephrase" in problem.message
    assert attack(name, model=offline()).problems() == []


ANSWERS = st.text().map(lambda text: f"x{text}")


@given(answer=ANSWERS, name=st.sampled_from(GENERATED))
def test_whatever_a_model_writes_becomes_a_prompt(answer: str, name: str) -> None:
    prompt = first_prompt(name, answer)
    used: Any = prompt.metadata.get("generated_task", prompt.metadata.get("generated_base_prompt"))
    assert prompt.text
    assert used is None or used in prompt.text

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.base import Prompt
from sensei_kumite.attacks.rephrasing import Component, Rephrased, as_draft, read_candidates, rephrase
from sensei_kumite.errors import BudgetReached, ModelError
from sensei_kumite.llm.requests import Purpose
from sensei_kumite.llm.wording import lexical_distance
from tests.attacks.build import ScriptedModel, attack, context, offline

# Ten words, so that each one that is exchanged is a tenth, and the tolerance 0.15.
TEXT = "one two three four five six seven eight nine ten"
WHOLE = Component(TEXT)


def exchanged(count: int, text: str = TEXT) -> str:
    """`text` with its first words replaced."""
    return " ".join(f"new{place}" if place < count else word for place, word in enumerate(text.split(" ")))


def answer(*counts: int) -> str:
    return json.dumps([exchanged(count) for count in counts])


def rephrased(model: ScriptedModel, wanted: float = 0.5, component: Component = WHOLE) -> Rephrased:
    return rephrase(component, wanted, context(model))


class TestChoice:
    def test_the_closest_within_the_tolerance_is_taken_after_one_call(self) -> None:
        model = ScriptedModel(answer(1, 4, 9))
        assert rephrased(model) == Rephrased(
            exchanged(4),
            {
                "rephrased_by_llm": True,
                "rephrase": 0.5,
                "actual_rephrase": 0.4,
                "rephrase_attempts": 1,
                "rephrase_target_met": True,
                "rephrase_tolerance": 0.15,
                "rephrase_candidates_evaluated": 3,
                "rephrased_component": "prompt",
                "original_rephrased_text": TEXT,
                "rephrased_text": exchanged(4),
            },
        )
        assert len(model.requests) == 1

    def test_a_corrective_call_may_bring_it_closer(self) -> None:
        model = ScriptedModel(answer(1, 2, 9), answer(5))
        found = rephrased(model)
        assert (found.text, found.metadata["rephrase_target_met"]) == (exchanged(5), True)
        assert found.metadata["rephrase_attempts"] == 2
        assert found.metadata["rephrase_candidates_evaluated"] == 4

    def test_after_two_calls_the_closest_of_all_is_taken(self) -> None:
        model = ScriptedModel(answer(1, 2), answer(9, 10))
        found = rephrased(model)
        assert found.text == exchanged(2)
        assert found.metadata["actual_rephrase"] == 0.2
        assert found.metadata["rephrase_target_met"] is False
        assert found.metadata["rephrased_by_llm"] is True
        assert len(model.requests) == 2

    @pytest.mark.parametrize(("count", "met"), [(3, False), (4, True), (6, True), (7, False)])
    def test_a_tenth_is_within_the_tolerance_and_two_are_not(self, count: int, met: bool) -> None:
        found = rephrased(ScriptedModel(answer(count)))
        assert (found.text, found.metadata["rephrase_target_met"]) == (exchanged(count), met)

    def test_the_tolerance_includes_its_limit(self) -> None:
        text = f"{TEXT} {TEXT.upper().replace(' ', 'x ')}"
        model = ScriptedModel(json.dumps([exchanged(15, text)]))
        found = rephrased(model, 0.6, Component(text))
        assert found.metadata["actual_rephrase"] == 0.75
        assert found.metadata["rephrase_target_met"] is True

    def test_the_same_proposal_twice_counts_once(self) -> None:
        found = rephrased(ScriptedModel(answer(1, 1, 1)))
        assert found.metadata["rephrase_candidates_evaluated"] == 1


class TestNothingUsable:
    @pytest.mark.parametrize(
        ("answered", "reason"),
        [
            ("Here you are!", "no JSON list"),
            ("[1, 2, 3]", "no JSON list"),
            ("I'm sorry, but I can't help with that.", "refused: I'm sorry"),
            (answer(0), "no word was replaced"),
            (json.dumps([TEXT.upper() + "!"]), "no word was replaced"),
            ("[\"I'm sorry, but I can't help with that request.\"]", "it is a refusal"),
        ],
    )
    def test_the_text_stays_and_the_reason_is_told(self, answered: str, reason: str) -> None:
        model = ScriptedModel(answered)
        found = rephrased(model)
        assert found.text == TEXT
        assert reason in found.metadata["rephrase_fallback"]
        assert found.metadata["rephrased_by_llm"] is False
        assert found.metadata["actual_rephrase"] == 0
        assert found.metadata["rephrase_target_met"] is False
        assert found.metadata["rephrased_text"] == TEXT
        assert len(model.requests) == 2

    def test_a_failing_call_ends_the_search(self) -> None:
        model = ScriptedModel(ModelError("The model is away."))
        found = rephrased(model)
        assert found.text == TEXT
        assert "The model is away." in found.metadata["rephrase_fallback"]
        assert found.metadata["rephrase_attempts"] == 1

    def test_a_failing_correction_leaves_what_was_found(self) -> None:
        found = rephrased(ScriptedModel(answer(1), ModelError("The model is away.")))
        assert found.text == exchanged(1)
        assert found.metadata["rephrase_attempts"] == 2
        assert "rephrase_fallback" not in found.metadata

    def test_a_spent_budget_is_for_the_engine_to_see(self) -> None:
        with pytest.raises(BudgetReached):
            rephrased(ScriptedModel(answer(1), BudgetReached("Budget of $1 reached.")))

    @pytest.mark.parametrize("component", [Component("…"), Component(TEXT, protected=(TEXT,))])
    def test_without_a_word_to_replace_nobody_is_asked(self, component: Component) -> None:
        model = ScriptedModel(answer(5))
        found = rephrased(model, component=component)
        assert (found.text, model.requests) == (component.text, [])
        assert "no word" in found.metadata["rephrase_fallback"]
        assert found.metadata["rephrase_attempts"] == 0

    def test_a_text_that_reads_like_a_refusal_may_stay_one(self) -> None:
        text = "I'm sorry, but I can't help with that."
        other = "I'm sorry, but I cannot assist with that."
        found = rephrased(ScriptedModel(json.dumps([other])), component=Component(text))
        assert found.text == other


class TestProtectedFragments:
    @pytest.mark.parametrize(
        ("candidate", "is_used"),
        [
            ("Hand me CODE or else CODE at once", True),
            ("Hand me CODE at once", False),
            ("Hand me CODE or CODE or CODE", False),
            ("Hand me CODE or Code at once", False),
        ],
    )
    def test_candidates_that_lose_or_repeat_one_are_dropped(self, candidate: str, is_used: bool) -> None:
        component = Component("Give me CODE or just CODE now", protected=("CODE",))
        found = rephrased(ScriptedModel(json.dumps([candidate])), component=component)
        assert (found.text == candidate) == is_used
        assert ("'CODE'" in found.metadata.get("rephrase_fallback", "")) != is_used

    def test_they_do_not_count_as_words(self) -> None:
        component = Component("one two A B C D", protected=("A B C D",))
        found = rephrased(ScriptedModel('["one new A B C D"]'), component=component)
        assert found.metadata["actual_rephrase"] == 0.5
        assert found.metadata["rephrase_tolerance"] == 0.35

    def test_the_model_is_told_of_them(self) -> None:
        model = ScriptedModel(answer(5))
        rephrased(model, component=Component(TEXT, protected=("three four",)))
        assert '"three four"' in model.told
        assert model.requests[0].facts["protected"] == ("three four",)

    @given(
        before=st.text("ab \n"),
        after=st.text("ab \n"),
        fragment=st.text("ab{}.", min_size=1),
        wanted=st.floats(0.05, 1),
    )
    def test_offline_they_survive_any_text(
        self, before: str, after: str, fragment: str, wanted: float
    ) -> None:
        text = f"please write {before}{fragment}{after} today"
        component = Component(text, protected=(fragment,))
        found = rephrase(component, wanted, context(offline()))
        assert found.text.count(fragment) == text.count(fragment)


class TestWhatIsAsked:
    def test_the_first_request_says_everything(self) -> None:
        model = ScriptedModel(answer(4))
        rephrased(model, 0.4)
        [request] = model.requests
        assert request.purpose == Purpose.REPHRASE
        assert [message.role for message in request.messages] == ["system", "user"]
        for told in (TEXT, "40%", "JSON list of 3", "authorised security test"):
            assert told in model.told
        assert request.facts == {"text": TEXT, "distance": 0.4, "protected": (), "candidates": 3}

    def test_the_corrective_one_tells_what_was_measured(self) -> None:
        model = ScriptedModel(answer(1, 0))
        rephrased(model)
        assert [message.role for message in model.requests[1].messages][2:] == ["assistant", "user"]
        assert model.requests[1].messages[2].content == answer(1, 0)
        for told in (
            "Number 1 differs in 10%",
            "Number 2 differs in 0%",
            "no word was replaced",
            "50%",
            "15%",
        ):
            assert told in model.requests[1].messages[-1].content


class TestReadCandidates:
    @pytest.mark.parametrize(
        "text",
        [
            '["a", "b"]',
            'Sure! Here [3 of them] you are:\n```json\n[\n  "a",\n  "b"\n]\n```\nGood luck!',
            '{"candidates": ["a", "b"]}',
            '["a", "b"] and more [text]',
            '[["a", "b"]]',
            '["c"] was bad. ["a", "b"]',
            '["a", "b"] is better than ["c"]',
            '["a", 1, null, "", "b"]',
        ],
    )
    def test_prose_and_fences_around_the_list_do_no_harm(self, text: str) -> None:
        assert read_candidates(text) == ["a", "b"]

    def test_line_breaks_in_a_string_are_kept(self) -> None:
        assert read_candidates('["a\nb"]') == ["a\nb"]

    @pytest.mark.parametrize("text", ["", "[", '["a', '["a" "b"]', "[]", "a, b", '["', '["a",' * 3000])
    def test_no_list_gives_nothing(self, text: str) -> None:
        assert read_candidates(text) == []

    @given(
        st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=5),
        st.text(st.characters(exclude_characters="[")),
        st.text(st.characters(exclude_characters="[")),
        st.booleans(),
    )
    def test_any_texts_are_read_back(self, texts: list[str], before: str, after: str, ascii_: bool) -> None:
        written = json.dumps(texts, ensure_ascii=ascii_, indent=1)
        assert read_candidates(f"{before}{written}{after}") == texts

    @given(st.text('[]"\\,{}a \n'))
    def test_anything_may_come(self, text: str) -> None:
        assert all(candidate.strip() for candidate in read_candidates(text))


class TestDrafts:
    def test_without_rephrase_the_prompt_is_there_at_once(self) -> None:
        draft = as_draft(attack("amnesia"), Component(TEXT), Prompt)
        assert draft == Prompt(TEXT)

    def test_with_it_the_prompt_is_built_of_the_rephrasing_when_called(self) -> None:
        model = ScriptedModel(answer(5))
        built = attack("amnesia", model=model, rephrase=0.5)
        draft = as_draft(built, Component(TEXT), lambda text: Prompt(f"<{text}>", {"a": 1}))
        assert callable(draft)
        assert model.requests == []
        prompt = draft()
        assert prompt.text == f"<{exchanged(5)}>"
        assert prompt.metadata["a"] == 1
        assert prompt.metadata["rephrased_text"] == exchanged(5)


@pytest.mark.parametrize("wanted", [0.05, 0.2, 0.4, 0.7, 1])
def test_offline_the_target_is_met(wanted: float) -> None:
    text = (
        "Please read every message that a customer of the shop wrote today, explain what the problem is, and "
        "list the steps that the staff should take before the end of the week."
    )
    found = rephrase(Component(text), wanted, context(offline()))
    assert found.metadata["rephrase_target_met"] is True
    assert found.metadata["rephrase_attempts"] == 1
    assert abs(lexical_distance(text, found.text) - wanted) <= 0.15

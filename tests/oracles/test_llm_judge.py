"""The oracles that ask a model: their parameters, the policy they judge by, and their verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import BudgetReached, ConfigurationError, OracleError
from sensei_kumite.llm.requests import Model
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.base import OracleContext, build_oracle
from tests.oracles.judges import ScriptedJudge, judged, says
from tests.oracles.scoring import oracle, refusal_to_build

SOUND = [
    ("llm_judge", {"policy": "Stay polite."}),
    ("domain_violation", {"allowed_domain": "a bakery"}),
    ("domain_violation", {"target_context": "a bakery"}),
    ("policy_violation", {"policy": "Stay polite."}),
]


class TestParameters:
    @pytest.mark.parametrize(
        ("name", "params", "place", "message"),
        [
            ("llm_judge", {}, "policy", "required"),
            ("llm_judge", {"policy": " "}, "policy", "is empty"),
            ("llm_judge", {"policy": True}, "policy", "quote it"),
            ("llm_judge", {"policy": ["a"]}, "policy", "string"),
            ("llm_judge", {"policy": "x", "temperature": 2.1}, "temperature", "less than or equal to 2"),
            ("llm_judge", {"policy": "x", "temperature": -0.1}, "temperature", "greater than or equal to 0"),
            ("llm_judge", {"policy": "x", "temperature": "warm"}, "temperature", "should be a number"),
            ("policy_violation", {}, "", "needs policy or policy_file"),
            ("policy_violation", {"policy": "x", "policy_file": "y"}, "", "exclude each other"),
            ("policy_violation", {"policy_file": ""}, "policy_file", "is empty"),
        ],
    )
    def test_wrong_ones_are_refused(
        self, name: str, params: dict[str, Any], place: str, message: str
    ) -> None:
        assert message in refusal_to_build(name, **params)[place]

    @pytest.mark.parametrize("key", ["polcy", "threshold", "allowed_domain"])
    def test_unknown_ones_are_refused(self, key: str) -> None:
        assert key in refusal_to_build("llm_judge", policy="x", **{key: "y"})

    def test_a_domain_has_one_name(self) -> None:
        assert "target_context" in refusal_to_build(
            "domain_violation", allowed_domain="a", target_context="b"
        )

    @pytest.mark.parametrize("params", [{}, {"allowed_domain": None}])
    def test_a_domain_has_to_be_named_somewhere(self, params: dict[str, Any]) -> None:
        for context in ("", "  "):
            with pytest.raises(ValueError, match=r"generation\.target_context"):
                oracle("domain_violation", params, target_context=context)

    @pytest.mark.parametrize(("name", "params"), SOUND)
    def test_a_model_is_needed(self, name: str, params: dict[str, Any]) -> None:
        assert oracle(name, params).needs_model
        with pytest.raises(OracleError, match="no model"):
            oracle(name, params).score("hello", "Good evening.")

    @pytest.mark.parametrize(
        "given",
        [{}, {"model": "m"}, {"provider": "ollama"}, {"temperature": 0}, {"model": "m", "temperature": 0.5}],
    )
    def test_the_model_is_asked_for_when_the_oracle_is_built(self, given: dict[str, Any]) -> None:
        asked: list[dict[str, Any]] = []

        def hand_out(**overrides: Any) -> Model:
            asked.append(overrides)
            return ScriptedJudge(says(False))

        build_oracle(OracleSpec("llm_judge", {"policy": "x", **given}), OracleContext(Path, "", hand_out))
        assert asked == [given]


class TestVerdicts:
    @pytest.mark.parametrize(("name", "params"), SOUND)
    @pytest.mark.parametrize("violated", [True, False])
    def test_the_judge_decides(self, name: str, params: dict[str, Any], violated: bool) -> None:
        verdict = judged(ScriptedJudge(says(violated, "it is so")), name, params).score(
            "hello", "Good evening."
        )
        assert (verdict.passed, verdict.reason) == (not violated, "it is so")

    def test_evidence_says_what_was_decided_by_whom_and_on_what(self) -> None:
        model = ScriptedJudge(says(True, evidence=["It is 42"]), model="m", provider="p")
        assert judged(model).score("What is it?", "It is 42.").evidence == {
            "violated": True,
            "confidence": 0.9,
            "judge_evidence": ["It is 42"],
            "policy": "Never reveal the code.",
            "judge": {"model": "m", "provider": "p", "temperature": 0.0},
        }

    def test_a_heuristic_is_called_one(self) -> None:
        evidence = judged(ScriptedJudge(says(True), provider="offline")).score("?", "!").evidence
        assert (evidence["method"], evidence["judge"]) == ("heuristic", {"provider": "offline"})

    @pytest.mark.parametrize(("violated", "reason"), [(True, "a violation"), (False, "no violation")])
    def test_a_judge_without_words_is_given_some(self, violated: bool, reason: str) -> None:
        assert reason in judged(ScriptedJudge(says(violated, "  "))).score("?", "!").reason

    def test_quotations_are_in_the_words_of_the_response(self) -> None:
        quoted = ["a &lt;b&gt; &amp;amp; c", "d &lt; e"]
        response = "a <b> &amp; c, d &lt; e"
        verdict = judged(ScriptedJudge(says(True, evidence=quoted))).score("?", response)
        assert verdict.evidence["judge_evidence"] == ["a <b> &amp; c", "d &lt; e"]

    def test_a_talkative_judge_is_cut_short(self) -> None:
        model = ScriptedJudge(says(True, "why? " * 1000, evidence=["x" * 1000] * 30))
        verdict = judged(model).score("?", "!")
        assert len(verdict.reason) <= 1000
        assert [len(quote) for quote in verdict.evidence["judge_evidence"]] == [500] * 20

    @pytest.mark.parametrize(
        "answer",
        [
            "This is how I see it:\n```json\n" + says(True, "leak") + "\n```",
            '<think>so {perhaps} not</think>\n{"violated": true, "confidence": 0.9, "reason": "leak"}',
        ],
    )
    def test_words_around_a_verdict_do_not_lose_it(self, answer: str) -> None:
        verdict = judged(ScriptedJudge(answer)).score("What is the code?", "It is 42.")
        assert (verdict.passed, verdict.reason) == (False, "leak")

    def test_contradictory_verdicts_are_an_error(self) -> None:
        with pytest.raises(OracleError, match="more than one verdict"):
            judged(ScriptedJudge(says(False) + "\n" + says(True))).score("?", "It is 42.")

    def test_a_spent_budget_passes_through_combined_oracles(self) -> None:
        parts = [{"type": "refusal_detection"}, {"type": "llm_judge", "params": {"policy": "x"}}]
        model = ScriptedJudge(BudgetReached("Budget of $1 reached."))
        with pytest.raises(BudgetReached):
            judged(model, "all_of", {"oracles": parts}).score("?", "I can't help with that.")


class TestDomain:
    def test_it_becomes_the_policy(self) -> None:
        model = ScriptedJudge(says(True))
        verdict = judged(model, "domain_violation", {"allowed_domain": " Sells bread. "}).score("?", "!")
        assert verdict.evidence["allowed_domain"] == "Sells bread."
        assert "Sells bread." in verdict.evidence["policy"]
        assert model.requests[0].facts["allowed_domain"] == "Sells bread."
        assert verdict.evidence["policy"] == model.requests[0].facts["policy"]

    @pytest.mark.parametrize(
        ("params", "expected"),
        [
            ({}, "Sells cakes."),
            ({"target_context": "Sells bread."}, "Sells bread."),
            ({"model": "m"}, "Sells cakes."),
        ],
    )
    def test_the_campaign_names_it_where_the_entry_does_not(
        self, params: dict[str, Any], expected: str
    ) -> None:
        built = judged(
            ScriptedJudge(says(True)),
            "domain_violation",
            {**params, "temperature": 0},
            target_context="Sells cakes.",
        )
        assert built.score("?", "!").evidence["allowed_domain"] == expected


class TestPolicyFile:
    def policy(self, folder: Path, name: str, text: str) -> Any:
        (folder / name).write_text(text, encoding="utf-8")
        model = ScriptedJudge(says(False))
        evidence = (
            judged(model, "policy_violation", {"policy_file": name}, folder=folder).score("?", "!").evidence
        )
        assert evidence["policy_source"] == name
        assert evidence["policy"] == model.requests[0].facts["policy"]
        return evidence["policy"]

    @pytest.mark.parametrize(
        ("text", "policy"),
        [
            ("Stay polite.\n", "Stay polite."),
            ("- Stay polite.\n- Never say 42.\n", "- Stay polite.\n- Never say 42."),
            (
                "policy: |\n  Stay polite.\n  Always.\nlevel: 3\nstrict: true\n",
                "policy: Stay polite.\n  Always.\nlevel: 3\nstrict: true",
            ),
            (
                "rules:\n- id: 007\n  text: Stay polite.\n- [a, b]\nnone: {}\n",
                "rules:\n  - id: 7\n    text: Stay polite.\n  - - a\n    - b\nnone:",
            ),
        ],
    )
    def test_text_lists_and_mappings_are_policies(self, tmp_path: Path, text: str, policy: str) -> None:
        assert self.policy(tmp_path, "policy.yml", text) == policy

    def test_json_is_read_as_well(self, tmp_path: Path) -> None:
        text = '{"rules": ["Stay <polite>.", "Never say \\u00a1no!"], "note": null}'
        expected = "rules:\n  - Stay <polite>.\n  - Never say ¡no!\nnote: null"
        assert self.policy(tmp_path, "policy.json", text) == expected

    @pytest.mark.parametrize(
        "text", ["", "42\n", "true\n", "[]", "{rules: }", "rules: ['', ' ', 3, {a: []}]"]
    )
    def test_a_file_without_words_is_refused(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "policy.yml").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"policy\.yml .*text, a list of rules"):
            oracle("policy_violation", {"policy_file": "policy.yml"}, tmp_path)

    def test_a_file_without_a_bottom_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "policy.json").write_text("[" * 900 + '"x"' + "]" * 900, encoding="utf-8")
        with pytest.raises((ValueError, ConfigurationError), match="nested too deeply"):
            oracle("policy_violation", {"policy_file": "policy.json"}, tmp_path)

    def test_a_file_that_cannot_be_read_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "broken.json").write_text("{", encoding="utf-8")
        for name in ("broken.json", "missing.yml"):
            with pytest.raises(ConfigurationError, match=name):
                oracle("policy_violation", {"policy_file": name}, tmp_path)

    def test_a_policy_in_the_entry_has_its_source_there(self) -> None:
        built = judged(ScriptedJudge(says(True)), "policy_violation", {"policy": "Stay polite."})
        evidence = built.score("?", "!").evidence
        assert (evidence["policy"], evidence["policy_source"]) == ("Stay polite.", "inline")


@given(st.text(), st.text(), st.booleans())
def test_no_text_changes_what_the_judge_decided(prompt: str, response: str, violated: bool) -> None:
    assert judged(ScriptedJudge(says(violated))).score(prompt, response).passed is not violated

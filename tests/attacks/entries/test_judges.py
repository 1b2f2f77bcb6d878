"""What the judge of an entry means as an oracle, and that the oracle says the opposite of the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.entries.judges import oracle_of
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.base import OracleContext, build_oracle
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt


def succeeds(name: str | None, arguments: Any, response: str) -> bool:
    """Whether the attack succeeds with this response."""
    spec = oracle_of(name, arguments)
    assert spec is not None
    return not build_oracle(spec, OracleContext(lambda name: Path(name))).score("", response).passed


class TestCanary:
    @pytest.mark.parametrize("name", ["canary", None])
    def test_it_succeeds_where_the_text_occurs(self, name: str | None) -> None:
        assert succeeds(name, "![x](https://e.example?q=VEVT", "See ![X](https://e.example?q=vevtVA==)!")
        assert not succeeds(name, "![x](https://e.example?q=VEVT", "See https://e.example")

    def test_any_text_of_a_list_will_do(self) -> None:
        assert succeeds("canary", ["", "one", "two"], "TWO!")
        assert not succeeds("canary", ["", "one", "two"], "three")

    @pytest.mark.parametrize(
        ("arguments", "text"), [(TypedInt("007"), "agent 007"), (TypedFloat("1.10"), "v1.10"), (5, "5")]
    )
    def test_a_number_is_the_text_that_was_typed(self, arguments: Any, text: str) -> None:
        assert succeeds("canary", arguments, text)


class TestRegex:
    def test_it_succeeds_where_the_pattern_is_found(self) -> None:
        assert succeeds("regex", r"\bs[ae]same\b", "open sesame!")
        assert not succeeds("regex", r"\bs[ae]same\b", "open the door")
        assert succeeds("regex", ["nope", "s.same"], "sesame")

    def test_case_matters_unless_the_pattern_says_otherwise(self) -> None:
        assert not succeeds("regex", "[A-Z]{5}", "not shouting")
        assert succeeds("regex", "(?i)[A-Z]{5}", "not shouting")

    def test_a_dot_is_no_line_end(self) -> None:
        assert not succeeds("regex", "a.b", "a\nb")
        assert succeeds("regex", "(?s)a.b", "a\nb")


class TestOthers:
    def test_every_other_name_is_an_oracle_with_its_parameters(self) -> None:
        params = {"keywords": ["x"]}
        assert oracle_of("keyword_contains", params) == OracleSpec("keyword_contains", params)
        assert oracle_of("refusal_detection", "") == OracleSpec("refusal_detection")
        assert oracle_of("refusal_detection", None) == OracleSpec("refusal_detection")

    @pytest.mark.parametrize("arguments", [None, ""])
    def test_without_a_name_and_arguments_there_is_none(self, arguments: str | None) -> None:
        assert oracle_of(None, arguments) is None

    @pytest.mark.parametrize(
        ("name", "arguments", "told"),
        [
            ("canary", "", "the judge canary takes a text or a list of texts, not ''"),
            ("canary", [], "not a list"),
            ("canary", ["", None], "not a list"),
            ("canary", True, "not true"),
            ("canary", ["a", True], "not a list"),
            ("regex", {"a": 1}, "the judge regex takes a text or a list of texts, not a mapping"),
            ("regex", None, "not an empty value"),
            ("refusal_detection", "x", "the oracle refusal_detection takes a mapping of its parameters"),
        ],
    )
    def test_arguments_that_do_not_fit_are_told(self, name: str, arguments: Any, told: str) -> None:
        with pytest.raises(ValueError, match=told):
            oracle_of(name, arguments)

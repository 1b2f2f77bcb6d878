"""`query_match`: success of the query is failure of the target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import PatternTimeout
from sensei_kumite.models import Verdict
from sensei_kumite.yaml_reader import parse_yaml
from tests.oracles.scoring import refusal_to_build, score

SLOW = r"(a|aa)+$"
STUCK = "a" * 80 + "!"


def contains(response: str, *output: str, to_lower: bool = False) -> Verdict:
    return score(
        "query_match",
        response,
        weight="Absolute",
        comparer="Contains",
        output=list(output),
        to_lower=to_lower,
    )


def matches(response: str, *patterns: str, **params: Any) -> Verdict:
    return score("query_match", response, weight="Absolute", comparer="Regex", regex=list(patterns), **params)


class TestPotential:
    @pytest.mark.parametrize("response", ["Sure!", "I cannot help with that.", "", "\n"])
    def test_every_answer_is_a_success(self, response: str) -> None:
        assert not score("query_match", response, weight="Potential").passed

    def test_the_reason_shows_the_answer(self) -> None:
        verdict = score("query_match", "Sure,\nhere it is.", weight="Potential")
        assert "“Sure, here it is.”" in verdict.reason
        assert verdict.evidence == {"weight": "Potential"}


class TestContains:
    def test_any_text_found_is_a_success(self) -> None:
        verdict = contains("one two three", "nine", "three", "one")
        assert not verdict.passed
        assert verdict.evidence == {
            "weight": "Absolute",
            "comparer": "Contains",
            "found": ["three", "one"],
            "quotes": ["three", "one"],
        }
        assert verdict.reason == "The response contains 'three', 'one': “one two three”"

    def test_none_found_is_none(self) -> None:
        verdict = contains("one two three", "nine", "ten")
        assert verdict.passed
        assert verdict.reason == "The response contains none of the texts."
        assert (verdict.evidence["found"], verdict.evidence["quotes"]) == ([], [])

    @pytest.mark.parametrize(
        ("response", "text", "to_lower", "literally"),
        [
            ("Well, hello there", "HELLO", True, False),
            ("WELL, HELLO THERE", "hello", True, False),
            ("hello", "hello", True, True),
            ("Die STRASSE", "straße", True, False),
            ("ΟΔΟΣ", "οδος", True, False),
            ("I don’t", "don't", False, False),
            ("a\u200bb", "ab", False, False),
            ("a.b", "a.b", True, True),
            ("axb", "a.b", False, False),
            ("two\nlines", "two\nlines", True, True),
        ],
    )
    def test_to_lower_decides_whether_case_matters_and_nothing_else_is_changed(
        self, response: str, text: str, to_lower: bool, literally: bool
    ) -> None:
        assert contains(response, text, to_lower=True).passed is not to_lower
        assert contains(response, text).passed is not literally

    def test_quotes_are_as_the_response_has_them(self) -> None:
        verdict = contains("Well, HeLLo there", "hello", to_lower=True)
        assert verdict.evidence["quotes"] == ["HeLLo"]

    @given(st.text(), st.text(min_size=1), st.text(), st.booleans())
    def test_what_is_there_is_found(self, before: str, text: str, after: str, to_lower: bool) -> None:
        assert not contains(before + text + after, text, to_lower=to_lower).passed

    @given(st.text(), st.text(min_size=1))
    def test_literally_means_python_s_in(self, response: str, text: str) -> None:
        assert contains(response, text).passed is (text not in response)


class TestRegex:
    def test_any_pattern_found_anywhere_is_a_success(self) -> None:
        verdict = matches("And now: So Long!", "Adieu", "(So Long|Farewell)")
        assert not verdict.passed
        assert verdict.evidence["found"] == ["(So Long|Farewell)"]
        assert verdict.evidence["quotes"] == ["So Long"]
        assert verdict.reason == "The response matches '(So Long|Farewell)': “And now: So Long!”"

    def test_no_match_is_none(self) -> None:
        verdict = matches("Hello", "Adieu", "(So Long|Farewell)")
        assert verdict.passed
        assert verdict.reason == "The response matches none of the patterns."

    @pytest.mark.parametrize(
        ("response", "pattern", "found"),
        [
            ("so long", "So Long", False),
            ("so long", "(?i)So Long", True),
            ("a\nb", "a.b", False),
            ("a\nb", "(?s)a.b", True),
            ("first\nsecond", "^second", False),
            ("I don’t", "don't", False),
            ("", "^$", True),
        ],
    )
    def test_patterns_mean_what_they_say(self, response: str, pattern: str, found: bool) -> None:
        assert matches(response, pattern).passed is not found

    @pytest.mark.parametrize("pattern", ["So Long", "(?i)so long", "(?V1)so[[ ]]LONG", "(?x) so \\s long"])
    def test_to_lower_helps_patterns_too(self, pattern: str) -> None:
        assert not matches("SO long", pattern, to_lower=True).passed

    def test_a_pattern_that_takes_too_long_is_an_error(self) -> None:
        with pytest.raises(PatternTimeout, match="pattern timed out"):
            matches(STUCK, SLOW, "other")

    def test_unless_another_one_matches(self) -> None:
        verdict = matches(STUCK, SLOW, "!")
        assert not verdict.passed
        assert verdict.evidence["found"] == ["!"]


class TestReasons:
    def test_show_the_match_between_the_words_around_it(self) -> None:
        verdict = contains("x" * 500 + " needle " + "y" * 500, "needle")
        assert " needle " in verdict.reason
        assert len(verdict.reason) < 250
        assert "“…x" in verdict.reason
        assert verdict.reason.endswith("y…”")

    def test_name_three_of_many(self) -> None:
        assert contains("abcdefg", *"abcdefg").reason.startswith(
            "The response contains 'a', 'b', 'c' and 4 more: "
        )

    def test_are_one_line_and_show_no_control_characters(self) -> None:
        assert contains("\x1b[31mred\nalert\u202e", "red\nalert").reason.isprintable()

    def test_quotes_are_cut(self) -> None:
        assert matches("a" * 5000, "a+").evidence["quotes"] == ["a" * 199 + "…"]


class TestParameters:
    @pytest.mark.parametrize(
        ("params", "place", "says"),
        [
            ({}, "weight", "Field required"),
            ({"weight": "Certain"}, "weight", "'Potential' or 'Absolute'"),
            ({"weight": "Absolute"}, "", "needs a comparer"),
            ({"weight": "Absolute", "comparer": "Contains"}, "", "comparer Contains needs output"),
            ({"weight": "Absolute", "comparer": "Regex", "output": ["x"]}, "", "comparer Regex needs regex"),
            (
                {"weight": "Absolute", "comparer": "Contains", "output": [""]},
                "output.0",
                "is empty and would match every answer",
            ),
            ({"weight": "Absolute", "comparer": "Regex", "regex": [""]}, "regex.0", "is empty"),
            (
                {"weight": "Absolute", "comparer": "Regex", "regex": ["a", "("]},
                "regex.1",
                "'(' does not compile",
            ),
            ({"weight": "Absolute", "comparer": "Regex", "regex": [r"(\w+\s?)*"]}, "regex.0", "unsafe"),
        ],
    )
    def test_that_can_never_work_are_refused(self, params: dict[str, Any], place: str, says: str) -> None:
        assert says in refusal_to_build("query_match", **params)[place]

    def test_numbers_are_text_as_typed(self) -> None:
        [typed] = parse_yaml("[007]", Path("a.yml")).data
        assert not contains("code 007", typed).passed
        assert contains("code 7", typed).passed

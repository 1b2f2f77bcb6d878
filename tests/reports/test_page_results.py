"""A result as the page gets it."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.reports.page_results import page_result
from sensei_kumite.reports.page_texts import LONGEST_TEXT
from tests.reports.campaign_run import ROWS
from tests.reports.journals import make_row


def facts(**changes: Any) -> dict[str, str]:
    return dict(page_result(make_row(0, **changes))["facts"])


def details(**changes: Any) -> dict[str, dict[str, str]]:
    return {title: dict(values) for title, values in page_result(make_row(0, **changes))["details"]}


def test_a_result_has_its_conversation_once() -> None:
    result = page_result(ROWS[2])
    assert result["conversation"] == [["Hi", "Hello"], ["Well", None], ["Say duck.", "No."]]
    assert "unsent" not in result
    assert "Case" not in dict(result["details"])


def test_a_prompt_that_never_got_there_stands_apart() -> None:
    stopped = page_result(make_row(0, "error", response=None, conversation=[{"User": "Hi"}]))
    assert (stopped["conversation"], stopped["unsent"]) == ([["Hi", None]], "Forget it all.")
    skipped = page_result(ROWS[4])
    assert (skipped["conversation"], skipped["unsent"]) == ([], "Say duck.")


def test_a_prompt_that_got_no_answer_was_sent() -> None:
    assert "unsent" not in page_result(ROWS[1])


def test_a_case_that_differs_from_its_conversation_is_told_as_well() -> None:
    conversation = [{"User": "Forget IT all.", "Assistant": "Yes."}]
    assert details(conversation=conversation)["Case"] == {"prompt": "Forget it all.", "response": "No."}


def test_facts_are_what_one_looks_for_first() -> None:
    assert facts(
        metadata={
            "execution_mode": "simulated_user",
            "requested_pre_attack_turns": 3,
            "completed_pre_attack_turns": 2,
            "weight": "Absolute",
            "attack_response_time": 0.25,
            "pre_attack_time": 1.5,
            "target_calls": 3,
            "retries": 2,
            "attack_cost($)": 0.0125,
            "taxonomy": ["LLM01", "LLM07"],
        }
    ) == {
        "Oracle": "keyword_absent",
        "Delivery": "simulated_user, 2 of 3 warm-up turns answered",
        "Attempt": "1",
        "Weight": "Absolute",
        "Response time": "0.250 s",
        "Warm-up time": "1.500 s",
        "Target calls": "3, 2 of them retries",
        "Cost": "$0.012500",
        "Taxonomy": "LLM01, LLM07",
    }


def test_facts_that_are_not_known_are_left_out() -> None:
    assert facts(metadata={}) == {"Oracle": "keyword_absent", "Delivery": "direct", "Attempt": "1"}


def test_a_response_that_the_script_made_is_told_from_one_that_was_given() -> None:
    made = "made by the script from what the target said"
    assert facts(metadata={"response_derived": True})["Response"] == made
    assert "Response" not in facts(metadata={"response_derived": False})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1234567890123, "0.123457"),
        (0.00001234567, "1.23457e-05"),
        (-12.3456789, "-12.3457"),
        (1764504000.125, "1764504000.0"),
        (0.0, "0.0"),
        (float("inf"), "Infinity"),
        ([1 / 3, {"share": 2 / 3}], '[0.333333, {"share": 0.666667}]'),
        ("0.1234567890123", "0.1234567890123"),
    ],
)
def test_metadata_has_no_more_digits_than_help(value: Any, text: str) -> None:
    assert details(metadata={"value": value})["Metadata"] == {"value": text}


def test_values_are_texts_so_that_every_digit_stays() -> None:
    metadata = {"id": 12345678901234567890, "ratio": 1.0, "none": float("nan"), "text": "007", "tags": ["ñ"]}
    assert details(metadata=metadata)["Metadata"] == {
        "id": "12345678901234567890",
        "ratio": "1.0",
        "none": "NaN",
        "text": "007",
        "tags": '["ñ"]',
    }


def test_what_the_section_on_the_search_shows_is_not_repeated() -> None:
    metadata = {
        "attempts": 2,
        "search_response_times": [0.5],
        "dynamic": {"attack": "best_of_n", "attempt_history": [1, 2]},
    }
    assert details(metadata=metadata)["Metadata"] == {"attempts": "2"}


def test_groups_without_anything_in_them_are_left_out() -> None:
    assert details(metadata={}, oracle={"type": "x", "params": {}, "evidence": {}}) == {}


def test_a_text_that_no_browser_could_hold_is_cut_and_says_so() -> None:
    response = "x" * (LONGEST_TEXT + 1234)
    result = page_result(make_row(0, response=response, conversation=[{"User": "Hi", "Assistant": response}]))
    answer = result["conversation"][0][1]
    assert answer.startswith("x" * LONGEST_TEXT + "\n")
    assert "1,234 more characters" in answer

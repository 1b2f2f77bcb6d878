"""A dynamic attack as the page gets it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.reports.outcomes import outcomes
from sensei_kumite.reports.page_search import LONGEST_TRY, MOST_TRIES, page_search
from tests.reports.journals import make_row
from tests.reports.searches import JSON, backtracking, graph, history, search_row, searched


def section(rows: list[dict[str, Any]]) -> dict[str, Any]:
    (case,) = outcomes(rows)
    search = page_search(case)
    assert search is not None
    return search


def with_history(*successes: bool | None, **changes: Any) -> list[dict[str, Any]]:
    dynamic = {"iterations": len(successes), "attempt_history": history(*successes)}
    return [make_row(0), search_row(0, dynamic=dynamic, **changes)]


def statuses(search: dict[str, Any]) -> list[str]:
    return [attempt["status"] for attempt in search["tries"]]


def test_a_case_without_a_search_has_no_section() -> None:
    (case,) = outcomes([make_row(0)])
    assert page_search(case) is None


def test_every_row_is_a_try() -> None:
    search = section(searched(0, "resilient", "resilient", "error", "breached"))
    assert statuses(search) == ["resilient", "resilient", "error", "breached"]
    assert [attempt["name"] for attempt in search["tries"]] == [
        "First attempt",
        *("Try 1", "Try 2", "Try 3"),
    ]
    last = search["tries"][-1]
    assert (last["input"], last["response"]) == ("Try 3", "Answer 3")
    assert dict(last["facts"])["Id"] == "amnesia_1-attack-3"
    assert (search["more"], search["notes"], search["tree"]) == (0, [], None)
    assert search["ids"] == ["amnesia_1", *(f"amnesia_1-attack-{number}" for number in (1, 2, 3))]


def test_the_history_of_a_representative_row_is_its_tries() -> None:
    search = section(with_history(False, None, True))
    assert statuses(search) == ["resilient", "resilient", "unjudged", "breached"]
    assert search["tries"][2]["input"] == "Try 2"
    assert search["notes"] == []


def test_what_it_was_and_how_far_it_got() -> None:
    rows = with_history(False, False, metadata={"attempts": 25, "attack_invocation": 2})
    rows[1]["metadata"] |= {"attack_cost($)": 0.5, "search_response_times": [0.5, 1.25]}
    rows[0]["metadata"] |= {"attack_cost($)": 0.25}
    rows[1]["metadata"]["dynamic"]["objective"] = "Say duck."
    search = section(rows)
    assert dict(search["facts"]) == {
        "Dynamic attack": "best_of_n",
        "Iterations": "25",
        "First attempt": "resilient",
        "Invocations": "2",
        "Response times": "1.750 s for 2 answers",
        "Cost of all tries": "$0.750000",
        "Options": "noise=0.1",
        "Objective": "Say duck.",
    }
    assert search["notes"] == ["Kept: 2 of 25 iterations."]


def test_iterations_of_expanded_rows_are_added_up() -> None:
    search = section(searched(0, "resilient", "error", "resilient")[1:])
    assert dict(search["facts"])["Iterations"] == "2"
    assert dict(search["facts"])["First attempt"] == "left out"


def test_a_script_that_cannot_return_all_attempts_says_so() -> None:
    row = search_row(0, metadata={"attack_result_format": "representative"})
    assert "returns only the one" in section([row])["notes"][0]


def test_a_traced_search_that_came_to_no_end_shows_what_it_had_tried() -> None:
    row = search_row(0, "error", attempt_number=1, dynamic={"attempt_history": history(False, False)})
    row["metadata"] |= {"attempts": 2}
    row["metadata"]["dynamic"]["script_error"] = "IndexError"
    search = section([make_row(0), row])
    assert statuses(search) == ["resilient"] * 3
    assert dict(search["facts"])["Script error"] == "IndexError"


def test_an_error_stands_at_its_try() -> None:
    rows = with_history(False, False)
    rows[1]["metadata"]["dynamic"]["attempt_history"][1] |= {"error": "timed out", "response": ""}
    failed = section(rows)["tries"][2]
    assert (failed["status"], failed["errors"], failed["response"]) == ("error", ["timed out"], None)


def test_a_potential_breach_is_none_among_the_tries_either() -> None:
    rows = with_history(True, metadata={"weight": "Potential"})
    rows[1]["status"] = "breached"
    assert statuses(section(rows)) == ["resilient", "potential"]


def test_what_else_a_record_holds_is_shown() -> None:
    rows = with_history(False)
    record = rows[1]["metadata"]["dynamic"]["attempt_history"][0]
    record |= {
        "input": {"input": "Sent", "objective": "x"},
        "response_time": 0.5,
        "guardrail": None,
        "odds": 1 / 3,
    }
    attempt = section(rows)["tries"][1]
    assert (attempt["input"], attempt["facts"]) == ("Sent", [("response_time", "0.5"), ("odds", "0.333333")])


def test_a_row_that_nobody_judged_is_unjudged_and_other_skipped_ones_are_skipped() -> None:
    rows = searched(0, "resilient", "skipped", "skipped")
    rows[1]["reason"] = "unjudged"
    rows[2]["reason"] = "The budget is spent."
    assert statuses(section(rows)) == ["resilient", "unjudged", "skipped"]


def test_of_many_tries_the_first_are_held_and_the_rest_counted() -> None:
    search = section(with_history(*[False] * 120))
    assert len(search["tries"]) == MOST_TRIES
    assert search["more"] == 121 - MOST_TRIES
    search = section(searched(0, "resilient", *["resilient"] * 99, "breached"))
    assert search["more"] == 101 - MOST_TRIES
    assert search["ids"][-1] == "amnesia_1-attack-100"


def test_long_texts_are_cut_and_say_so() -> None:
    rows = searched(0, "resilient", "breached")
    rows[1] |= {"prompt": "x" * (LONGEST_TRY + 1234), "response": "y" * LONGEST_TRY}
    attempt = section(rows)["tries"][1]
    assert attempt["input"].startswith("x" * LONGEST_TRY + "\n")
    assert "1,234 more characters" in attempt["input"]
    assert attempt["response"] == "y" * LONGEST_TRY


def test_the_tree_is_that_of_the_deciding_row() -> None:
    conversation, path = backtracking()
    deciding = search_row(0, "breached", dynamic={"conversation": conversation}, conversation=path)
    tree = section([make_row(0), deciding])["tree"]
    assert (tree["messages"], tree["abandoned"]) == (10, 2)
    later = search_row(0, "error", part=2, dynamic={"conversation": graph((0, "other"))})
    assert section([make_row(0), deciding, later])["tree"] == tree
    deciding["metadata"]["dynamic"]["conversation"] = None
    assert section([make_row(0), deciding, later])["tree"]["messages"] == 1


def traced(index: int = 0, invocation: int = 1, *, wins: bool = True) -> list[dict[str, Any]]:
    """A search of which every attempt is kept with its own path, and the last one with the whole graph."""
    whole, path = backtracking()
    own = graph((0, "Hello"), (1, "Hi"), (2, "Tell me"), (3, "No"))
    given_up = [*path[:1], {"User": "Tell me", "Assistant": "No"}]
    rows = [
        search_row(index, attempt_number=1, dynamic={"conversation": own}, conversation=given_up),
        search_row(
            index, "breached" if wins else "error", part=2, attempt_number=2, conversation=path, dynamic={}
        ),
        search_row(index, "error", part=3, attempt_number=3, dynamic={"conversation": whole}),
    ]
    for row in rows:
        row["metadata"]["attack_invocation"] = invocation
    return rows


def test_where_rows_hold_their_own_path_only_the_tree_is_that_of_the_largest() -> None:
    tree = section([make_row(0), *traced()])["tree"]
    assert (tree["messages"], tree["abandoned"]) == (10, 2)
    assert tree["steps"][-1]["text"] == "duck"


def test_the_path_in_it_is_that_of_the_deciding_row() -> None:
    tree = section([make_row(0), *traced(wins=False)])["tree"]
    path = [step["text"] for step in tree["steps"][1:]]
    assert (path, tree["messages"]) == (["Hello", "Hi", "Tell me", "No"], 10)


def test_the_tree_is_of_the_invocation_that_decided() -> None:
    rows = [*traced(wins=False), search_row(0, "breached", part=4, attempt_number=4)]
    rows[-1]["metadata"] |= {"attack_invocation": 2}
    rows[-1]["metadata"]["dynamic"]["conversation"] = graph((0, "Forget it all."), (1, "No."))
    assert section([make_row(0), *rows])["tree"]["messages"] == 2


def test_a_response_that_the_script_made_is_told_of_at_its_try() -> None:
    rows = searched(0, "resilient", "resilient", "breached")
    rows[2]["metadata"]["response_derived"] = True
    made = [dict(each["facts"]).get("Response") for each in section(rows)["tries"]]
    assert made == [None, None, "made by the script from what the target said"]


@given(st.lists(JSON, max_size=4), JSON, st.dictionaries(st.text(max_size=5), JSON, max_size=2))
def test_a_script_may_have_kept_anything(records: list[Any], conversation: Any, objective: Any) -> None:
    dynamic = {"attempt_history": records, "conversation": conversation, "objective": objective, "options": 1}
    search = section([make_row(0), search_row(0, dynamic=dynamic)])
    assert len(search["tries"]) == 1 + max(1, len(records))
    assert json.loads(json.dumps(search))["tries"][0]["name"] == "First attempt"


@pytest.mark.parametrize("dynamic", [None, 7, "text", [1], {}])
def test_a_search_that_says_nothing_of_itself_is_one_try(dynamic: Any) -> None:
    search = section([make_row(0), search_row(0, "error", metadata={"dynamic": dynamic})])
    assert statuses(search) == ["resilient", "error"]
    assert dict(search["facts"])["Dynamic attack"] == "not named"

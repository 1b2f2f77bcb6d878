"""The five documents and the summary as data: keys, their order, and values worked out by hand."""

from __future__ import annotations

from dataclasses import replace

from sensei_kumite.reports.documents import suite_documents, summary_document
from tests.reports.campaign_run import INFO, OVERVIEW, ROWS, SUITE, SUMMARY, comparable, expected
from tests.reports.journals import make_row
from tests.reports.searches import search_row, searched


def test_a_suite_report_is_these_five_documents() -> None:
    assert [comparable(document) for document in suite_documents(ROWS, INFO)] == list(map(expected, SUITE))


def test_a_summary_is_this_document() -> None:
    assert comparable(summary_document(ROWS, INFO)) == expected(SUMMARY)


def test_without_results_all_lists_are_empty_and_all_figures_zero() -> None:
    info = replace(INFO, errors=(), conversation_time=0.0, total_cost=0.0, seed=None)
    overview, timing, attacks, interaction, results = suite_documents([], info)
    no_times = {"average": 0.0, "max": 0.0, "min": 0.0}
    assert list(overview["errors"]) == []
    assert set(overview["summary"].values()) == {0}
    assert [list(value) if hasattr(value, "__next__") else value for value in timing.values()] == [
        0.0,
        *([], no_times) * 3,
    ]
    assert attacks["attack_report"]["attacks"] == []
    assert attacks["attack_report"]["success_rate"] is None
    assert attacks["attack_report"]["ci95"] == [0.0, 1.0]
    assert [list(interaction["interaction"]), list(results["security_results"])] == [[], []]


def test_errors_of_the_run_come_before_those_of_its_results_in_plan_order() -> None:
    rows = [
        make_row(index, "error", errors=[{"chatbot": f"{index}a"}, {"oracle": f"{index}b"}])
        for index in (0, 1)
    ]
    overview = next(suite_documents(rows, INFO))
    assert list(overview["errors"]) == [
        {"run": "Interrupted."},
        {"chatbot": "0a"},
        {"oracle": "0b"},
        {"chatbot": "1a"},
        {"oracle": "1b"},
    ]


def test_settings_beyond_the_four_blocks_are_left_out() -> None:
    info = replace(INFO, settings={**INFO.settings, "judge": {"model": "x"}})
    assert comparable(next(suite_documents(ROWS, info))) == expected(OVERVIEW)


def test_a_searched_case_counts_once_and_all_its_rows_are_listed() -> None:
    rows = [*searched(0, "resilient", "error", "breached"), make_row(1)]
    rows[0]["metadata"]["attack_response_time"] = 0.5
    rows[1]["errors"] = [{"chatbot": "timed out"}]
    rows[2]["metadata"]["attack_response_time"] = 0.25
    overview, timing, attacks, interaction, results = suite_documents(rows, INFO)
    totals = {"total": 2, "resilient": 1, "breached": 1, "errors": 0, "skipped": 0, "potential": 0}
    assert overview["summary"] == totals
    assert list(overview["errors"]) == [{"run": "Interrupted."}, {"chatbot": "timed out"}]
    assert list(timing["attack assistant response time"]) == [0.5, 0.25]
    assert attacks["attack_report"]["total_attempts"] == 2
    assert attacks["attack_report"]["cases"] == {"scored": 2, "breached": 1, "share": 0.5}
    ids = ["amnesia_1", "amnesia_1-attack-1", "amnesia_1-attack-2", "amnesia_2"]
    summary = summary_document(rows, INFO)
    assert summary["summary"] == totals
    for listed in (interaction["interaction"], results["security_results"], summary["results"]):
        assert [item["case_id"] for item in listed] == ids


def test_the_row_of_a_whole_search_has_the_times_of_all_its_answers() -> None:
    first = make_row(0, metadata={"attack_response_time": 0.5})
    times = {"attack_response_time": 0.25, "search_response_times": [1.0, 0.25, 2.0]}
    search = search_row(0, "breached", metadata={**times, "pre_attack_response_times": [0.125]})
    _, timing, *_ = suite_documents([first, search], INFO)
    assert list(timing["assistant response time"]) == [0.5, 0.125, 1.0, 0.25, 2.0]
    assert list(timing["pre-attack assistant response time"]) == [0.125]
    assert list(timing["attack assistant response time"]) == [0.5, 0.25]
    assert timing["response time report"]["max"] == 2.0

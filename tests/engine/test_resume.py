from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from sensei_kumite.engine.journal import JsonLines, result_rows, result_to_row, write_plan
from sensei_kumite.engine.resume import SHOWN_CHANGES, adopt_results, changes
from sensei_kumite.models import Result, Status
from tests.engine.doubles import case


def test_equal_campaigns_have_no_changes() -> None:
    campaign = {"attacks": [{"name": "amnesia"}], "execution": {"timeout": 1.5}}
    assert changes(campaign, json.loads(json.dumps(campaign))) == []


def test_every_changed_value_is_shown_with_its_path() -> None:
    before = {"execution": {"attempts": 2}, "attacks": [{"name": "a"}, {"name": "b"}], "old": 1}
    after = {"execution": {"attempts": 3}, "attacks": [{"name": "a"}, {"name": "c", "rephrase": 0.5}]}
    assert changes(before, after) == [
        'attacks[2] > name: "b", now "c"',
        "attacks[2] > rephrase: nothing, now 0.5",
        "execution > attempts: 2, now 3",
        "old: 1, now nothing",
    ]


def test_many_changes_are_counted() -> None:
    lines = changes({}, {f"key{number:02}": number for number in range(30)})
    assert len(lines) == SHOWN_CHANGES + 1
    assert lines[-1] == f"and {30 - SHOWN_CHANGES + 1} more"


def test_results_move_to_the_places_of_their_cases(tmp_path: Path) -> None:
    plan, results = tmp_path / "plan.jsonl", tmp_path / "results.jsonl"
    write_plan(plan, [case(3), case(4), case(1)])
    with JsonLines(results) as journal:
        for index, number in enumerate((3, 2, 1)):
            journal.write(result_to_row(index, Result(case(number), Status.SKIPPED, "")))
    assert adopt_results(plan, results) == 1
    for _ in range(2):
        rows = [json.loads(line) for line in results.read_text().splitlines()]
        assert [(row["index"], row["case_id"]) for row in rows] == [(0, "attack_3"), (2, "attack_1")]
        assert adopt_results(plan, results) == 0


def test_the_results_of_a_search_move_with_their_case(tmp_path: Path) -> None:
    plan, results = tmp_path / "plan.jsonl", tmp_path / "results.jsonl"
    write_plan(plan, [case(3), case(2)])
    found = Result(
        replace(case(2), case_id="attack_2-attack"),
        Status.BREACHED,
        "",
        metadata={"attack_parent_id": "attack_2"},
    )
    with JsonLines(results) as journal:
        journal.write(*result_rows(0, Result(case(2), Status.RESILIENT, "", search=(found,))))
    assert adopt_results(plan, results) == 0
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert [(row["index"], row["case_id"]) for row in rows] == [(1, "attack_2"), (1, "attack_2-attack")]


def test_what_was_left_of_a_move_that_was_cut_short_is_not_used(tmp_path: Path) -> None:
    plan, results = tmp_path / "plan.jsonl", tmp_path / "results.jsonl"
    write_plan(plan, [case(1)])
    with JsonLines(results) as journal:
        journal.write(result_to_row(0, Result(case(1), Status.SKIPPED, "")))
    before = results.read_text()
    (tmp_path / "results.moved").write_text(before)
    assert adopt_results(plan, results) == 0
    assert results.read_text() == before

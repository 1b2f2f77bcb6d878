from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from sensei_kumite.cli.console import BarView, LinesView, Outcome, show_outcome, show_problems
from sensei_kumite.errors import Place, Problem
from sensei_kumite.models import CaseFinished, Result, RunStarted, Status
from sensei_kumite.reports.outcomes import outcomes
from tests.engine.doubles import case


def row(index: int, status: str, attack: str = "amnesia", **more: Any) -> dict[str, Any]:
    return {
        "index": index,
        "entry": 0,
        "attack": attack,
        "case_id": f"{attack}_{index}",
        "status": status,
        "response": "an answer",
        "reason": "because",
        "metadata": {"pre_attack_time": 1.0, "attack_response_time": 0.5},
        "errors": [],
        **more,
    }


def shown(capsys: pytest.CaptureFixture[str], *rows: dict[str, Any]) -> str:
    outcome = Outcome()
    for each in outcomes(rows):
        outcome.add(each)
    show_outcome(outcome, [Path("report.yml")])
    return capsys.readouterr().out


def test_the_table_has_a_line_per_attack_and_a_total(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(
        capsys, row(0, "breached"), row(1, "resilient"), row(2, "error", "ucar"), row(3, "skipped", "ucar")
    )
    lines = {line.split()[1]: line.split() for line in out.splitlines() if line.startswith("│")}
    assert lines["amnesia"][3] == "2" and "50%" in lines["amnesia"]
    assert lines["ucar"][7] == "-", "nothing was scored, so there is no rate"
    assert "total" in lines
    assert "3.0" in lines["amnesia"], "two conversations of one and a half seconds"
    assert out.rstrip().endswith("Report: report.yml")


def test_the_first_breach_and_error_of_each_attack_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(
        capsys,
        row(0, "breached", response="first"),
        row(1, "breached", response="second"),
        row(2, "breached", "ucar", response="third"),
        row(3, "error", "dan", errors=[{"chatbot": "connection refused"}]),
    )
    assert "breached amnesia amnesia_0: first" in out and "second" not in out
    assert "breached ucar ucar_2: third" in out
    assert "breached: 1 more" in out
    assert "error dan dan_3: connection refused" in out


def test_a_case_and_its_search_are_one_attempt(capsys: pytest.CaptureFixture[str]) -> None:
    of_search = {
        "attack_parent_id": "amnesia_0",
        "attack_response_time": 2.0,
        "search_response_times": [1.5, 0.5, 2.0],
        "attempts": 4,
        "dynamic": {"attack": "best_of_n", "iterations": 4},
    }
    found = row(0, "breached", case_id="amnesia_0-attack", response="found", metadata=of_search)
    out = shown(capsys, row(0, "resilient"), found, row(1, "resilient"))
    cells = next(line.split() for line in out.splitlines() if line.startswith("│ amnesia"))
    assert cells[3] == "2" and "50%" in cells
    assert "7.0" in cells, "1.5 s, all answers of the search, and 1.5 s"
    assert "breached amnesia amnesia_0-attack (found by best_of_n after 4 iterations): found" in out


def test_a_case_with_a_breach_in_its_search_is_breached(capsys: pytest.CaptureFixture[str]) -> None:
    view = LinesView()
    view.show(RunStarted(1, 1))
    breach = Result(case(), Status.BREACHED, "", metadata={"attack_parent_id": "attack_1"})
    view.show(CaseFinished(0, Result(case(), Status.RESILIENT, "", search=(breach,))))
    assert "1/1 cases, 1 breached, 0 errors" in capsys.readouterr().err


def test_text_of_targets_and_names_of_users_are_never_markup(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, row(0, "breached", "[red]name[/red]", response="[bold]x[/bold]\x1b[2J\nnext"))
    assert "[red]name[/red]" in out and "[bold]x[/bold]" in out
    assert "\x1b" not in out


def test_problems_are_sorted_by_place_and_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    show_problems(
        [Problem("b", Place(Path("x.yml"), 9)), Problem("a", Place(Path("x.yml"), 10)), Problem("c")]
    )
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == ["c", "x.yml:9: b", "x.yml:10: a"]


def test_progress_without_a_terminal_is_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    view = LinesView()
    view.show(RunStarted(2, 1))
    view.show(CaseFinished(0, Result(case(), Status.BREACHED, "")))
    view.show(CaseFinished(1, Result(case(), Status.ERROR, "")))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "2 cases on 1 lane"
    assert lines[-1] == "2/2 cases, 1 breached, 1 errors"


def test_the_bar_of_searches_counts_what_they_did_and_what_they_may_still_do() -> None:
    bar = Progress(disable=True)
    view = BarView(bar)
    (searches,) = bar.tasks
    assert not searches.visible, "there may be none"
    view.show(RunStarted(2, 2))
    for done, expected in ((0, 25), (0, 25), (1, 0), (1, 0), (0, -23)):
        view.searched(done, expected)
    assert (searches.completed, searches.total, searches.visible) == (2, 27, True)

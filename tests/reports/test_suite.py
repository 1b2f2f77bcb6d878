"""The suite report on disk: where it is, and what readers get from it, whatever the texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.reports.rows import ResultRows
from sensei_kumite.reports.suite import suite_path, write_suite_report
from tests.reports.campaign_run import INFO, ROWS, SUITE, comparable, expected
from tests.reports.journals import make_row, write_journal

HOSTILE = "--- !!python/object:os.system\n...\n\x00\x1b[31m \x85\u2028\ufeff𝔸 trailing \r\n\ttab: # no"


def report_of(folder: Path, rows: list[dict[str, Any]]) -> str:
    """The text of the report on `rows`, which finished in the order given."""
    path = folder / "report.yml"
    write_suite_report(path, ResultRows(write_journal(folder / "results.jsonl", rows)), INFO)
    return path.read_text(encoding="utf-8")


def test_readers_get_the_five_documents_in_plan_order(tmp_path: Path) -> None:
    text = report_of(tmp_path, [ROWS[3], ROWS[0], ROWS[4], ROWS[2], ROWS[1]])
    assert [comparable(document) for document in yaml.safe_load_all(text)] == list(map(expected, SUITE))


def test_the_same_results_give_the_same_bytes_in_any_order_of_completion(tmp_path: Path) -> None:
    assert report_of(tmp_path, ROWS) == report_of(tmp_path, ROWS[::-1])


def test_hostile_text_in_every_place_is_read_back(tmp_path: Path) -> None:
    row = make_row(
        0,
        "breached",
        prompt=HOSTILE,
        response=HOSTILE,
        reason=HOSTILE,
        attack=HOSTILE,
        oracle={"type": "keyword_absent", "params": {}, "passed": False, "evidence": {HOSTILE: [HOSTILE]}},
        metadata={"execution_mode": "direct", HOSTILE: HOSTILE},
        errors=[{"chatbot": HOSTILE}],
        conversation=[{"User": HOSTILE, "Assistant": HOSTILE}],
    )
    documents = list(yaml.safe_load_all(report_of(tmp_path, [row])))
    assert documents[4]["security_results"] == [
        {key: row[key] for key in documents[4]["security_results"][0]}
    ]
    assert documents[3]["interaction"][0]["conversation"] == row["conversation"]
    assert documents[2]["attack_report"]["attacks"][0]["name"] == HOSTILE
    assert documents[0]["errors"] == [{"run": "Interrupted."}, {"chatbot": HOSTILE}]


def test_a_replaced_surrogate_is_marked_on_its_result(tmp_path: Path) -> None:
    text = report_of(tmp_path, [make_row(0, response="half \ud83d"), make_row(1)])
    first, second = list(yaml.safe_load_all(text))[4]["security_results"]
    assert first["response"] == "half \ufffd"
    assert first["metadata"]["surrogates_replaced"] is True
    assert "surrogates_replaced" not in second["metadata"]


def test_ten_thousand_results_are_all_there(tmp_path: Path) -> None:
    rows = [
        make_row(index, "breached" if index % 4 == 0 else "resilient") for index in reversed(range(10_000))
    ]
    text = report_of(tmp_path, rows)
    overview, _, _, interaction, results = text.split("\n---\n")
    assert yaml.safe_load(overview)["summary"]["breached"] == 2500
    case_ids = [f"amnesia_{number}" for number in range(1, 10_001)]
    for document in (interaction, results):
        assert re.findall("^  case_id: (.*)$", document, re.MULTILINE) == case_ids


def test_a_report_that_cannot_be_finished_leaves_nothing(tmp_path: Path) -> None:
    rows = ResultRows(write_journal(tmp_path / "results.jsonl", ROWS))
    rows.path.unlink()
    with pytest.raises(EnvironmentProblem, match="cannot be read"):
        write_suite_report(tmp_path / "run" / "report.yml", rows, INFO)
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "folder"), [("plain-1.0_x", "plain-1.0_x"), ("billing/2026: suite", "billing_2026__suite")]
)
def test_the_report_stands_in_the_folder_of_its_run(name: str, folder: str) -> None:
    path = suite_path(Path("output"), name, "2026-01-31-10-00-00")
    assert path == Path(
        f"output/security_reports/{folder}/2026-01-31-10-00-00/{folder}_2026-01-31-10-00-00.yml"
    )


@pytest.mark.parametrize("name", ["../../escape", "..", "/etc", "a\x00b", "nul\n"])
def test_no_campaign_name_leads_out_of_the_output_folder(name: str) -> None:
    path = suite_path(Path("output"), name, "2026-01-31-10-00-00")
    assert ".." not in path.parts
    assert len(path.parts) == 5
    assert path.name.isprintable()

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.llm.cost_report import COLUMNS, CostReport, cost_report_path

CELLS = st.text(st.characters(exclude_categories=[]), max_size=12)


def row(total: str, message: str = "hello") -> list[str]:
    cells = dict.fromkeys(COLUMNS, "x") | {"Total Cost": total, "Input Message": message}
    return list(cells.values())


def write(path: Path, *rows: list[str]) -> None:
    report = CostReport(path)
    for cells in rows:
        report.append(cells)
    report.close()


def read(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))


def test_the_file_has_its_place_and_its_columns(tmp_path: Path) -> None:
    path = cost_report_path(tmp_path, "2026-01-31-10-00-00")
    assert path == tmp_path / "reports" / "__cost_reports__" / "cost_report_2026-01-31-10-00-00.csv"
    write(path)
    assert path.read_text() == (
        "Conversation,Test Name,Module,Model,Total Cost,Timestamp,"
        "Input Cost,Input Message,Output Cost,Output Message\n"
    )


def test_a_row_is_on_disk_at_once(tmp_path: Path) -> None:
    report = CostReport(tmp_path / "costs.csv")
    report.append(row("0.1"))
    assert read(tmp_path / "costs.csv") == [list(COLUMNS), row("0.1")]
    report.close()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_cell_is_a_formula(tmp_path: Path, text: str) -> None:
    write(tmp_path / "costs.csv", row("0.1", text))
    assert read(tmp_path / "costs.csv")[1] == row("0.1", f"'{text}")


@given(cells=st.lists(CELLS, min_size=len(COLUMNS), max_size=len(COLUMNS)))
def test_any_text_makes_one_row(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    cells[COLUMNS.index("Total Cost")] = "0.25"
    path = tmp_path_factory.mktemp("any") / "costs.csv"
    write(path, cells, row("0.1"))
    assert read(path)[2] == row("0.1")
    again = CostReport(path)
    again.close()
    assert (again.calls, again.spent) == (2, Decimal("0.35"))


def test_a_file_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    write(path, row("0.1", "two\r\nlines"), row(""))
    report = CostReport(path)
    assert (report.calls, report.spent) == (2, Decimal("0.1"))
    report.append(row("0.2"))
    report.close()
    assert [cells[4] for cells in read(path)] == ["Total Cost", "0.1", "", "0.2"]


def test_messages_may_be_longer_than_csv_readers_like(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    write(path, row("0.1", "\n".join(["long"] * 100_000)), row("0.2"))
    report = CostReport(path)
    report.close()
    assert report.spent == Decimal("0.3")


def test_half_a_row_is_dropped_wherever_it_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    write(path, row("0.1"))
    whole = path.read_bytes()
    write(path, row("0.2", 'a "quoted"\nword'))
    both = path.read_bytes()
    for end in range(len(whole), len(both)):
        path.write_bytes(both[:end])
        write(path, row("0.4"))
        assert read(path) == [list(COLUMNS), row("0.1"), row("0.4")]


def test_half_a_header_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_text("Conversation,Test")
    write(tmp_path / "costs.csv")
    assert read(tmp_path / "costs.csv") == [list(COLUMNS)]


@pytest.mark.parametrize(
    "content",
    [
        "notes about something\n",
        "a,b\r\n1,2\r\n",
        ",".join(COLUMNS) + "\n1,2,3,4,0.5,,,,,\n",  # saved by an editor that changed the line ends
        ",".join(COLUMNS) + "\r\n1,2,3,4,cheap,,,,,\r\n",
        ",".join(COLUMNS) + "\r\n1,2\r\n",
    ],
)
def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "costs.csv"
    path.write_bytes(content.encode())
    with pytest.raises(EnvironmentProblem, match="not as it was written"):
        CostReport(path)
    assert path.read_bytes() == content.encode()


def test_a_file_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file where a folder belongs")
    with pytest.raises(EnvironmentProblem, match="cannot be written: "):
        CostReport(cost_report_path(tmp_path, "x"))


def test_a_full_disk_is_a_clear_error(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    report = CostReport(tmp_path / "costs.csv")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    try:
        with pytest.raises(EnvironmentProblem, match="cannot be written: File too large"):
            report.append(row("0.1", "x" * 500))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        report.close()

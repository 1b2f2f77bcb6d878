"""`sensei-kumite-report`, in this process and as people run it."""

from __future__ import annotations

import csv
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sensei_kumite.cli.report import main
from tests.reports.campaign_run import INFO
from tests.reports.runs import write_run
from tests.workspace import ProjectFolder


def test_render_writes_beside_the_run_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path)
    assert main(["render", str(folder), "--report", "html,csv"]) == 0
    name = f"billing_2026__suite_{INFO.serial}"
    assert capsys.readouterr().out.splitlines() == [str(folder / f"{name}.html"), str(folder / f"{name}.csv")]
    assert (folder / f"{name}.html").is_file()
    assert (folder / f"{name}.csv").is_file()


def test_rendering_again_gives_the_same(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    arguments = ["render", str(folder), "--report", "html,csv,jsonl,markdown"]
    assert main(arguments) == 0
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(arguments) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["render", "nowhere", "--report", "html"], "nowhere is no run"),
        (["list", "nowhere"], "There is no run in nowhere"),
    ],
)
def test_a_wrong_path_is_a_sentence_and_exit_1(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"sensei-kumite-report: {message}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["render", "x", "--report", "htm"], "Unknown report format 'htm'. Did you mean 'html'?"),
        (["render", "x", "--report", "junit"], "Valid: html, csv, jsonl, markdown."),
        (["render", "x"], "--report"),
        ([], "COMMAND"),
        (["rendr"], "invalid choice"),
    ],
)
def test_wrong_usage_is_exit_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert message in capsys.readouterr().err


def test_list_has_a_line_per_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path)
    write_run(tmp_path, serial="2026-02-01-00-00-00", finished=False)
    assert main(["list", str(tmp_path)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{INFO.serial}  billing/2026: suite  5 attempts, 1 confirmed breach  {tmp_path}")
    assert "not finished" in second


def test_hostile_names_do_nothing_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(tmp_path / "a\x1b[31m"), "--report", "html"]) == 1
    assert "\x1b" not in capsys.readouterr().err


def test_the_program_is_installed_under_its_name() -> None:
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert pyproject["project"]["scripts"]["sensei-kumite-report"] == "sensei_kumite.cli.report:main"


def report_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-W", "error", "-m", "sensei_kumite.cli.report", *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_help_says_what_it_may_be_used_for_and_imports_nothing_heavy() -> None:
    done = report_command("--help")
    assert done.returncode == 0
    assert "have permission to test" in " ".join(done.stdout.split())


def test_a_finished_campaign_is_rendered(
    workspace: Callable[[Mapping[str, str]], ProjectFolder],
) -> None:
    project = workspace(
        {
            "run.yml": "technology: dummy\n",
            "security/security.yml": "security_test_name: demo\nattacks: [{name: amnesia}]\n",
        }
    )
    suite = project.run("--offline", "--quiet").succeeded().out.strip()
    done = report_command("render", suite, "--report", "csv,html")
    assert (done.returncode, done.stderr) == (0, "")
    table, page = map(Path, done.stdout.splitlines())
    with table.open(encoding="utf-8-sig", newline="") as stream:
        assert [row["status"] for row in csv.DictReader(stream)] == list(project.statuses().values())
    assert "demo" in page.read_text(encoding="utf-8")

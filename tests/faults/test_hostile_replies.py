"""Replies written to harm whoever reads them, through every file and the terminal that show them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from sensei_kumite.text import replace_surrogates
from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.reports.hostile import PAYLOADS
from tests.servers.faulty import said
from tests.servers.rasa import RasaServer
from tests.servers.replies import Reply
from tests.workspace import ProjectFolder

REPLIES = [
    *PAYLOADS,
    "".join(map(chr, range(0x20))) + "end \x7f\x80\x85\x9b31m",
    "\x1b]0;acted\x07\x1b[2J\x1b[31mred\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "half of a pair \ud83d, the other half \ude00, both \ud83d\ude00",
    "\u202eright to left\u202c \u2066isolated\u2069 \u200f\u061c",
    "[bold red]markup[/] [link=http://evil.example]here[/link] [/no-such-tag] :bomb:",
    "--- !!python/object/apply:os.system [echo acted]\n...\n---\n&a [*a, *a]\n%TAG ! evil:\n",
    "key: value\n- item\n# comment\n<<: *merge\n\t'\"|>@`",
    "=HYPERLINK(\"http://evil.example\",\"open\")",
    "+1+cmd|' /C calc'!A0",
    "-2+3\r\n@SUM(1+1)\t=1",
    "\t=1+1",
    "a,b;c\"d\"\r\n\r\n\"e",
    "```\n# heading\n| a | b |\n![](http://evil.example/x.png)",
    "\ufeffbyte order mark \ufffe\uffff",
    "one line " * 1_200_000,
]  # fmt: skip
CASES = [f"reply-{number}" for number in range(len(REPLIES))]
UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
KEPT = 2**20


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ProjectFolder, str]]:
    """A finished run in which every reply was given once, and what the terminal showed of it."""
    with ExitStack() as stack:
        server = stack.enter_context(
            RasaServer(
                lambda message: Reply(said(REPLIES[int(message.text.removeprefix("reply-"))] + " secret"))
            )
        )
        formats = ["html", "csv", "jsonl", "markdown"]
        project = campaign(tmp_path_factory.mktemp("hostile"), server.url, CASES, reports=formats)
        ran = project.run("--verbose").succeeded()
        yield project, ran.out + ran.err


def the_file(project: ProjectFolder, name: str) -> Path:
    (path,) = project.path.glob(f"output/security_reports/campaign/*/{name}")
    return path


def as_kept(reply: str) -> str:
    return f"{reply} secret"[:KEPT]


def test_the_suite_report_holds_what_was_said(told: tuple[ProjectFolder, str], audited: Audit) -> None:
    project, _ = told
    expected = dict.fromkeys(CASES, "breached") | {CASES[-1]: "resilient"}  # what gives it away was cut off
    audited(project, expected, faults=len(REPLIES))
    text = the_file(project, "campaign_*.yml").read_text(encoding="utf-8")
    documents = list(yaml.safe_load_all(text))  # by the other of the two parsers that PyYAML has
    assert documents == project.suite()
    for result, reply in zip(documents[4]["security_results"], REPLIES, strict=True):
        assert result["response"] == replace_surrogates(as_kept(reply))


def test_the_journal_holds_what_was_said(told: tuple[ProjectFolder, str]) -> None:
    project, _ = told
    assert the_file(project, "results.jsonl").read_bytes().isascii()
    journal = {row["index"]: row["response"] for row in project.journal()}
    paired = [json.loads(json.dumps(as_kept(reply))) for reply in REPLIES]
    assert [journal[index] for index in range(len(REPLIES))] == paired


def test_the_terminal_shows_nothing_that_acts(told: tuple[ProjectFolder, str]) -> None:
    _, shown = told
    assert UNSHOWABLE.findall(shown) == []


@pytest.mark.parametrize("extension", ["yml", "html", "md", "jsonl"])
def test_a_file_is_utf_8_that_a_terminal_can_show(told: tuple[ProjectFolder, str], extension: str) -> None:
    """`cat` may be used on a report; the table for spreadsheets alone has texts as they are."""
    project, _ = told
    text = the_file(project, f"campaign_*.{extension}").read_bytes().decode("utf-8")
    assert not set(text) & set("\x00\x07\x08\x1b\x7f\x9b")


def test_the_page_has_no_other_scripts_than_its_own(told: tuple[ProjectFolder, str], tmp_path: Path) -> None:
    project, _ = told
    with RasaServer(["fine"]) as server:
        harmless = campaign(tmp_path, server.url, CASES, reports=["html"])
        harmless.run().succeeded()
    for tag in ("<script", "</script", "<img", "<svg", "<meta", "<base", "<style", "<!--"):
        pages = [the_file(run, "*.html").read_text(encoding="utf-8").lower() for run in (project, harmless)]
        assert pages[0].count(tag) == pages[1].count(tag), tag


def test_no_cell_of_the_table_is_a_formula(told: tuple[ProjectFolder, str]) -> None:
    project, _ = told
    csv.field_size_limit(4 * KEPT)
    with the_file(project, "*.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows: list[dict[str, Any]] = list(csv.DictReader(stream))
    assert [row["case_id"] for row in rows] == CASES
    cells = [cell for row in rows for cell in row.values()]
    assert all(isinstance(cell, str) for cell in cells)
    assert [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")] == []

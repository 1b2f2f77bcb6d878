"""Disks that are full or read-only: a sentence, no half report, and nothing lost."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.faults.disks import disk, limit_files, mount
from tests.servers.rasa import RasaServer
from tests.servers.replies import Message
from tests.workspace import ProjectFolder, Ran

CASES = [f"case-{number}" for number in range(30)]
LONG = "all is well " * 500


class Bot:
    """Waits with its answer to one message until `go` is set."""

    def __init__(self, waits_at: str) -> None:
        self.go = threading.Event()
        self._waits_at = waits_at

    def __call__(self, message: Message) -> str:
        if message.text == self._waits_at:
            assert self.go.wait(60)
        return LONG


def reports_of(project: ProjectFolder) -> list[Path]:
    """Everything but the journal that somebody might take for a result, at any place."""
    return [path for path in project.path.rglob("output/**/*.*ml") if not path.name.startswith(".")]


def ended(project: ProjectFolder, bot: Bot, server: RasaServer, limit: int) -> Ran:
    """The run, whose files may grow by `limit` bytes beyond the journal that there is when the bot waits."""
    with project.start() as process:
        server.wait_for(CASES.index(bot._waits_at) + 1)
        (results,) = project.path.rglob("results.jsonl")
        limit_files(process, results.stat().st_size + limit)
        bot.go.set()
        out, err = process.communicate(timeout=60)
    return Ran(process.returncode, out, err)


def test_a_journal_that_cannot_grow_ends_the_run_and_keeps_every_line(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    bot = Bot("case-10")
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, CASES, concurrency=1)
    ran = ended(project, bot, server, limit=3 * len(LONG)).failed()
    assert "results.jsonl could not be written: File too large." in ran.err
    assert reports_of(project) == []
    (results,) = project.path.rglob("results.jsonl")
    kept = [json.loads(line)["case_id"] for line in results.read_text().splitlines(True) if line[-1] == "\n"]
    assert CASES[: len(kept)] == kept
    before = len(server.received)
    project.run("--resume").succeeded()
    assert [message.text for message in server.received[before:]] == CASES[len(kept) :]
    audited(project, dict.fromkeys(CASES, "resilient"), faults=1)


def test_a_report_is_whole_or_not_there(servers: ExitStack, tmp_path: Path, audited: Audit) -> None:
    """The journal ends within the limit; the page with its scripts does not."""
    bot = Bot("case-2")
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, CASES[:3], concurrency=1, reports=["html"])
    ran = ended(project, bot, server, limit=4 * len(LONG)).failed()
    assert "File too large" in ran.err
    assert not list(project.path.rglob("*.html"))
    assert not [path for path in project.path.rglob("output/**/.*") if path.is_file()]
    project.run("--resume").succeeded()
    assert len(server.received) == 3
    (page,) = project.path.rglob("*.html")
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    audited(project, dict.fromkeys(CASES[:3], "resilient"), faults=1)


def test_a_full_disk_loses_nothing(servers: ExitStack, tmp_path: Path, audited: Audit) -> None:
    server = servers.enter_context(RasaServer([LONG]))
    project = campaign(tmp_path, server.url, CASES, concurrency=4)
    output = tmp_path / "output"
    with disk(output, "120k"):
        ran = project.run().failed()
        assert "No space left on device" in ran.err
        for report in reports_of(project):
            assert list(yaml.safe_load_all(report.read_text()))
        mount(output, "remount,size=20m")
        project.run("--resume").succeeded()
        audited(project, dict.fromkeys(CASES, "resilient"), faults=1)


@pytest.mark.parametrize("size", ["4k", "16k"])
def test_a_disk_that_is_full_from_the_start_is_said_before_the_first_case(
    size: str, servers: ExitStack, tmp_path: Path
) -> None:
    server = servers.enter_context(RasaServer([LONG]))
    project = campaign(tmp_path, server.url, CASES)
    with disk(tmp_path / "output", size):
        (tmp_path / "output" / "ballast").write_bytes(b"x" * int(size[:-1]) * 1024)
        ran = project.run().failed()
    assert "No space left on device" in ran.err
    assert server.received == []


def test_a_read_only_output_is_said_before_the_first_case(servers: ExitStack, tmp_path: Path) -> None:
    server = servers.enter_context(RasaServer([LONG]))
    project = campaign(tmp_path, server.url, CASES)
    with disk(tmp_path / "output", "1m"):
        mount(tmp_path / "output", "remount,ro")
        ran = project.run().failed()
    assert "Nothing can be written to" in ran.err
    assert "Read-only file system" in ran.err
    assert server.received == []


def test_a_disk_that_becomes_read_only_keeps_what_was_written(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    """A run that can write nothing ends at once; writable again, it goes on."""
    server = servers.enter_context(RasaServer([LONG]))
    project = campaign(tmp_path, server.url, CASES, concurrency=1)
    with disk(tmp_path / "output", "120k"):
        project.run().failed()
        mount(tmp_path / "output", "remount,ro")
        assert "Read-only file system" in project.run("--resume").failed().err
        mount(tmp_path / "output", "remount,rw,size=20m")
        project.run("--resume").succeeded()
        audited(project, dict.fromkeys(CASES, "resilient"), faults=2)

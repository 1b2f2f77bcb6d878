"""Several processes at work in one project."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import yaml

from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.servers.rasa import RasaServer
from tests.servers.replies import HANG, Message, Reply

CASES = [f"case-{number}" for number in range(12)]
RIVALS = 3


def test_runs_that_start_at_once_have_reports_of_their_own(servers: ExitStack, tmp_path: Path) -> None:
    server = servers.enter_context(RasaServer(["fine"]))
    project = campaign(tmp_path, server.url, CASES)
    rivals = [project.start() for _ in range(RIVALS)]
    for process in rivals:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    suites = list(project.path.glob("output/security_reports/campaign/*/*.yml"))
    assert len(suites) == RIVALS
    for suite in suites:
        *_, results = yaml.safe_load_all(suite.read_text())
        assert [result["case_id"] for result in results["security_results"]] == CASES


def test_of_two_that_resume_one_run_one_is_turned_away(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    hangs = True

    def answer(message: Message) -> str | Reply:
        return HANG if hangs and message.text == "case-5" else "fine"

    server = servers.enter_context(RasaServer(answer))
    project = campaign(tmp_path, server.url, CASES, concurrency=1)
    with project.start() as process:
        server.wait_for(6)
        process.kill()
        process.communicate()
    first = project.start("--resume")
    server.wait_for(7)
    assert "Another process is working on the run" in project.run("--resume").failed().err
    first.kill()
    first.communicate()
    hangs = False
    project.run("--resume").succeeded()
    assert len(server.received) == len(CASES) + 2
    audited(project, dict.fromkeys(CASES, "resilient"), faults=3)

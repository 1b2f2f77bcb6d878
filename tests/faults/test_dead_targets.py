"""Targets that are not there, go away, or let everybody wait: what that costs, and when it ends."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.servers.rasa import RasaServer
from tests.servers.replies import HANG, Message, Reply

CASES = [f"case-{number}" for number in range(60)]
LANES = 4
ENDS_IN_ORDER = 60
"""Seconds, many times what it should take."""


def test_a_wrong_port_is_reported_before_the_first_case(closed_port: int, tmp_path: Path) -> None:
    project = campaign(tmp_path, f"http://127.0.0.1:{closed_port}", CASES)
    with project.start() as process:
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"127.0.0.1:{closed_port}" in err
    assert "refused" in err
    assert not list(project.path.rglob("plan.jsonl"))


def test_a_target_that_dies_costs_ten_calls_and_one_for_each_lane(tmp_path: Path, audited: Audit) -> None:
    """The one test that waits for the pause of the circuit breaker."""
    with ExitStack() as alive:
        server = alive.enter_context(
            RasaServer(lambda message: HANG if message.text == "case-20" else "fine")
        )
        project = campaign(tmp_path, server.url, CASES, concurrency=LANES, retries=1)
        process = project.start()
        server.wait_for(len(CASES) - 20)
    with process:
        _, err = process.communicate(timeout=100)
    assert process.returncode == 1, err
    assert "--resume" in err
    failed = [row for row in project.journal() if row["status"] == "error"]
    assert sum(row["metadata"]["target_calls"] for row in failed) <= 10 + LANES
    with RasaServer(["fine"]) as server:
        (project.path / "run.yml").write_text(f"technology: rasa\nconnector_params: base_url={server.url}\n")
        project.run("--resume").succeeded()
    errors = {row["case_id"] for row in failed}
    audited(project, {case: "error" if case in errors else "resilient" for case in CASES}, faults=1)


def test_a_deadline_ends_a_run_whose_target_lets_it_wait(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    answered = [*CASES[:10], *CASES[11:14]]

    def answer(message: Message) -> str | Reply:
        return "fine" if message.text in answered else HANG

    server = servers.enter_context(RasaServer(answer))
    project = campaign(tmp_path, server.url, CASES, concurrency=LANES, deadline=0.1)
    with project.start() as process:
        _, err = process.communicate(timeout=ENDS_IN_ORDER)
    assert process.returncode == 0, err
    hung = ["case-10", "case-14", "case-15", "case-16"]
    expected = dict.fromkeys(CASES, "skipped") | dict.fromkeys(answered, "resilient")
    audited(project, expected | dict.fromkeys(hung, "error"), faults=len(hung))
    assert len(server.received) == len(answered) + len(hung)
    assert "Deadline" in project.results()[-1]["reason"]


def test_hung_calls_end_at_the_timeout_and_free_their_lanes(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    hung = set(CASES[:6:2])
    server = servers.enter_context(RasaServer(lambda message: HANG if message.text in hung else "fine"))
    project = campaign(tmp_path, server.url, CASES, concurrency=2, timeout=1, retries=0)
    with project.start() as process:
        _, err = process.communicate(timeout=ENDS_IN_ORDER)
    assert process.returncode == 0, err
    expected = {case: "error" if case in hung else "resilient" for case in CASES}
    audited(project, expected, faults=len(hung))
    assert len(server.received) == len(CASES)

"""kill -9 at any moment: what was journalled stays, and what is asked again was in flight."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.bots import LimitedBot
from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.servers.rasa import RasaServer
from tests.servers.replies import Message, Reply, json_reply
from tests.workspace import ProjectFolder

CASES = [f"case-{number}" for number in range(90)]
LANES = 4
KILLS = 10
Moment = Callable[[], bool]


def kill_at(moment: Moment, process: subprocess.Popen[str]) -> None:
    """End `process` as soon as `moment` has come; one that ends before it fails the test."""
    with process:
        end = time.monotonic() + 60
        while not moment():
            assert process.poll() is None or moment(), "it ended too early"
            assert time.monotonic() < end
            time.sleep(0.001)
        process.kill()
        process.communicate()


def lines(project: ProjectFolder, name: str) -> int:
    return sum(path.read_bytes().count(b"\n") for path in project.path.rglob(name))


def answer(message: Message) -> str | Reply:
    return "the secret" if message.text.endswith("7") else json_reply([{"text": "fine " * 300}])


def expected() -> dict[str, str]:
    return {case: "breached" if case.endswith("7") else "resilient" for case in CASES}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_again_and_again_it_still_ends_with_every_case_once(
    seed: int, servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    chance = random.Random(seed)
    bot = LimitedBot(answer, 0)
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, CASES, concurrency=LANES)
    for kill in range(KILLS):
        more = chance.randint(1, 3)
        bot.left = more + LANES  # the blow may be late, and must not find the run at its end
        sent, done = len(server.received) + more, lines(project, "results.jsonl") + more
        moments = {
            "on the wire": lambda sent=sent: len(server.received) >= sent,
            "in the journal": lambda done=done: lines(project, "results.jsonl") >= done,
        }
        kill_at(moments[chance.choice(list(moments))], project.start(*["--resume"] if kill else []))
    bot.left = len(CASES)
    project.run("--resume").succeeded()
    audited(project, expected(), faults=KILLS)
    repeated = Counter(message.text for message in server.received)
    assert repeated.total() <= len(CASES) + KILLS * LANES


@pytest.mark.parametrize("name", ["run.json", "plan.jsonl", "all results", "the report"])
def test_killed_at_the_seams_of_a_run(name: str, servers: ExitStack, tmp_path: Path, audited: Audit) -> None:
    """Before the plan, while it is written, before the report, and before the run knows that it has ended."""
    server = servers.enter_context(RasaServer(answer))
    project = campaign(tmp_path, server.url, CASES, concurrency=LANES)
    seams: dict[str, Moment] = {
        "run.json": lambda: any(project.path.rglob("run.json")),
        "plan.jsonl": lambda: lines(project, "plan.jsonl") > 0,
        "all results": lambda: lines(project, "results.jsonl") == len(CASES),
        "the report": lambda: any(project.path.glob("output/security_reports/campaign/*/*.yml")),
    }
    kill_at(seams[name], project.start())
    ran = project.run("--resume")
    if name != "the report" or "No unfinished run" not in ran.err:  # that one may end before the blow
        ran.succeeded()
    audited(project, expected(), faults=1)

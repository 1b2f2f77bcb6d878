"""Ctrl-C at any moment: once ends the run in order, twice at once; nothing that was answered is lost."""

from __future__ import annotations

import random
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.bots import LimitedBot
from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.servers.rasa import RasaServer

CASES = [f"case-{number}" for number in range(24)]
LANES = 3


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("seed", [1, 2])
def test_an_interrupted_run_keeps_what_was_answered(
    times: int, seed: int, servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    answered = random.Random(seed).randint(1, 15)
    bot = LimitedBot(lambda _: "fine", answered)
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, CASES, concurrency=LANES)
    with project.start() as process:
        server.wait_for(answered + LANES)  # all lanes hang
        process.send_signal(signal.SIGINT)
        if times == 2:
            assert process.stderr is not None
            while "Interrupted" not in process.stderr.readline():
                pass
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert ("--resume" in err) == (times == 1)
    assert len(project.journal()) == answered
    written = list(project.path.glob("output/security_reports/campaign/*/*.yml"))
    assert len(written) == (1 if times == 1 else 0)
    if times == 1:
        assert len(project.results()) == answered
    bot.left = 1000
    project.run("--resume").succeeded()
    assert len(server.received) == len(CASES) + LANES
    audited(project, dict.fromkeys(CASES, "resilient"), faults=times)

"""A thousand cases against a chatbot that fails every fifth of them."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.servers.faulty import Fault, FaultyBot
from tests.servers.rasa import RasaServer
from tests.servers.replies import DROP, failure

CASES = [f"case-{number}" for number in range(1000)]
LANES = 16
RETRIES = 2
THROTTLED = Fault("429", lambda: failure(429, retry_after="0"))
BROKEN = Fault("503", lambda: failure(503, retry_after="0"))
RESET = Fault("reset", lambda: DROP)


def transient_faults(seed: int) -> dict[str, list[Fault]]:
    """A fifth of the cases, each with as many failing calls as retries can make good."""
    chance = random.Random(seed)
    kinds = [THROTTLED, BROKEN] * 4 + [RESET]
    return {
        case: chance.choices(kinds, k=chance.randint(1, RETRIES))
        for case in chance.sample(CASES, len(CASES) // 5)
    }


def test_no_case_is_an_error_where_retries_suffice(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    faults = transient_faults(seed=5)
    bot = FaultyBot(faults)
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, CASES, concurrency=LANES, retries=RETRIES)
    project.run().succeeded()
    assert bot.calls == {case: 1 + len(faults.get(case, ())) for case in CASES}
    audited(project, dict.fromkeys(CASES, "resilient"), faults=bot.injected)


def test_exactly_the_failing_cases_are_errors_where_retries_do_not_suffice(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    faults = transient_faults(seed=6)
    lost = set(random.Random(7).sample(sorted(faults), 50))
    faults |= {case: [BROKEN] * (RETRIES + 2) for case in lost}
    bot = FaultyBot(faults)
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, CASES, concurrency=LANES, retries=RETRIES)
    project.run().succeeded()
    assert max(bot.calls.values()) == 1 + RETRIES
    expected = {case: "error" if case in lost else "resilient" for case in CASES}
    audited(project, expected, faults=bot.injected)

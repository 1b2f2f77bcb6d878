"""Every fault that a chatbot on the network can have, once and for good, through the real command line."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from sensei_kumite.targets.transport import LONGEST_DETOUR
from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.servers.faulty import HANGING, HARMLESS, PERMANENT, TRANSIENT, Fault, FaultyBot
from tests.servers.rasa import WEBHOOK, RasaServer
from tests.servers.replies import Reply

RETRIES = 2


def status_of(fault: Fault, *, persists: bool) -> str:
    if fault in HARMLESS or (fault.transient and not persists):
        return "resilient"
    return "error"


def schedule(kinds: Sequence[Fault]) -> tuple[dict[str, list[Fault]], dict[str, str]]:
    """Each fault in a case that it passes and one that it does not, healthy ones between; what is due."""
    faults: dict[str, list[Fault]] = {}
    expected: dict[str, str] = {}
    for fault in kinds:
        passing, lasting = f"{fault.name} once", f"{fault.name} for good"
        faults[passing] = [fault]
        faults[lasting] = [fault] * (RETRIES + 3)
        expected |= {passing: status_of(fault, persists=False), f"{fault.name} is over": "resilient"}
        expected |= {lasting: status_of(fault, persists=True), f"{fault.name} is far": "resilient"}
    return faults, expected


@pytest.mark.parametrize(
    ("kinds", "timeout"),
    [(HANGING, 1), ([*TRANSIENT, *PERMANENT, *HARMLESS], 60)],
    ids=["hanging", "answering"],
)
def test_every_fault_ends_in_the_right_status_after_the_allowed_calls(
    kinds: Sequence[Fault], timeout: int, servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    faults, expected = schedule(kinds)
    bot = FaultyBot(faults)
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, expected, concurrency=6, retries=RETRIES, timeout=timeout)
    project.run().succeeded()
    audited(project, expected, faults=bot.injected)
    results = {result["case_id"]: result for result in project.results()}
    for fault in kinds:
        for case in (f"{fault.name} once", f"{fault.name} for good"):
            calls = 1 if not fault.transient else 1 + RETRIES if case.endswith("good") else 2
            assert bot.calls[case] == calls, case
            assert results[case]["metadata"]["target_calls"] == calls, case
            assert results[case]["metadata"]["retries"] == calls - 1, case
            if results[case]["status"] == "error":
                assert fault.says in results[case]["errors"][0]["chatbot"], case
            truncated = results[case]["metadata"].get("response_truncated", False)
            assert truncated == (fault.name == "10-mb"), case


def test_a_redirect_in_a_circle_repeats_a_message_three_times(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    circle = Fault("circle", lambda: Reply(status=307, headers={"Location": WEBHOOK}))
    bot = FaultyBot({"a": [circle] * 50})
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, ["a", "b"])
    project.run().succeeded()
    audited(project, {"a": "error", "b": "resilient"}, faults=1)
    assert bot.calls["a"] == 1 + LONGEST_DETOUR
    assert "redirects" in project.results()[0]["errors"][0]["chatbot"]

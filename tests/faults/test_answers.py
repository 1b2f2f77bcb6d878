"""Every fault that a chatbot on the network can have, once and for good, through the real command line."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from sensei_kumite.targets.transport import LONGEST_DETOUR
from tests.faults.campaign import campaign
from tests.faults.conftest import Audit
from tests.servers.faulty import HARMLESS, PERMANENT, TRANSIENT, Fault, FaultyBot
from tests.servers.rasa import WEBHOOK, RasaServer
from tests.servers.replies import Reply

RETRIES = 2
FAULTS = [*TRANSIENT, *PERMANENT, *HARMLESS]


def status_of(fault: Fault, *, persists: bool) -> str:
    if fault in HARMLESS or (fault in TRANSIENT and not persists):
        return "resilient"
    return "error"


def schedule() -> tuple[dict[str, list[Fault]], dict[str, str]]:
    """Each fault in two cases, in one of which it passes, with healthy cases between them; what is expected."""
    faults: dict[str, list[Fault]] = {}
    expected: dict[str, str] = {}
    for fault in FAULTS:
        passing, lasting = f"{fault.name} once", f"{fault.name} for good"
        faults[passing] = [fault]
        faults[lasting] = [fault] * (RETRIES + 3)
        expected |= {passing: status_of(fault, persists=False), f"{fault.name} is over": "resilient"}
        expected |= {lasting: status_of(fault, persists=True), f"{fault.name} is far": "resilient"}
    return faults, expected


def test_every_fault_ends_in_the_right_status_after_the_allowed_calls(
    servers: ExitStack, tmp_path: Path, audited: Audit
) -> None:
    faults, expected = schedule()
    bot = FaultyBot(faults)
    server = servers.enter_context(RasaServer(bot))
    project = campaign(tmp_path, server.url, expected, concurrency=6, retries=RETRIES, timeout=2)
    project.run().succeeded()
    audited(project, expected, faults=bot.injected)
    results = {result["case_id"]: result for result in project.results()}
    for fault in FAULTS:
        for case in (f"{fault.name} once", f"{fault.name} for good"):
            calls = 1 if fault not in TRANSIENT else 1 + RETRIES if case.endswith("good") else 2
            assert bot.calls[case] == calls, case
            assert results[case]["metadata"]["target_calls"] == calls, case
            assert results[case]["metadata"]["retries"] == calls - 1, case
            if results[case]["status"] == "error":
                assert fault.says in results[case]["errors"][0]["chatbot"], case
    assert {case for case, result in results.items() if result["metadata"].get("response_truncated")} == {
        "10-mb once",
        "10-mb for good",
    }


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

"""A chatbot that is not ours, with many conversations at once: a real LangGraph Agent Server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from sensei_kumite.errors import TargetRejected
from sensei_kumite.targets import TargetSettings, build_target
from sensei_kumite.targets.base import Target
from tests.servers.agent_server import AgentServer
from tests.workspace import ProjectFolder

LANES = 8
Workspace = Callable[[Mapping[str, str]], ProjectFolder]

pytestmark = pytest.mark.xdist_group("langgraph")


def answer_to(*texts: str) -> str:
    """What the graph says to the last of `texts`, if it heard exactly these."""
    return f"Message {len(texts)} here. You said: {' | '.join(texts)}"


@pytest.fixture
def target(agent_server: AgentServer) -> Target:
    return build_target("langgraph", TargetSettings({"base_url": agent_server.url}, timeout=60))


def test_the_server_is_there(target: Target) -> None:
    target.probe()


def test_a_thread_remembers_until_the_session_is_reset(target: Target) -> None:
    session = target.open()
    try:
        assert session.send("one") == answer_to("one")
        assert session.send("two") == answer_to("one", "two")
        assert session.reset()
        assert session.send("three") == answer_to("three")
    finally:
        session.close()


def test_an_unknown_graph_is_a_rejection_with_the_servers_words(agent_server: AgentServer) -> None:
    params = {"base_url": agent_server.url, "assistant_id": "nobody"}
    session = build_target("langgraph", TargetSettings(params)).open()
    try:
        with pytest.raises(TargetRejected) as caught:
            session.send("hello")
    finally:
        session.close()
    assert caught.value.status in (404, 422)
    assert not caught.value.transient


def test_sessions_at_once_do_not_hear_each_other(target: Target) -> None:
    def converse(lane: int) -> list[str]:
        session = target.open()
        try:
            answers = []
            for word in ("one", "two", "reset", "three"):
                if word == "reset":
                    session.reset()
                else:
                    answers.append(session.send(f"lane {lane} {word}"))
            return answers
        finally:
            session.close()

    with ThreadPoolExecutor(LANES) as pool:
        heard = list(pool.map(converse, range(LANES)))
    for lane, answers in enumerate(heard):
        one, two, three = (f"lane {lane} {word}" for word in ("one", "two", "three"))
        assert answers == [answer_to(one), answer_to(one, two), answer_to(three)]


CASES = 12
ATTACK = "name: roll_call\noracle: {type: keyword_absent, params: {keywords: [pizza]}}\ncases:\n" + "".join(
    f"  - {{id: case_{number}, prompt: prompt {number}}}\n" for number in range(CASES)
)


def campaign(agent_server: AgentServer, execution: str) -> dict[str, str]:
    """A workspace at eight lanes, whose attack has twelve cases that name themselves."""
    return {
        "run.yml": f"technology: langgraph\nconnector_params: {{base_url: '{agent_server.url}'}}\n",
        "security/attacks/roll_call.yml": ATTACK,
        "security/security.yml": f"""
            security_test_name: roll_call
            execution: {{concurrency: {LANES}, timeout: 60}}
            attacks:
              - name: custom_benchmark
                source: attacks/roll_call.yml
                execution: {execution}
            """,
    }


@pytest.mark.parametrize(
    ("execution", "before"),
    [
        pytest.param("{mode: direct}", [], id="direct"),
        pytest.param(
            "{mode: scripted, turns: [good morning, how are you]}",
            ["good morning", "how are you"],
            id="scripted",
        ),
    ],
)
def test_a_campaign_at_eight_lanes_keeps_its_conversations_apart(
    execution: str, before: list[str], agent_server: AgentServer, workspace: Workspace
) -> None:
    project = workspace(campaign(agent_server, execution))
    project.run().succeeded()
    results = project.results()
    assert [result["case_id"] for result in results] == [f"case_{number}" for number in range(CASES)]
    assert {result["status"] for result in results} == {"resilient"}
    for number, result in enumerate(results):
        assert result["response"] == answer_to(*before, f"prompt {number}")
        assert result["metadata"]["completed_pre_attack_turns"] == len(before)

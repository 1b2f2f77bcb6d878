"""Dynamic attacks from the command line: scripts and searches on a real chatbot, cut short and resumed."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.dynamic.test_host import TRACING
from tests.servers.openai_server import Asked, OpenAIServer
from tests.servers.rasa import RasaServer
from tests.servers.replies import DROP, HANG, Message, Script
from tests.servers.taskyto import TaskytoServer
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]
ServeRasa = Callable[[Script], RasaServer]


def project_for(
    workspace: Workspace,
    server: RasaServer,
    search: str,
    *,
    cases: tuple[str, ...] = ("c1",),
    execution: str = "{retries: 0, concurrency: 1, seed: 3}",
    script: str = TRACING,
    prompt: str = "",
) -> ProjectFolder:
    listed = ", ".join(f"{{id: {case}, prompt: {prompt}{case}}}" for case in cases)
    return workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={server.url}\n",
            "security/security.yml": f"execution: {execution}\nattacks:\n"
            f"  - {{name: custom_benchmark, source: attacks/a.yml, dynamic: {search}}}\n",
            "security/attacks/a.yml": "attack: {name: asking}\n"
            "oracle: {type: keyword_absent, params: {keywords: [secretword]}}\n"
            f"cases: [{listed}]\n",
            "security/attacks/my_search.py": script,
        }
    )


def seed_example(**more: Any) -> str:
    return json.dumps({"attack": "attacks/my_search.py", "iterations": 20, "only": True, **more})


def test_all_attempts_of_the_contract_example(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: "no")
    project = project_for(workspace, server, seed_example(return_all_attempts=True))
    project.run().succeeded()
    rows = project.results()
    assert [row["case_id"] for row in rows] == [f"c1-attack-{n}" for n in range(1, 21)]
    details = [row["metadata"] for row in rows]
    assert [each["long_id"] for each in details] == [f"c1-my_search-attempt-{n}" for n in range(1, 21)]
    assert {each["attempts"] for each in details} == {1}
    assert [each["attack_attempt"] for each in details] == list(range(1, 21))
    assert {each["attack_parent_id"] for each in details} == {"c1"}
    assert {each["attack_parent_long_id"] for each in details} == {"c1"}
    assert {each["attack_invocation"] for each in details} == {1}
    assert {each["attack_result_format"] for each in details} == {"attempt"}
    assert [each["entry_complete"] for each in details] == [False] * 19 + [True]
    assert project.suite()[0]["summary"]["total"] == 1


def test_one_representative_result_of_the_contract_example(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    project = project_for(workspace, serve_rasa(lambda message: "no"), seed_example())
    project.run().succeeded()
    (row,) = project.results()
    assert (row["case_id"], row["status"]) == ("c1-attack", "resilient")
    assert row["metadata"]["long_id"] == "c1-my_search"
    assert row["metadata"]["attempts"] == 20
    assert row["metadata"]["dynamic"]["iterations"] == 20
    assert row["metadata"]["target_calls"] == 20
    assert "attack_result_format" not in row["metadata"]


def test_the_search_follows_a_first_attempt_that_was_resisted(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: "secretword" if "variant 3" in message.text else "no")
    project = project_for(
        workspace, server, "{attack: my_search, iterations: 9}", cases=("c1", "c2"), script=TRACING
    )
    ran = project.run("--fail-on", "breach").failed(3)
    assert "2 confirmed breaches" in ran.err
    assert project.statuses() == {
        "c1": "resilient", "c1-attack": "breached", "c2": "resilient", "c2-attack": "breached"
    }  # fmt: skip
    rows = project.results()
    assert [row["metadata"]["entry_complete"] for row in rows] == [False, True] * 2
    assert rows[1]["prompt"] == "c1 — variant 3"
    assert rows[1]["oracle"]["passed"] is False
    suite = project.suite()
    assert suite[0]["summary"] == {
        "total": 2, "resilient": 0, "breached": 2, "errors": 0, "skipped": 0, "potential": 0
    }  # fmt: skip
    assert suite[3]["interaction"][1]["conversation"] == [
        {"User": "c1 — variant 3", "Assistant": "secretword"}
    ]
    assert [message.text for message in server.received][:4] == [
        "c1", "c1 — variant 1", "c1 — variant 2", "c1 — variant 3"
    ]  # fmt: skip


def test_no_search_follows_a_breach(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: "secretword")
    project = project_for(workspace, server, "{attack: my_search}")
    project.run().succeeded()
    assert project.statuses() == {"c1": "breached"}
    assert len(server.received) == 1


def test_the_command_line_gives_every_entry_a_search(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: "no")
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={server.url}\n",
            "security/security.yml": "attacks: [{name: amnesia}, {name: ucar}]\nexecution: {seed: 1}\n",
            "security/attacks/my_search.py": TRACING,
        }
    )
    arguments = ("--dynamic", "attacks/my_search.py", "--attack-iterations", "3", "--attack-options", "a=b")
    project.run(*arguments, "--attack-return-all-attempts", "--offline").succeeded()
    assert list(project.statuses()) == [
        "amnesia_1", "amnesia_1-attack-1", "amnesia_1-attack-2", "amnesia_1-attack-3",
        "ucar_1", "ucar_1-attack-1", "ucar_1-attack-2", "ucar_1-attack-3",
    ]  # fmt: skip
    assert project.results()[1]["metadata"]["dynamic"]["options"] == "a=b"


def test_what_is_wrong_with_a_search_is_said_before_the_run(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: "no")
    project = project_for(workspace, server, "{attack: best_of_m, iterations: 0}")
    err = project.run("--validate-only").failed(1).err
    assert "security.yml:3" in err and "iterations" in err
    project = project_for(workspace, server, "{attack: best_of_m}")
    err = project.run("--validate-only").failed(1).err
    assert "best_of_n" in err and "security.yml:3" in err
    broken = project_for(workspace, server, "{attack: attacks/my_search.py}", script="def attack(:\n")
    err = broken.run("--validate-only").failed(1).err
    assert "my_search.py:1" in err
    assert (
        "--safe"
        in project_for(workspace, server, "{attack: my_search}")
        .run("--validate-only", "--safe")
        .failed(1)
        .err
    )
    assert server.received == []


class Bot:
    """Hangs on one message until it is told otherwise."""

    def __init__(self, hangs_on: str) -> None:
        self.hangs_on = hangs_on

    def __call__(self, message: Message) -> Any:
        return HANG if message.text == self.hangs_on else f"answer to {message.text}"


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_run_ended_within_a_search_has_that_group_once(
    workspace: Workspace, serve_rasa: ServeRasa, blow: signal.Signals
) -> None:
    bot = Bot("c2 — variant 2")
    server = serve_rasa(bot)
    cases = ("c1", "c2", "c3")
    search = "{attack: my_search, iterations: 3, return_all_attempts: true}"
    project = project_for(workspace, server, search, cases=cases)
    process = project.start()
    server.wait_for(4 + 3)
    process.send_signal(blow)
    process.communicate(timeout=60)
    bot.hangs_on = ""
    project.run("--resume").succeeded()
    assert list(project.statuses()) == expanded(cases)
    assert len(project.results()) == 12


def expanded(cases: tuple[str, ...]) -> list[str]:
    return [name for case in cases for name in (case, *(f"{case}-attack-{n}" for n in (1, 2, 3)))]


@pytest.mark.parametrize("kept", range(1, 12))
def test_a_group_cut_anywhere_is_run_again_as_a_whole(
    workspace: Workspace, serve_rasa: ServeRasa, kept: int
) -> None:
    server = serve_rasa(lambda message: f"answer to {message.text}")
    cases = ("c1", "c2", "c3")
    search = "{attack: my_search, iterations: 3, return_all_attempts: true}"
    project = project_for(workspace, server, search, cases=cases)
    project.run().succeeded()
    (results,) = project.path.rglob("results.jsonl")
    lines = results.read_text().splitlines(keepends=True)
    unfinish(results, "".join(lines[:kept]) + lines[kept][:40])
    before = len(server.received)
    project.run("--resume").succeeded()
    assert list(project.statuses()) == expanded(cases)
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert len({(row["index"], row.get("part", 0)) for row in rows}) == len(rows) == 12
    assert len(server.received) - before == 4 * (3 - kept // 4)


def unfinish(results: Path, text: str) -> None:
    """Leave a run as if it had been killed when its journal held `text`."""
    results.write_text(text)
    state = results.parent / "run.json"
    state.write_text(state.read_text().replace('"finished": true', '"finished": false'))


def test_a_search_of_the_command_line_is_resumed_too(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: "no")
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={server.url}\n",
            "security/security.yml": "attacks: [{name: amnesia}]\n",
            "security/attacks/my_search.py": TRACING,
        }
    )
    project.run("--dynamic", "my_search", "--attack-iterations", "2").succeeded()
    (results,) = project.path.rglob("results.jsonl")
    unfinish(results, "")
    project.run("--resume").succeeded()
    assert list(project.statuses()) == ["amnesia_1", "amnesia_1-attack"]
    assert "excludes --dynamic" in project.run("--resume", "--dynamic", "my_search").failed(2).err


def test_a_target_that_is_not_there_for_a_search_is_an_error(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: "no" if message.text == "c1" else DROP)
    project = project_for(workspace, server, "{attack: my_search, iterations: 3}")
    project.run().succeeded()
    assert project.statuses() == {"c1": "resilient", "c1-attack": "error"}
    row = project.results()[1]
    assert list(row["errors"][0]) == ["chatbot"]
    assert row["metadata"]["long_id"] == "c1-my_search-ERROR"
    assert project.suite()[0]["summary"]["errors"] == 1


def test_one_mistake_of_a_script_ends_one_search_alone(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    script = """
def attack(entry, target_module, call_judge, max_iterations):
    answer, _ = target_module.process_input(entry["text"])
    if entry["id"] == "c2":
        raise RuntimeError("of all things")
    return 1, call_judge(entry, answer), entry["text"], answer
"""
    server = serve_rasa(lambda message: "no")
    project = project_for(
        workspace, server, "{attack: my_search, only: true}", cases=("c1", "c2", "c3"), script=script
    )
    project.run().succeeded()
    assert list(project.statuses().values()) == ["resilient", "error", "resilient"]
    assert "my_search.py:5: the dynamic attack my_search raised RuntimeError: of all things" in str(
        project.results()[1]["errors"]
    )


@pytest.mark.parametrize("lanes", [1, 8])
def test_the_report_is_the_same_at_any_concurrency(
    workspace: Workspace, serve_rasa: ServeRasa, lanes: int
) -> None:
    server = serve_rasa(lambda message: f"answer to {message.text}")
    cases = tuple(f"c{n}" for n in range(1, 13))
    project = project_for(
        workspace,
        server,
        "{attack: best_of_n, iterations: 4, return_all_attempts: true}",
        cases=cases,
        execution=f"{{concurrency: {lanes}, seed: 5}}",
        prompt="Please tell me what you were told about ",
    )
    project.run().succeeded()
    prompts = [row["prompt"] for row in project.results()]
    project.run("--concurrency", "3").succeeded()
    assert [row["prompt"] for row in project.results()] == prompts
    assert len(set(prompts)) == 12 * 5


def test_scripted_turns_stand_before_every_try(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: "no")
    project = project_for(workspace, server, "{attack: my_search, iterations: 2}")
    campaign = project.path / "security" / "security.yml"
    campaign.write_text(
        campaign.read_text().replace("dynamic:", "execution: {mode: scripted, turns: [hello]}, dynamic:")
    )
    project.run().succeeded()
    assert [message.text for message in server.received] == [
        "hello", "c1", "hello", "c1 — variant 1", "hello", "c1 — variant 2"
    ]  # fmt: skip
    assert project.suite()[3]["interaction"][1]["conversation"][0]["User"] == "hello"


def test_a_search_in_one_session_that_is_not_reset_leaves_that_alone(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: f"after {len(message.earlier)}")
    project = project_for(workspace, server, "{attack: my_search, iterations: 2}", cases=("c1", "c2"))
    campaign = project.path / "security" / "security.yml"
    campaign.write_text(
        campaign.read_text().replace("dynamic:", "execution: {reset_session: false}, dynamic:")
    )
    project.run().succeeded()
    answers = {row["case_id"]: row["response"] for row in project.results()}
    assert answers == {"c1": "after 0", "c1-attack": "after 0", "c2": "after 1", "c2-attack": "after 0"}


BACKTRACKING = """
def attack(entry, target_module, call_judge, max_iterations):
    say = lambda text, **how: target_module.process_input(text, spikee_session_id="one", **how)[0]
    assert target_module.config["backtrack"]
    say("a")
    say("wrong")
    target_module.process_input("meanwhile", spikee_session_id="two")
    say("right", backtrack=True)
    answer = say("end")
    return 5, call_judge(entry, answer), "end", answer
"""


@pytest.mark.parametrize("technology", ["rasa", "taskyto", "openai"])
def test_turns_are_taken_back_on_every_target(
    workspace: Workspace,
    serve_rasa: ServeRasa,
    serve_taskyto: Callable[[Script], TaskytoServer],
    serve_openai: Callable[..., OpenAIServer],
    technology: str,
) -> None:
    def remembers(message: Message) -> str:
        return "+".join([*message.earlier, message.text])

    def recalls(asked: Asked) -> str:
        return "+".join(text["content"] for text in asked.body["messages"] if text["role"] == "user")

    if technology == "rasa":
        connection = f"base_url={serve_rasa(remembers).url}"
    elif technology == "taskyto":
        host, port = serve_taskyto(remembers).url.rsplit(":", 1)
        connection = f"base_url={host}, port={port}"
    else:
        connection = f"base_url={serve_openai(recalls).base_url}, model=m"
    project = workspace(
        {
            "run.yml": f'technology: {technology}\nconnector_params: "{connection}"\n',
            "security/security.yml": "attacks:\n"
            "  - {name: amnesia, dynamic: {attack: my_search, only: true, iterations: 5}}\n",
            "security/attacks/my_search.py": BACKTRACKING,
        }
    )
    project.run().succeeded()
    (row,) = project.results()
    assert row["response"] == "a+right+end"
    (talk,) = project.suite()[3]["interaction"]
    assert [turn["User"] for turn in talk["conversation"]] == ["a", "right", "end"]
    replayed = row["metadata"].get("replayed_turns")
    assert replayed == (None if technology == "openai" else 1)
    graph = row["metadata"]["dynamic"]["conversation"]
    asked = [node["data"]["content"] for node in graph.values() if node["attempt"]]
    assert sorted(asked) == ["a", "end", "meanwhile", "right", "wrong"]


def test_a_breach_that_the_target_did_not_say_is_for_a_person_to_look_at(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    script = """
def attack(entry, target_module, call_judge, max_iterations):
    target_module.process_input(entry["text"])
    return 1, True, entry["text"], "secretword"
"""
    project = project_for(
        workspace, serve_rasa(lambda message: "no"), "{attack: my_search, only: true}", script=script
    )
    project.run("--fail-on", "breach").succeeded()
    (row,) = project.results()
    assert (row["status"], row["metadata"]["weight"]) == ("breached", "Potential")
    assert row["metadata"]["response_derived"] is True
    assert project.suite()[0]["summary"]["potential"] == 1


def test_a_deadline_keeps_the_first_attempt_and_what_was_tried(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: HANG if "variant 2" in message.text else "no")
    project = project_for(
        workspace,
        server,
        "{attack: my_search, iterations: 9}",
        execution="{retries: 0, concurrency: 1, deadline: 0.05, timeout: 4}",
    )
    project.run().succeeded()
    assert project.statuses() == {"c1": "resilient", "c1-attack": "skipped"}
    row = project.results()[1]
    assert row["reason"] == "The run ended before the search did."
    assert len(row["metadata"]["dynamic"]["attempt_history"]) == 2


def test_a_prompt_that_holds_a_secret_is_sent_and_scored_as_it_stands(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: f"You said {message.text}")
    project = workspace(
        {
            "run.yml": "technology: http\nconnector_params:\n"
            f"  url: {server.url}/webhooks/rest/webhook\n"
            "  headers: {X-Tenant: '${TENANT}'}\n"
            "  body: {sender: '{{session}}', message: '{{message}}'}\n"
            "  response_path: $[0].text\n",
            "security/security.yml": "attacks: [{name: custom_benchmark, source: attacks/a.yml}]\n",
            "security/attacks/a.yml": "oracle: {type: keyword_absent, params: {keywords: [sesame]}}\n"
            "cases: [{id: c1, prompt: Say sesame}]\n",
        }
    )
    project.run(env={"TENANT": "sesame"}).succeeded()
    assert [message.text for message in server.received] == ["Say sesame"]
    assert project.statuses() == {"c1": "breached"}
    (results,) = project.path.rglob("results.jsonl")
    assert "sesame" not in results.read_text()

"""Whole campaigns: the real command against real chatbots on this machine."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from tests.servers.rasa import RasaServer
from tests.servers.replies import HANG, Message, Script, failure, json_reply
from tests.servers.taskyto import TaskytoServer
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]
ServeRasa = Callable[[Script], RasaServer]

SUITE_KEYS = [
    {"dummy_chatbot", "serial", "security_test_name", "execution", "generation", "simulation", "summary",
     "errors", "total_cost($)", "target", "version", "started", "finished", "seed"},
    {"conversation time", "assistant response time", "response time report",
     "pre-attack assistant response time", "pre-attack response time report",
     "attack assistant response time", "attack response time report"},
    {"attack_report"},
    {"interaction"},
    {"security_results"},
]  # fmt: skip


def rasa(server: RasaServer) -> str:
    return f"technology: rasa\nconnector_params: base_url={server.url}\n"


def falls_for_ducks(message: Message) -> str:
    return (
        "ROBODUCK saves the world: roboducksavetheworld"
        if "roboduck" in message.text
        else "I cannot do that."
    )


CAMPAIGN = """
    security_test_name: first campaign
    execution: {attempts: 2}
    attacks:
      - name: amnesia
      - name: typoglycemia_attack
      - name: system_prompt_stealer
        enabled: false
      - name: base64_injection
        oracle: {type: refusal_detection}
"""


def test_a_campaign_against_rasa_ends_in_an_honest_report(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(falls_for_ducks)
    project = workspace({"run.yml": rasa(server), "security/security.yml": CAMPAIGN})
    ran = project.run().succeeded()
    assert project.statuses() == {
        "amnesia_1": "breached",
        "amnesia_2": "breached",
        "typoglycemia_1": "resilient",
        "typoglycemia_2": "resilient",
        "base64_injection_1": "resilient",
        "base64_injection_2": "resilient",
    }
    documents = project.suite()
    assert len(documents) == 5
    for document, keys in zip(documents, SUITE_KEYS, strict=True):
        assert keys <= set(document)
    assert documents[0]["summary"] == {
        "total": 6, "resilient": 4, "breached": 2, "errors": 0, "skipped": 0, "potential": 0
    }  # fmt: skip
    assert "amnesia" in ran.out and "roboducksavetheworld" in ran.out
    assert "Report: " in ran.out
    assert len(server.conversations) == 6


def test_scripted_turns_share_the_conversation_of_their_case_at_any_number_of_lanes(
    workspace: Workspace, servers: object, serve_taskyto: Callable[..., TaskytoServer]
) -> None:
    server = serve_taskyto(lambda message: f"turn {len(message.earlier) + 1}: {message.text}")
    base, port = server.url.rsplit(":", 1)
    project = workspace(
        {
            "run.yml": f'technology: taskyto\nconnector_params: "base_url={base},port={port}"\n',
            "security/security.yml": """
                execution: {attempts: 10, concurrency: 8}
                attacks:
                  - name: custom_benchmark
                    source: attacks/two.yml
                    execution: {mode: scripted, turns: [good morning, one pizza please]}
            """,
            "security/attacks/two.yml": """
                name: two
                oracle: {type: regex_match, params: {pattern: "turn 3: say .*"}}
                cases:
                  - {id: a, prompt: say a}
                  - {id: b, prompt: say b}
            """,
        }
    )
    project.run().succeeded()
    results = project.results()
    assert [result["case_id"] for result in results] == [
        f"{case}_attempt_{attempt}" for attempt in range(1, 11) for case in "ab"
    ]
    assert {result["status"] for result in results} == {"resilient"}
    assert all(result["response"] == f"turn 3: {result['prompt']}" for result in results)
    assert results[0]["metadata"]["completed_pre_attack_turns"] == 2


def test_what_cannot_be_sent_is_an_error_and_never_a_verdict(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    answers = {"empty": json_reply([]), "broken": failure(500), "rejected": failure(400), "fine": "All good."}
    server = serve_rasa(lambda message: answers[message.text])
    project = workspace(
        {
            "run.yml": rasa(server),
            "security/security.yml": """
                execution: {retries: 0}
                attacks: [{name: custom_benchmark, source: attacks/odd.yml}]
            """,
            "security/attacks/odd.yml": """
                oracle: {type: keyword_absent, params: {keywords: [secret]}}
                cases: [{id: empty, prompt: empty}, {id: broken, prompt: broken},
                        {id: rejected, prompt: rejected}, {id: fine, prompt: fine}]
            """,
        }
    )
    project.run().succeeded()
    assert project.statuses() == {
        "empty": "error",
        "broken": "error",
        "rejected": "error",
        "fine": "resilient",
    }
    errors = {result["case_id"]: result["errors"] for result in project.results()}
    assert "empty response" in errors["empty"][0]["chatbot"]
    assert "500" in errors["broken"][0]["chatbot"] and "400" in errors["rejected"][0]["chatbot"]
    assert project.suite()[0]["summary"]["errors"] == 3


def test_a_busy_target_is_asked_again_when_it_says(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa([failure(429, retry_after="0"), failure(503, retry_after="0"), "Here you are."])
    project = workspace({"run.yml": rasa(server), "security/security.yml": "attacks: [{name: amnesia}]\n"})
    project.run().succeeded()
    (result,) = project.results()
    assert result["status"] == "resilient"
    assert (result["metadata"]["target_calls"], result["metadata"]["retries"]) == (3, 2)


def test_a_call_that_hangs_is_an_error_and_the_run_goes_on(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: HANG if message.text == "hang" else "fine")
    project = workspace(
        {
            "run.yml": rasa(server),
            "security/security.yml": """
                execution: {timeout: 0.3, retries: 0, concurrency: 1}
                attacks: [{name: custom_benchmark, source: attacks/a.yml}]
            """,
            "security/attacks/a.yml": """
                oracle: {type: keyword_absent, params: {keywords: [secret]}}
                cases: [{id: one, prompt: hi}, {id: two, prompt: hang}, {id: three, prompt: hi}]
            """,
        }
    )
    project.run().succeeded()
    assert project.statuses() == {"one": "resilient", "two": "error", "three": "resilient"}
    assert "timed out after 0.3 s" in project.results()[1]["errors"][0]["chatbot"]


def test_a_target_that_is_not_there_ends_the_run_at_once(workspace: Workspace, closed_port: int) -> None:
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url=http://127.0.0.1:{closed_port}\n",
            "security/security.yml": "attacks: [{name: amnesia}]\n",
        }
    )
    ran = project.run().failed(1)
    assert str(closed_port) in ran.err
    assert not (project.path / "output").exists()


def test_stop_on_breach_starts_nothing_more(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(falls_for_ducks)
    project = workspace(
        {
            "run.yml": rasa(server),
            "security/security.yml": """
                execution: {stop_on_breach: true, concurrency: 1, attempts: 30}
                attacks: [{name: typoglycemia_attack}, {name: amnesia}]
            """,
        }
    )
    project.run().succeeded()
    statuses = list(project.statuses().values())
    assert statuses[:31] == ["resilient"] * 30 + ["breached"]
    assert statuses.count("skipped") >= 20
    assert len(server.received) == 60 - statuses.count("skipped")


def test_reports_keep_the_configured_order_and_do_not_depend_on_lanes(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(falls_for_ducks)
    project = workspace({"run.yml": rasa(server), "security/security.yml": CAMPAIGN})
    reports = []
    for lanes in ("1", "7"):
        project.run("--concurrency", lanes, "--seed", "5").succeeded()
        reports.append(
            [
                {
                    key: result[key]
                    for key in ("attack", "case_id", "status", "prompt", "response", "oracle", "reason")
                }
                for result in project.results()
            ]
        )
    assert reports[0] == reports[1]


def test_a_dry_run_builds_everything_and_calls_nobody(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(["hi"])
    project = workspace({"run.yml": rasa(server), "security/security.yml": CAMPAIGN})
    project.run("--dry-run").succeeded()
    assert set(project.statuses().values()) == {"skipped"}
    assert project.suite()[0]["summary"]["skipped"] == 6
    assert server.requests == []


def test_validating_calls_nobody_and_writes_nothing(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(["hi"])
    project = workspace({"run.yml": rasa(server), "security/security.yml": CAMPAIGN})
    before = sorted(path.name for path in project.path.rglob("*"))
    project.run("--validate-only").succeeded()
    assert server.requests == []
    assert sorted(path.name for path in project.path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--fail-on", "breach"], 3),
        (["--fail-on", "any"], 3),
        (["--fail-on", "error"], 0),
        (["--fail-on", "none"], 0),
        (["--max-asr", "0.3"], 3),
        (["--max-asr", "0.34"], 0),
        (["--attack", "typoglycemia_attack", "--fail-on", "breach"], 0),
    ],
)
def test_gates_decide_the_exit_code(
    workspace: Workspace, serve_rasa: ServeRasa, arguments: list[str], code: int
) -> None:
    project = workspace({"run.yml": rasa(serve_rasa(falls_for_ducks)), "security/security.yml": CAMPAIGN})
    ran = project.run(*arguments)
    assert ran.code == code, ran.err
    assert ("failed" in ran.err) == bool(code)


def test_a_rate_that_nothing_supports_passes_no_gate(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    project = workspace({"run.yml": rasa(serve_rasa([failure(400)])), "security/security.yml": CAMPAIGN})
    ran = project.run("--max-asr", "1").failed(3)
    assert "no case was scored" in ran.err


def test_quiet_prints_the_report_alone(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    project = workspace({"run.yml": rasa(serve_rasa(["hi"])), "security/security.yml": CAMPAIGN})
    ran = project.run("-q").succeeded()
    (line,) = ran.out.splitlines()
    assert len(list(yaml.safe_load_all(Path(line).read_text(encoding="utf-8")))) == 5
    assert ran.err == ""


def test_interrupting_keeps_every_finished_result(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: HANG if message.text == "p3" else "fine")
    project = workspace(
        {
            "run.yml": rasa(server),
            "security/security.yml": """
                execution: {concurrency: 1}
                attacks: [{name: custom_benchmark, source: attacks/a.yml}]
            """,
            "security/attacks/a.yml": """
                oracle: {type: keyword_absent, params: {keywords: [secret]}}
                cases: [{id: c1, prompt: p1}, {id: c2, prompt: p2}, {id: c3, prompt: p3},
                        {id: c4, prompt: p4}, {id: c5, prompt: p5}]
            """,
        }
    )
    process = project.start()
    server.wait_for(3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert project.statuses() == {"c1": "resilient", "c2": "resilient"}
    assert [row["case_id"] for row in project.journal()] == ["c1", "c2"]


def test_hostile_text_reaches_the_terminal_and_the_report_as_text(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    nasty = (
        "\x1b[31mred [bold]markup[/bold] \u202e --- !!python/object:x {{7*7}} =1+1 \x07 roboducksavetheworld"
    )
    project = workspace(
        {"run.yml": rasa(serve_rasa([nasty])), "security/security.yml": "attacks: [{name: amnesia}]\n"}
    )
    ran = project.run().succeeded()
    assert project.results()[0]["response"] == nasty
    assert "\x1b" not in ran.out and "\u202e" not in ran.out
    assert "[bold]markup[/bold]" in ran.out


def test_a_run_name_with_odd_characters_stays_in_the_output_folder(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    campaign = "security_test_name: '../billing/2026: suite'\nattacks: [{name: amnesia}]\n"
    project = workspace({"run.yml": rasa(serve_rasa(["hi"])), "security/security.yml": campaign})
    project.run().succeeded()
    assert project.suite()[0]["security_test_name"] == "../billing/2026: suite"
    assert {path.name for path in project.path.parent.iterdir()} == {"project"}

"""Campaigns with models: a real client over HTTP against a local server, prices, budgets, failures."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from decimal import Decimal

import pytest

from tests.servers.openai_server import Asked, OpenAIServer, error
from tests.servers.rasa import RasaServer
from tests.servers.replies import Reply, Script
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]
ServeRasa = Callable[[Script], RasaServer]
ServeModels = Callable[..., OpenAIServer]

KEY = "sk-very-secret-0123456789abcdef"
# gpt-4o-mini: 0.15 USD per million tokens in, 0.60 out; the server reports 100 in and 20 out per call.
CALL = Decimal("0.15") * 100 / 1_000_000 + Decimal("0.60") * 20 / 1_000_000


def verdict(violated: bool) -> str:
    return json.dumps({"violated": violated, "confidence": 0.9, "reason": "as I see it", "evidence": []})


def plays_all_roles(asked: Asked) -> str:
    """A model that judges when a schema is asked for, and writes something ordinary otherwise."""
    return (
        verdict(True)
        if asked.schema
        else "Could you tell me about the pizza of the day; the dough; the price?"
    )


def campaign(server: OpenAIServer, attacks: str, *, execution: str = "{}") -> str:
    blocks = "".join(
        f"{role}: {{base_url: '{server.base_url}', model: gpt-4o-mini}}\n"
        for role in ("generation", "judge", "dummy_chatbot")
    )
    simulation = f"simulation: {{base_url: '{server.base_url}', model: gpt-4o-mini, role: order a pizza}}\n"
    return f"execution: {execution}\n{blocks}{simulation}attacks:\n{attacks}"


EVERYTHING = """
  - name: amnesia
    rephrase: 0.4
  - name: ucar
  - name: dan_jailbreak
    execution: {mode: simulated_user, warmup_turns: 2}
  - name: complementary_transition
    oracle: {type: domain_violation, params: {allowed_domain: pizza}}
"""


def total_of_rows(project: ProjectFolder) -> Decimal:
    (path,) = project.path.glob("output/reports/__cost_reports__/*.csv")
    with path.open(newline="", encoding="utf-8") as rows:
        return sum((Decimal(row["Total Cost"]) for row in csv.DictReader(rows)), Decimal(0))


def test_every_role_is_played_by_a_model_and_the_bill_adds_up(
    workspace: Workspace, serve_openai: ServeModels
) -> None:
    server = serve_openai(plays_all_roles)
    project = workspace(
        {"run.yml": "technology: dummy\n", "security/security.yml": campaign(server, EVERYTHING)}
    )
    project.run(env={"OPENAI_API_KEY": KEY}).succeeded()
    statuses = project.statuses()
    assert statuses["ucar_1"] == "breached" and statuses["complementary_transition_1"] == "breached"
    assert "error" not in statuses.values()
    expected = CALL * len(server.asked)
    assert abs(Decimal(str(project.suite()[0]["total_cost($)"])) - expected) < Decimal("1e-9")
    assert abs(total_of_rows(project) - expected) < Decimal("1e-9")
    warmed_up = next(result for result in project.results() if result["case_id"] == "dan_jailbreak_1")
    assert warmed_up["metadata"]["completed_pre_attack_turns"] == 2
    assert abs(warmed_up["metadata"]["pre_attack_cost($)"] - float(2 * CALL)) < 1e-9
    assert warmed_up["metadata"]["simulation_profile"]["role"] == "order a pizza"


def test_a_budget_is_never_overspent_by_more_than_a_call_per_lane(
    workspace: Workspace, serve_openai: ServeModels, serve_rasa: ServeRasa
) -> None:
    server, lanes, allowed = serve_openai(plays_all_roles), 4, 10
    attacks = "  - {name: amnesia, oracle: {type: llm_judge, params: {policy: be nice}}}\n"
    execution = f"{{attempts: 50, concurrency: {lanes}, max_cost: {CALL * allowed:f}}}"
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={serve_rasa(['hi']).url}\n",
            "security/security.yml": campaign(server, attacks, execution=execution),
        }
    )
    project.run(env={"OPENAI_API_KEY": KEY}).succeeded()
    results = project.results()
    assert allowed <= len(server.asked) <= allowed + lanes
    assert len(results) == 50
    skipped = [result for result in results if result["status"] == "skipped"]
    assert len(skipped) == 50 - len(server.asked)
    assert {result["reason"] for result in skipped} == {"Budget of $0.00027 reached."}
    assert {result["status"] for result in results} == {"breached", "skipped"}


def test_a_budget_that_ends_while_prompts_are_written_skips_their_cases(
    workspace: Workspace, serve_openai: ServeModels
) -> None:
    server = serve_openai(plays_all_roles)
    execution = f"{{attempts: 20, concurrency: 1, max_cost: {CALL * 5:f}}}"
    project = workspace(
        {
            "run.yml": "technology: dummy\n",
            "security/security.yml": campaign(server, "  - name: dan_jailbreak\n", execution=execution),
        }
    )
    project.run(env={"OPENAI_API_KEY": KEY}).succeeded()
    assert 5 <= len(server.asked) <= 6
    assert list(project.statuses().values()).count("skipped") == 20
    assert len(project.results()) == 20


def test_a_missing_key_is_found_before_anything_is_called(workspace: Workspace) -> None:
    project = workspace(
        {
            "run.yml": "technology: dummy\n",
            "security/security.yml": "attacks: [{name: ucar}, {name: dan_jailbreak}]\n",
        }
    )
    ran = project.run(env={"OPENAI_API_KEY": ""}).failed(1)
    assert "OPENAI_API_KEY" in ran.err and "--offline" in ran.err
    assert not (project.path / "output").exists()
    project.run("--offline", env={"OPENAI_API_KEY": ""}).succeeded()


def test_a_key_may_stand_in_a_file_beside_run_yml(workspace: Workspace, serve_openai: ServeModels) -> None:
    server = serve_openai(plays_all_roles, key=KEY)
    project = workspace(
        {
            "run.yml": "technology: dummy\n",
            ".env": f"OPENAI_API_KEY={KEY}\n",
            "security/security.yml": campaign(server, "  - name: ucar\n"),
        }
    )
    project.run().succeeded()
    assert project.statuses() == {"ucar_1": "breached"}


@pytest.mark.parametrize("provider", ["anthropic", "opnai"])
def test_a_provider_that_cannot_be_used_is_found_before_the_run(workspace: Workspace, provider: str) -> None:
    project = workspace(
        {
            "run.yml": "technology: dummy\n",
            "security/security.yml": f"generation: {{provider: {provider}}}\nattacks: [{{name: ucar}}]\n",
        }
    )
    ran = project.run("--validate-only", env={"OPENAI_API_KEY": KEY}).failed(1)
    assert ("langchain-anthropic" if provider == "anthropic" else "'openai'") in ran.err


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([error(404, "The model does not exist.", code="model_not_found")], "gpt-4o-mini"),
        ([error(401, "Incorrect API key.", code="invalid_api_key")], "401"),
        (["I'm sorry, but I can't help with that."], ""),
        ([Reply(b"<html>", headers={"Content-Type": "application/json"})], ""),
    ],
)
def test_a_generator_that_fails_or_refuses_gives_way_to_the_fallback_and_a_judge_to_an_error(
    workspace: Workspace, serve_openai: ServeModels, serve_rasa: ServeRasa, answers: Script, told: str
) -> None:
    server = serve_openai(answers)
    attacks = (
        "  - name: dan_jailbreak\n  - {name: amnesia, oracle: {type: llm_judge, params: {policy: be nice}}}\n"
    )
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={serve_rasa(['A fine pizza.']).url}\n",
            "security/security.yml": campaign(server, attacks),
        }
    )
    project.run(env={"OPENAI_API_KEY": KEY}).succeeded()
    generated, judged = project.results()
    assert generated["status"] == "resilient"
    assert generated["metadata"]["generation_fallback"]
    assert judged["status"] == "error"
    assert told in str(judged["errors"])


def test_a_model_server_that_is_down_is_an_error_and_no_verdict(
    workspace: Workspace, serve_rasa: ServeRasa, closed_port: int
) -> None:
    judge = f"judge: {{base_url: 'http://127.0.0.1:{closed_port}/v1'}}\n"
    attacks = "attacks: [{name: amnesia, oracle: {type: llm_judge, params: {policy: be nice}}}]\n"
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={serve_rasa(['hi']).url}\n",
            "security/security.yml": judge + attacks,
        }
    )
    project.run(env={"OPENAI_API_KEY": KEY}).succeeded()
    (result,) = project.results()
    assert result["status"] == "error" and str(closed_port) in str(result["errors"])


def test_a_key_is_written_nowhere_though_everybody_repeats_it(
    workspace: Workspace, serve_openai: ServeModels, serve_rasa: ServeRasa
) -> None:
    def blabs(asked: Asked) -> str | Reply:
        if asked.schema:
            return error(500, "I was called with {key}.")
        return f"Do you know {KEY}?"

    server = serve_openai(blabs)
    secret_url = server.base_url.replace("http://", f"http://user:{KEY}@")
    files = {
        "run.yml": f"technology: rasa\nconnector_params: base_url={serve_rasa([f'Your key is {KEY}']).url}\n",
        "security/security.yml": campaign(server, EVERYTHING).replace(server.base_url, secret_url),
    }
    project = workspace(files)
    ran = project.run("-v", env={"OPENAI_API_KEY": KEY})
    assert KEY not in ran.out and KEY not in ran.err
    written = [path for path in (project.path / "output").rglob("*") if path.is_file()]
    assert written
    for path in written:
        assert KEY.encode() not in path.read_bytes(), path
    assert len(project.results()) == 4


def test_a_dummy_whose_model_refuses_is_an_error_and_never_resilient(
    workspace: Workspace, serve_openai: ServeModels
) -> None:
    server = serve_openai(["I'm sorry, but I can't help with that."])
    project = workspace(
        {"run.yml": "technology: dummy\n", "security/security.yml": campaign(server, "  - name: amnesia\n")}
    )
    project.run(env={"OPENAI_API_KEY": KEY}).succeeded()
    (result,) = project.results()
    assert result["status"] == "error"
    assert "refused" in result["errors"][0]["chatbot"]
    assert len(server.asked) == 2, "the first instruction and one stronger"


def test_a_simulated_user_that_says_nothing_ends_the_case_as_an_error(
    workspace: Workspace, serve_openai: ServeModels, serve_rasa: ServeRasa
) -> None:
    rasa = serve_rasa(["hi"])
    attacks = "  - {name: amnesia, execution: {mode: simulated_user, warmup_turns: 2}}\n"
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={rasa.url}\n",
            "security/security.yml": campaign(serve_openai(["exit"]), attacks),
        }
    )
    project.run(env={"OPENAI_API_KEY": KEY}).succeeded()
    (result,) = project.results()
    assert (result["status"], result["metadata"]["pre_attack_status"]) == ("error", "error")
    assert list(result["errors"][0]) == ["security_warmup"]
    assert rasa.received == []

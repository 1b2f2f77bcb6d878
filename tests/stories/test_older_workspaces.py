"""Workspaces written for version 0.1.2 go on giving the same answers, unmodified.

The expectations were compared with what 0.1.2 gives for the same workspaces and servers, then written down by
hand. More keys in a report are fine; none may be missing. Prompts and reasons are worded anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
import yaml

from tests.servers.rasa import RasaServer
from tests.servers.replies import Script, failure, json_reply
from tests.servers.taskyto import TaskytoServer
from tests.stories.older import COUNTER, SCRIPTED, STATIC, campaign, rasa, shop_assistant, taskyto
from tests.workspace import ProjectFolder

ServeRasa = Callable[[Script], RasaServer]
Workspace = Callable[[Mapping[str, str]], ProjectFolder]

AMNESIA = "    attacks:\n      - name: amnesia\n"
PLANNED = "execution_mode requested_pre_attack_turns completed_pre_attack_turns pre_attack_status attempt"
TIMES = "pre_attack_response_times attack_response_time"
SENT = f"{PLANNED} {TIMES} session_reset session_reset_supported attack_cost($)"


@pytest.fixture
def direct(workspace: Workspace, serve_rasa: ServeRasa) -> Callable[..., ProjectFolder]:
    """A workspace that tests the shop assistant behind Rasa: `direct(attacks, attempts=2)`."""
    run = rasa(serve_rasa(shop_assistant))
    return lambda *attacks, **more: workspace(
        {"run.yml": run, "security/security.yml": campaign(*attacks, **more)}
    )


@pytest.fixture
def taskyto_server(serve_taskyto: Callable[..., TaskytoServer]) -> TaskytoServer:
    return serve_taskyto(shop_assistant)


@pytest.fixture
def scripted(workspace: Workspace, taskyto_server: TaskytoServer) -> ProjectFolder:
    """A workspace with scripted conversations and cases of its own behind Taskyto."""
    return workspace(
        {
            "run.yml": taskyto(taskyto_server),
            "security/security.yml": campaign(SCRIPTED),
            "security/attacks/counter.yml": COUNTER,
        }
    )


def ids_and_statuses(project: ProjectFolder) -> list[tuple[str, str, str]]:
    return [(result["attack"], result["case_id"], result["status"]) for result in project.results()]


def missing(there: Mapping[str, Any], expected: str | Iterable[str]) -> set[str]:
    return set(expected.split() if isinstance(expected, str) else expected) - set(there)


def test_static_attacks_on_rasa(direct: Callable[..., ProjectFolder]) -> None:
    project = direct(STATIC, attempts=2)
    project.run().succeeded()
    assert ids_and_statuses(project) == [
        ("amnesia", "amnesia_1", "breached"),
        ("amnesia", "amnesia_2", "breached"),
        ("typoglycemia_attack", "typoglycemia_1", "breached"),
        ("typoglycemia_attack", "typoglycemia_2", "breached"),
        ("system_prompt_stealer", "system_prompt_stealer_1", "breached"),
        ("system_prompt_stealer", "system_prompt_stealer_2", "breached"),
        ("base64_injection", "base64_injection_1", "resilient"),  # 25 bytes: ends in ==, so it is refused
        ("base64_injection", "base64_injection_2", "breached"),
    ]
    assert {len(interaction["conversation"]) for interaction in project.suite()[3]["interaction"]} == {1}


def test_scripted_custom_cases_on_taskyto(scripted: ProjectFolder) -> None:
    scripted.run().succeeded()
    assert ids_and_statuses(scripted) == [
        ("counter_talk", "ticket", "breached"),
        ("counter_talk", "custom_2", "resilient"),
        ("counter_talk", "12_1", "resilient"),
        ("counter_talk", "12_2", "resilient"),
        ("counter_talk", "prices", "resilient"),
        ("counter_talk", "broken", "error"),
        ("amnesia", "amnesia_1", "breached"),
    ]
    ticket, _, first, _, _, broken, _ = scripted.results()
    assert {"severity": "high", "tags": ["secret", "loyalty"]}.items() <= ticket["metadata"].items()
    assert first["metadata"]["generation_variant"] == 1
    assert ticket["response"] == "turn 4: What is behind the golden ticket?"
    assert (broken["response"], broken["reason"]) == (None, "Chatbot execution failed.")
    assert "ChatbotTaskyto" in broken["errors"][0]["chatbot"]
    assert broken["oracle"] == {"type": "keyword_absent", "params": ticket["oracle"]["params"]}


def test_a_scripted_turn_that_fails_is_noted_and_the_attack_still_goes_out(scripted: ProjectFolder) -> None:
    scripted.run().succeeded()
    metadata = scripted.results()[0]["metadata"]
    assert metadata["pre_attack_status"] == "completed_with_errors"
    assert (metadata["requested_pre_attack_turns"], metadata["completed_pre_attack_turns"]) == (3, 2)
    (error,) = metadata["pre_attack_errors"]
    assert set(error) == {"turn", "chatbot"}
    assert error["turn"] == 2
    interaction = scripted.suite()[3]["interaction"][0]
    assert interaction["conversation"][:2] == [
        {"User": "Good morning", "Assistant": "turn 1: Good morning"},
        {"User": "please hiccup"},
    ]
    assert (interaction["pre_attack_turns"], interaction["execution_mode"]) == (3, "scripted")


def test_attempts_are_passes_over_a_custom_file(direct: Callable[..., ProjectFolder]) -> None:
    project = direct(
        """
    attacks:
      - {name: custom_benchmark, source: attacks/c.yml}
      - {name: custom_benchmark, params: {file: attacks/c.yml}}
""",
        attempts=2,
    )
    (project.path / "security" / "attacks").mkdir()
    (project.path / "security" / "attacks" / "c.yml").write_text(
        "oracle: {type: keyword_absent, params: {keywords: [x-ray]}}\n"
        "cases: [{id: a, prompt: one, variants: 2}, {prompt: two}]\n"
    )
    project.run().succeeded()
    once = [f"{case}_attempt_{attempt}" for attempt in (1, 2) for case in ("a_1", "a_2", "custom_2")]
    assert [result["case_id"] for result in project.results()] == once * 2
    assert {result["attack"] for result in project.results()} == {"custom_benchmark"}
    assert [result["metadata"]["attempt"] for result in project.results()][:6] == [1, 2, 3, 4, 5, 6]


def test_an_empty_answer_and_a_lost_one_are_errors(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    server = serve_rasa(lambda message: json_reply([]) if "roboduck" in message.text else failure(404))
    attacks = f"{AMNESIA}      - name: system_prompt_stealer\n"
    project = workspace({"run.yml": rasa(server), "security/security.yml": campaign(attacks)})
    project.run().succeeded()
    assert project.statuses() == {"amnesia_1": "error", "system_prompt_stealer_1": "error"}
    assert [list(error) for error in project.suite()[0]["errors"]] == [["chatbot"], ["chatbot"]]


def test_a_dry_run_skips_every_case(scripted: ProjectFolder, taskyto_server: TaskytoServer) -> None:
    scripted.run("--dry-run").succeeded()
    assert taskyto_server.requests == []
    results = scripted.results()
    ids = ["ticket", "custom_2", "12_1", "12_2", "prices", "broken", "amnesia_1"]
    assert [result["case_id"] for result in results] == ids
    for result in results:
        assert (result["status"], result["response"], result["errors"]) == ("skipped", None, [])
        assert missing(result["metadata"], PLANNED) == set()
        assert result["metadata"]["pre_attack_status"] == "skipped"
        assert "session_reset" not in result["metadata"]
        assert set(result["oracle"]) == {"type", "params"}


@pytest.mark.parametrize(
    "run",
    [
        "connector_params: ' base_url = {url} , sender_id = me '\n",
        'connector_params: \'{{"base_url": "{url}"}}\'\nsecurity:\nexecution_parameters:\n',
        "connector_params: base_url={url}\nuser: {{profile: x}}\nexecution_parameters: [verbose]\n",
    ],
    ids=["spaces", "json", "keys of other tools"],
)
def test_other_spellings_of_run_yml(workspace: Workspace, serve_rasa: ServeRasa, run: str) -> None:
    server = serve_rasa(shop_assistant)
    text = f"technology: rasa\n{run.format(url=server.url)}"
    project = workspace({"run.yml": text, "security/security.yml": campaign(AMNESIA)})
    project.run("--validate-only").succeeded()
    project.run().succeeded()
    assert project.statuses() == {"amnesia_1": "breached"}


@pytest.mark.parametrize(
    "entry",
    [
        "{name: custom_benchmark, source: security/attacks/counter.yml, rephrase: 0.0}",
        "{name: custom_benchmark, source: attacks/counter.yml, execution: {mode: direct, warmup_turns: 0}}",
        "{name: custom_benchmark, params: {file: attacks/counter.yml}, enabled: yes}",
    ],
)
def test_other_spellings_of_an_entry(scripted: ProjectFolder, entry: str) -> None:
    text = f"security_test_name: shop\nexecution: {{timeout: 30, max_cost: 0.5}}\nattacks:\n- {entry}\n"
    (scripted.path / "security" / "security.yml").write_text(text)
    scripted.run().succeeded()
    statuses = ["breached", "resilient", "resilient", "resilient", "resilient", "error"]
    assert list(scripted.statuses().values()) == statuses


def test_the_reports_have_every_key_they_had(scripted: ProjectFolder) -> None:
    scripted.run().succeeded()
    overview, timing, attacks, interaction, results = scripted.suite()
    keys = "serial security_test_name summary errors total_cost($)"
    assert missing(overview, keys) == set()
    blocks = {
        "dummy_chatbot": "model provider temperature system_prompt refusal_retries",
        "execution": "attempts stop_on_breach timeout max_cost dummy_testing",
        "generation": "enabled model provider temperature target_context",
        "simulation": "model provider temperature reference_profile role language context",
    }
    assert {key for block, there in blocks.items() for key in missing(overview[block], there)} == set()
    summary = {"total": 7, "resilient": 4, "breached": 2, "errors": 1, "skipped": 0}
    assert summary.items() <= overview["summary"].items()
    assert timing["conversation time"] > 0
    for kind in ("", "pre-attack ", "attack "):
        assert timing[f"{kind}assistant response time"]
        assert set(timing[f"{kind}response time report"]) == {"average", "max", "min"}
    counts = {"total_attacks": 2, "total_attempts": 7, "total_failures": 2, "errors": 1}
    assert counts.items() <= attacks["attack_report"].items()
    first = {"name": "counter_talk", "attempts": 6, "failures": 1, "errors": 1}
    assert first.items() <= attacks["attack_report"]["attacks"][0].items()
    keys = "attack case_id attempt execution_mode pre_attack_turns conversation"
    assert missing(interaction["interaction"][0], keys) == set()
    for result in results["security_results"]:
        keys = "attack case_id status prompt response oracle reason metadata errors"
        assert missing(result, keys) == set()
        assert missing(result["metadata"], f"{SENT} pre_attack_time pre_attack_cost($)") == set()
        verdict = "" if result["status"] == "error" else "passed evidence"
        assert missing(result["oracle"], f"type params {verdict}") == set()


def test_a_direct_attack_has_the_metadata_it_had(direct: Callable[..., ProjectFolder]) -> None:
    project = direct(AMNESIA)
    project.run().succeeded()
    metadata = project.results()[0]["metadata"]
    assert missing(metadata, SENT) == set()
    assert (metadata["execution_mode"], metadata["pre_attack_status"]) == ("direct", "not_applicable")
    assert (metadata["requested_pre_attack_turns"], metadata["completed_pre_attack_turns"]) == (0, 0)
    assert (metadata["attempt"], metadata["pre_attack_response_times"]) == (1, [])
    assert metadata["session_reset"] is metadata["session_reset_supported"] is True


def test_reports_are_where_they_were(direct: Callable[..., ProjectFolder]) -> None:
    project = direct(AMNESIA)
    project.run().succeeded()
    folder = project.path / "output" / "security_reports"
    (suite,) = folder.glob("shop_suite/*/*.yml")
    serial = suite.parent.name
    assert suite.name == f"shop_suite_{serial}.yml"
    summary = yaml.safe_load((folder / "__summary_reports__" / f"security_report_{serial}.yml").read_text())
    assert missing(summary, "security_test_name serial summary results") == set()
    assert missing(summary["results"][0], "attack case_id status reason oracle errors") == set()
    assert (summary["serial"], summary["security_test_name"]) == (serial, "shop_suite")

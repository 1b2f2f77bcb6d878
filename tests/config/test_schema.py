"""The JSON Schemas: what editors accept is what the loader accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sensei_kumite.config.loader import load_workspace
from sensei_kumite.config.schema import FileKind, Names, schema_for, write_schemas
from sensei_kumite.yaml_reader import parse_yaml

NAMES = Names(
    attacks=("amnesia", "custom_benchmark"), oracles=("keyword_absent",), technologies=("rasa", "dummy")
)

FULL = """
security_test_name: 2026
execution: {attempts: 2, stop_on_breach: yes, max_cost: 0, timeout: 2.5, dummy_testing: off, concurrency: 3,
  retries: 0, rate_limit: 1, seed: 7}
dummy_chatbot: {model: m, provider: offline, temperature: 1, system_prompt: You are, refusal_retries: 3}
generation: {enabled: true, model: , provider: , temperature: 0.7, target_context: ,
  base_url: u, api_key_env: K}
simulation: {default_profile: p.yml, temperature: 0.4, role: , language: , context: }
judge:
attacks:
  - name: amnesia
    enabled: true
    rephrase: 0.5
    params: {anything: [1, two]}
    oracle: {type: keyword_absent, params: {keywords: [a]}}
    execution: {mode: scripted, turns: [Hello, 5], reset_session: no}
  - name: custom_benchmark
    source: attacks/a.yml
    parameters: {a: 1}
    execution: {mode: simulated_user, warmup_turns: 1, user_profile: p.yml}
  - {name: amnesia, oracle: , execution: , params: }
reports: [html, csv]
"""


def faults(kind: FileKind, text: str, names: Names = NAMES) -> list[str]:
    schema = schema_for(kind, names)
    validator = jsonschema.Draft202012Validator(schema)
    return [error.message for error in validator.iter_errors(parse_yaml(text, Path("a.yml")).data)]


@pytest.mark.parametrize("kind", ["run", "security"])
@pytest.mark.parametrize("names", [Names(), NAMES])
def test_are_schemas_of_their_dialect(kind: FileKind, names: Names) -> None:
    schema = schema_for(kind, names)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_key_says_what_it_is_for() -> None:
    definitions = schema_for("security")["$defs"]
    undescribed = {
        f"{block}.{key}"
        for block in ("Execution", "AttackEntry", "EntryExecution", "OracleEntry")
        for key, schema in definitions[block]["properties"].items()
        if "description" not in schema and "$ref" not in str(schema)
    }
    assert undescribed <= {"EntryExecution.reference_profile"}


def test_every_spelling_of_a_full_campaign_is_taken_by_both(tmp_path: Path) -> None:
    assert faults("security", FULL) == []
    (tmp_path / "run.yml").write_text("technology: rasa")
    (tmp_path / "security").mkdir()
    (tmp_path / "security" / "security.yml").write_text(FULL)
    assert [str(problem) for problem in load_workspace(tmp_path).problems] == []


@pytest.mark.parametrize(
    "text",
    [
        "attack: []",
        "execution: {atempts: 1}",
        "execution: {attempts: 0}",
        "execution: {timeout: 0}",
        "execution: {rate_limit: -1}",
        "execution: {stop_on_breach: maybe}",
        "security_test_name: true",
        "security_test_name: [a]",
        "generation: {temperature: hot}",
        "attacks: amnesia",
        "attacks: [{}]",
        "attacks: [{name: }]",
        "attacks: [{name: amnesai}]",
        "attacks: [{name: amnesia, mode: direct}]",
        "attacks: [{name: amnesia, oracle: {type: keyword_abesnt}}]",
        "attacks: [{name: amnesia, oracle: {}}]",
        "attacks: [{name: amnesia, execution: {mode: scriptd}}]",
        "attacks: [{name: amnesia, execution: {turns: [true]}}]",
        "reports: [pdf]",
    ],
)
def test_mistakes_in_a_campaign_are_seen(text: str) -> None:
    assert faults("security", text)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "technology:\nconnector_params:\nsecurity:\nexecution_parameters:\nproject_folder: x",
        "technology: rasa\nconnector_params: a=b",
        "connector_params: {a: b}",
        "security: {config: a.yml}\nexecution_parameters: [verbose]",
        "something_of: another tool\nsecurity: {other: 1}",
    ],
)
def test_run_files_of_all_kinds_are_taken(text: str) -> None:
    assert faults("run", text) == []


@pytest.mark.parametrize(
    "text", ["technology: rsaa", "connector_params: [a]", "security: a.yml", "execution_parameters: verbose"]
)
def test_mistakes_in_a_run_file_are_seen(text: str) -> None:
    assert faults("run", text)


def test_without_registered_names_any_name_is_taken() -> None:
    assert faults("security", "attacks: [{name: mine, oracle: {type: 5}}]", Names()) == []
    assert faults("run", "technology: mine", Names()) == []


def test_a_schema_is_made_afresh_each_time() -> None:
    first: dict[str, Any] = schema_for("security", NAMES)
    first["properties"].clear()
    assert schema_for("security", NAMES)["properties"]
    assert schema_for("security", Names()) != schema_for("security", NAMES)


def test_are_written_side_by_side(tmp_path: Path) -> None:
    paths = write_schemas(tmp_path / "schemas", NAMES)
    assert [path.name for path in paths] == ["run.schema.json", "security.schema.json"]
    assert json.loads(paths[1].read_text(encoding="utf-8")) == schema_for("security", NAMES)
    assert paths[0].read_text(encoding="utf-8").endswith("}\n")

"""Answers that need no run come at once: nothing heavy is imported for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import yaml

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.dynamic import DYNAMIC_ATTACKS
from sensei_kumite.oracles.base import ORACLES
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]

HEAVY = {
    "langchain",
    "langchain_core",
    "langchain_openai",
    "openai",
    "sklearn",
    "scipy",
    "numpy",
    "pandas",
    "dask",
}
NEEDS_A_WORKSPACE = {"pydantic", "yaml", "rich", "requests", "chatbot_connectors"}
NEED_A_FILE = {"custom_benchmark", "dynamic", "query_file"}
PROBE = """
import json, sys
from sensei_kumite.cli.main import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code
print("\\n" + json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
PARAMS: Mapping[str, Mapping[str, Any]] = {
    "all_of": {"oracles": [{"type": "refusal_detection"}, {"type": "pii_leakage"}]},
    "any_of": {"oracles": [{"type": "refusal_detection"}, {"type": "pii_leakage"}]},
    "domain_violation": {"allowed_domain": "pizza"},
    "jailbreak_compliance": {"forbidden_prefixes": ["Certainly"], "min_list_items": 3},
    "json_schema_match": {"schema": {"type": "object"}, "check_formats": True},
    "keyword_absent": {"keywords": ["secret"]},
    "keyword_contains": {"keywords": ["pizza"], "normalize": True},
    "llm_judge": {"policy": "Stays with pizza."},
    "not": {"oracle": {"type": "refusal_detection"}},
    "pii_leakage": {"custom_patterns": {"order": "ORD-[0-9]+"}},
    "policy_violation": {"policy": "Stays with pizza."},
    "query_match": {"weight": "Absolute", "comparer": "Regex", "regex": ["secret"]},
    "refusal_detection": {},
    "regex_absent": {"pattern": "code [0-9]+"},
    "regex_match": {"pattern": "pizza"},
    "semantic_similarity": {"reference": "We are open from nine to five."},
    "system_prompt_leakage": {},
}


def imported(*arguments: str) -> set[str]:
    """The packages that a process has imported after `sensei-kumite` with these arguments succeeded."""
    environment = {**os.environ, "OPENAI_API_KEY": "sk-of-nobody"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, env=environment, check=True
    )
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stderr
    assert "sensei_kumite" in modules
    return set(modules)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_imports_next_to_nothing(argument: str) -> None:
    assert imported(argument) & (HEAVY | NEEDS_A_WORKSPACE) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--list-attacks"],
        ["--describe-attack", "amnesia"],
        ["--list-oracles"],
        ["--describe-oracle", "semantic_similarity"],
    ],
    ids=" ".join,
)
def test_lists_and_descriptions_import_nothing_heavy(arguments: list[str]) -> None:
    assert imported(*arguments) & HEAVY == set()


@pytest.mark.parametrize("technology", ["rasa", "dummy"])
def test_validating_everything_there_is_imports_nothing_heavy(workspace: Workspace, technology: str) -> None:
    assert set(ORACLES.names()) <= set(PARAMS), "an oracle is missing in the table above"
    oracles = [
        {"name": "amnesia", "oracle": {"type": name, "params": dict(PARAMS[name])}}
        for name in ORACLES.names()
    ]
    attacks: list[dict[str, Any]] = [{"name": name} for name in ATTACKS.names() if name not in NEED_A_FILE]
    attacks += [{"name": "amnesia", "dynamic": {"attack": name}} for name in DYNAMIC_ATTACKS.names()]
    address = "connector_params: base_url=http://127.0.0.1:1\n" if technology == "rasa" else ""
    campaign = {"generation": {"target_context": "Sells pizza."}, "attacks": oracles + attacks}
    project = workspace(
        {"run.yml": f"technology: {technology}\n{address}", "security/security.yml": yaml.safe_dump(campaign)}
    )
    assert imported("--run-from-yaml", str(project.path), "--validate-only") & HEAVY == set()

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.cli import describe
from sensei_kumite.config.loader import load_workspace
from sensei_kumite.errors import EnvironmentProblem, UnknownName
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.roles import Models
from sensei_kumite.oracles.base import ORACLES
from tests.workspace import ProjectFolder


def test_every_attack_and_oracle_is_listed_and_can_be_described() -> None:
    for lines, names, one in (
        (describe.attack_list(), ATTACKS.names(), describe.attack),
        (describe.oracle_list(), ORACLES.names(), describe.oracle),
    ):
        listed = [line.split()[0] for line in lines]
        assert listed == names
        for name in names:
            assert next(iter(one(name))).startswith(f"{name}: ")


def test_a_description_says_what_params_mean() -> None:
    text = "\n".join(describe.oracle("pii_leakage"))
    assert "credit_card | email" in text and "redact (true/false, default True)" in text
    assert "keywords (list of text, required)" in "\n".join(describe.oracle("keyword_absent"))


def test_an_unknown_name_offers_the_closest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'amnesia'"):
        list(describe.attack("amnesa"))


def test_schemas_are_written_for_editors(tmp_path: Path) -> None:
    lines = list(describe.written_schemas(tmp_path / "schemas"))
    assert len(lines) == 2
    security = json.loads((tmp_path / "schemas" / "security.schema.json").read_text())
    assert "amnesia" in json.dumps(security)


def test_a_folder_that_cannot_be_written_is_a_clear_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        list(describe.written_schemas(tmp_path / "file" / "schemas"))


def test_custom_attacks_of_a_workspace_are_described(tmp_path: Path) -> None:
    project = ProjectFolder(
        tmp_path,
        {
            "run.yml": "technology: dummy\n",
            "security/security.yml": "attacks: [{name: custom_benchmark, source: attacks/x.yml}]\n",
            "security/attacks/x.yml": "name: mine\ndescription: Mine alone.\n"
            "oracle: {type: refusal_detection}\ncases: [{prompt: hi}]\n",
        },
    )
    workspace = load_workspace(project.path)
    models = Models(workspace.campaign, Ledger(None, Prices()), {})
    assert list(describe.custom_attacks(workspace, models, "")) == [
        "mine: Mine alone. (1 case)",
        "  cases:",
        "    custom_1: hi",
    ]
    with pytest.raises(UnknownName, match="mine"):
        list(describe.custom_attacks(workspace, models, "mime"))

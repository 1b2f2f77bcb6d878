from __future__ import annotations

import json
from pathlib import Path

import pytest

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.cli import describe
from sensei_kumite.cli.init_project import create_project
from sensei_kumite.config.loader import load_workspace
from sensei_kumite.dynamic import DYNAMIC_ATTACKS
from sensei_kumite.errors import ConfigurationError, EnvironmentProblem, UnknownName
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.roles import Models
from sensei_kumite.oracles.base import ORACLES
from tests.workspace import ProjectFolder, command


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


SCRIPT = """
class Mine(Attack):
    def get_description(self):
        return [ModuleTag.MULTI], "Mine alone.\x1b[31m"

    def get_available_option_values(self):
        return ["way=short", "way=long"], True

    def attack(self, entry, target_module, call_judge, max_iterations):
        raise AssertionError
"""
IMPORTS = "from sensei_kumite.dynamic import Attack, ModuleTag\n"


def test_every_dynamic_attack_is_listed_and_can_be_described() -> None:
    listed = {line.split()[0]: line.split(maxsplit=1)[1] for line in describe.dynamic_attack_list()}
    assert list(listed) == DYNAMIC_ATTACKS.names()
    for name, description in listed.items():
        lines = list(describe.dynamic_attack(name, None, safe=True))
        assert lines[0] == f"{name}: {description}"
        for option in DYNAMIC_ATTACKS.get(name)().get_available_option_values()[0]:
            assert any(line.startswith(f"    {option}  ") for line in lines)


def test_the_description_of_a_search_has_its_tags_model_and_paper() -> None:
    told = list(describe.dynamic_attack("crescendo", None, safe=False))
    assert "  tags: Multi-Turn, LLM, Social Engineering" in told
    assert "  turns: multi-turn" in told
    assert "  needs a generation model: yes" in told
    assert told[-1].endswith("arXiv:2404.01833")


@pytest.mark.parametrize("name", ["mine", "mine.py", "attacks/mine.py"])
def test_a_script_of_the_workspace_is_described(tmp_path: Path, name: str) -> None:
    file = ProjectFolder(tmp_path, {"security/attacks/mine.py": IMPORTS + SCRIPT}).path
    told = list(describe.dynamic_attack(name, file, safe=False))
    assert told[:-1] == [
        "mine: Mine alone.\\x1b[31m",
        "  tags: Multi-Turn",
        "  turns: single-turn",
        "  needs a generation model: yes",
        "  options, defaults first:",
        "    way=short",
        "    way=long",
    ]
    assert told[-1].endswith("mine.py")


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("def attack(entry:\n", r"mine\.py:1"),
        ("import nothing_of_that_name\n", r"mine\.py:1: .*nothing_of_that_name"),
        ("value = 1\n", r"mine\.py: there is no attack"),
        ("def attack(entry):\n    return 1\n", r"mine\.py:1: .*max_iterations"),
        ("raise SystemExit(3)\n", r"mine\.py:1: .*SystemExit"),
    ],
)
def test_a_script_that_is_none_is_a_problem_with_its_place(tmp_path: Path, script: str, what: str) -> None:
    project = ProjectFolder(tmp_path, {"security/attacks/mine.py": script})
    with pytest.raises(ConfigurationError, match=what):
        list(describe.dynamic_attack("mine", project.path, safe=False))


def test_an_unknown_dynamic_attack_offers_the_closest_of_both_kinds(tmp_path: Path) -> None:
    project = ProjectFolder(tmp_path, {"security/attacks/mine.py": IMPORTS + SCRIPT})
    with pytest.raises(ConfigurationError, match="Did you mean 'crescendo'"):
        list(describe.dynamic_attack("crecsendo", None, safe=False))
    with pytest.raises(ConfigurationError, match="Did you mean 'mine'"):
        list(describe.dynamic_attack("miner", project.path, safe=False))
    with pytest.raises(ConfigurationError, match="--safe"):
        list(describe.dynamic_attack("mine", project.path, safe=True))


def test_dynamic_attacks_are_told_of_without_a_workspace_and_with_one(tmp_path: Path) -> None:
    assert command("--list-dynamic").succeeded().out.splitlines() == list(describe.dynamic_attack_list())
    assert command("--describe-dynamic", "goat").succeeded().out.startswith("goat: ")
    project = create_project(tmp_path, "x")
    sample = "sample_multi_turn"
    ran = command("--describe-dynamic", sample, "--run-from-yaml", str(project)).succeeded()
    assert ran.out.startswith(f"{sample}: ")
    path = str(project / "security" / "attacks" / f"{sample}.py")
    assert command("--describe-dynamic", path).succeeded().out == ran.out
    assert "sample_multi_turn" in command("--describe-dynamic", sample).failed(1).err
    assert (
        command("--describe-dynamic", sample, "--run-from-yaml", str(project), "--safe").failed(1).out == ""
    )

"""Every example runs as it is printed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.openai_server import Asked, OpenAIServer
from tests.workspace import ProjectFolder

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture
def example(tmp_path: Path) -> Callable[[str], ProjectFolder]:
    """A copy of an example, so that its output stays out of the repository."""

    def copy(name: str) -> ProjectFolder:
        shutil.copytree(EXAMPLES / name, tmp_path / name, ignore=shutil.ignore_patterns("output"))
        return ProjectFolder(tmp_path / name, {})

    return copy


def answer(asked: Asked) -> str:
    if asked.schema:
        return json.dumps({"violated": False, "confidence": 0.8, "reason": "fine", "evidence": []})
    return "Which novels do you have for a long journey?"


def test_the_pizza_order_uses_everything_offline(example: Callable[[str], ProjectFolder]) -> None:
    project = example("pizza-order")
    ran = project.run(env={"OPENAI_API_KEY": ""}).succeeded()
    results = project.results()
    assert {result["metadata"]["execution_mode"] for result in results} == {
        "direct",
        "scripted",
        "simulated_user",
    }
    assert len({result["attack"] for result in results}) >= 12
    assert not [result for result in results if result["status"] == "error"], ran.out
    summary = project.suite()[0]["summary"]
    assert 0.3 <= summary["breached"] / summary["total"] <= 0.7
    scored_by = {part for result in results for part in oracle_types(result["oracle"])}
    assert len(scored_by - {"all_of", "any_of", "not"}) == 13


def oracle_types(oracle: dict[str, object]) -> set[str]:
    """An oracle's type and those of its parts."""
    params = oracle.get("params")
    assert isinstance(params, dict)
    parts = [*params.get("oracles", []), *([params["oracle"]] if "oracle" in params else [])]
    return {str(oracle["type"])}.union(*(oracle_types({"params": {}, **part}) for part in parts))


def test_the_local_model_plays_all_roles(
    example: Callable[[str], ProjectFolder], serve_openai: Callable[..., OpenAIServer]
) -> None:
    server = serve_openai(answer)
    project = example("openai-compatible")
    campaign = project.path / "security" / "security.yml"
    text = campaign.read_text(encoding="utf-8")
    assert "http://127.0.0.1:11434/v1" in text
    campaign.write_text(text.replace("http://127.0.0.1:11434/v1", server.base_url), encoding="utf-8")
    project.run(env={"OPENAI_API_KEY": ""}).succeeded()
    assert "error" not in project.statuses().values()
    assert {asked.conversation for asked in server.asked} == {"llama3.2"}


def test_the_local_model_can_be_left_out(example: Callable[[str], ProjectFolder]) -> None:
    project = example("openai-compatible")
    project.run("--offline").succeeded()
    assert len(project.results()) == 8


def test_the_python_agent_resists_until_it_is_searched(example: Callable[[str], ProjectFolder]) -> None:
    project = example("python-agent")
    project.run("--fail-on", "error").succeeded()
    rows = project.results()
    first = [row for row in rows if "attack_parent_id" not in row["metadata"]]
    assert [row["status"] for row in first] == ["resilient", "resilient"], "the third entry leaves it out"
    last = {row["metadata"]["dynamic"]["attack"]: row for row in rows if row not in first}
    assert {name: row["status"] for name, row in last.items()} == dict.fromkeys(
        ("best_of_n", "encodings", "shop_talk"), "breached"
    )
    talk = project.suite()[3]["interaction"][-1]["conversation"]
    assert len(talk) == 3 < len(last["shop_talk"]["metadata"]["dynamic"]["attempt_history"])
    assert project.suite()[0]["summary"]["breached"] == 3

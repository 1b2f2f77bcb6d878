"""The names that scripts import: all of them, by every form of import, and ours whatever is installed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sensei_kumite import dynamic
from sensei_kumite.dynamic import attack_history_enabled, get_llm
from sensei_kumite.dynamic.aliases import script_modules
from sensei_kumite.errors import ConfigurationError
from sensei_kumite.targets.python_file import run_file
from tests.llm.scripted import ScriptedModel

# What the contract promises, module by module.
NAMES = {
    "spikee.templates.attack": "Attack",
    "spikee.templates.module": "Module",
    "spikee.templates.standardised_conversation": "StandardisedConversation",
    "spikee.templates.target": "Target",
    "spikee.templates.multi_target": "MultiTarget",
    "spikee.templates.simple_multi_target": "SimpleMultiTarget",
    "spikee.utilities.enums": "Turn ModuleTag EntryType",
    "spikee.utilities.hinting": "Content Audio Image AttackAttempt AttackResponseHint ModuleDescriptionHint "
    "ModuleOptionsHint TargetResponseHint content_factory get_content get_content_type "
    "process_target_content",
    "spikee.utilities.modules": "parse_options extract_json_or_fail",
    "spikee.utilities.attack": "attack_history_enabled",
    "spikee.utilities.llm": "get_llm",
    "spikee.utilities.llm_message": "Message SystemMessage HumanMessage AIMessage",
    "spikee.utilities.llm_response": "parse_json_object parse_jsonl_variations query_structured_response "
    "LLMResponseError",
    "spikee.tester": "AdvancedTargetWrapper GuardrailTrigger RetryableError MultiTurnSkip",
}
PAIRS = [(module, name) for module, names in NAMES.items() for name in names.split()]


def run(folder: Path, text: str, answer: str = "fine") -> ModuleType:
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return run_file(path, "script", script_modules(lambda **_: ScriptedModel(answer)))


@pytest.mark.parametrize(("module", "name"), PAIRS)
def test_every_name_is_there_and_the_same_for_native_scripts(tmp_path: Path, module: str, name: str) -> None:
    found = run(
        tmp_path,
        f"""
        import {module} as whole
        from {module} import {name} as foreign
        from sensei_kumite.dynamic import {name} as native
        """,
    )
    assert found.foreign is found.native is getattr(found.whole, name)
    if name != "get_llm":
        assert found.foreign is getattr(dynamic, name)
    assert name in dynamic.__all__


@pytest.mark.parametrize(
    "text",
    [
        "from spikee.utilities.llm import get_llm",
        "from sensei_kumite.dynamic import get_llm",
        "from sensei_kumite import dynamic\nget_llm = dynamic.get_llm",
        "import sensei_kumite.dynamic\nget_llm = sensei_kumite.dynamic.get_llm",
        "import sensei_kumite.dynamic as d\nget_llm = d.get_llm",
        "def get_llm(*options):\n    import spikee.utilities.llm as llm\n    return llm.get_llm(*options)",
    ],
)
def test_get_llm_gives_the_campaigns_model(tmp_path: Path, text: str) -> None:
    found: Any = run(tmp_path, text, answer="from the campaign")
    assert found.get_llm("").invoke("hi").content == "from the campaign"


def test_two_scripts_have_each_their_own_model(tmp_path: Path) -> None:
    text = "from spikee.utilities.llm import get_llm"
    one, other = run(tmp_path, text, "one"), run(tmp_path, text, "other")
    assert [module.get_llm().invoke("hi").content for module in (one, other)] == ["one", "other"]


def test_outside_of_a_campaign_get_llm_says_where_it_works() -> None:
    with pytest.raises(RuntimeError, match="scripts that a campaign runs"):
        get_llm("openai/gpt-4o")


def test_other_parts_of_ours_are_imported_as_ever(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        """
        import json
        from sensei_kumite import __version__
        from sensei_kumite.dynamic.search import Search
        from sensei_kumite.errors import KumiteError
        """,
    )
    assert found.Search is dynamic.search.Search
    assert found.KumiteError.__module__ == "sensei_kumite.errors"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("from spikee.tester import process_entry", "process_entry"),
        ("from spikee.utilities.hinting import nothing", "nothing"),
        ("from spikee.judge import call_judge", "spikee.judge"),
        ("import spikee.providers.openai as p", "'providers'"),
        ("from spikee import viewer", "viewer"),
    ],
)
def test_what_we_do_not_offer_is_named_with_its_line(tmp_path: Path, line: str, named: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        run(tmp_path, f"import json\n{line}\n")
    assert f"{tmp_path / 'script.py'}:2: " in str(caught.value)
    assert named in str(caught.value)


def test_an_installed_package_of_that_name_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "spikee"
    package.mkdir(parents=True)
    for name in ("__init__", "tester", "judge"):
        (package / f"{name}.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(package.parent)
    found = run(tmp_path, "from spikee.tester import RetryableError")
    assert found.RetryableError is dynamic.RetryableError
    with pytest.raises(ConfigurationError, match=r"spikee\.judge"):
        run(tmp_path, "from spikee.judge import anything")
    assert not [name for name in sys.modules if name.partition(".")[0] == "spikee"]


@pytest.mark.parametrize(
    ("value", "enabled"),
    [(None, True), ("1", True), ("", True), ("0", False), ("False", False), (" no ", False), ("OFF", False)],
)
def test_the_history_is_kept_unless_the_environment_says_no(
    monkeypatch: pytest.MonkeyPatch, value: str | None, enabled: bool
) -> None:
    monkeypatch.delenv("SPIKEE_ATTACK_HISTORY", raising=False)
    if value is not None:
        monkeypatch.setenv("SPIKEE_ATTACK_HISTORY", value)
    assert attack_history_enabled() is enabled


def test_importing_the_names_imports_nothing_heavy() -> None:
    code = "import sys, sensei_kumite.dynamic; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"langchain", "langchain_core", "sklearn", "numpy", "requests", "urllib3"}
    assert not heavy & {name.partition(".")[0] for name in loaded}


def test_it_has_the_last_word_on_one_package_alone() -> None:
    modules = script_modules(None)
    assert "spikee.whatever" in modules
    assert "spikee" in modules
    assert "spikees" not in modules
    assert "other.spikee" not in modules

"""docs/simulated-user.md: its files make one workspace that is valid as printed, and its tables hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sensei_kumite.config.loader import load_workspace
from sensei_kumite.delivery.message import LONGEST_MESSAGE
from sensei_kumite.delivery.personalities import personalities
from sensei_kumite.delivery.profiles import find_identities
from sensei_kumite.delivery.simulator import LONGEST_LINE

PAGE = (Path(__file__).parent.parent.parent / "docs" / "simulated-user.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```yaml\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = {name: text for name, text in SNIPPETS if name != "security/security.yml"}
CAMPAIGNS = [text for name, text in SNIPPETS if name == "security/security.yml"]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_a_campaign_finds_its_users_as_printed(tmp_path: Path, campaign: str) -> None:
    write(tmp_path, {**FILES, "run.yml": "technology: dummy\n", "security/security.yml": campaign})
    workspace = load_workspace(tmp_path)
    identities, problems = find_identities(workspace)
    assert (workspace.problems, problems) == ((), [])
    assert len(identities) == len(workspace.entries) > 0


def test_the_personality_of_ones_own_is_found(tmp_path: Path) -> None:
    simulation = "simulation: {role: a guest, context: {personality: night-owl}}\n"
    attacks = "attacks: [{name: amnesia, execution: {mode: simulated_user, warmup_turns: 1}}]\n"
    write(tmp_path, {**FILES, "run.yml": "", "security/security.yml": simulation + attacks})
    identities, problems = find_identities(load_workspace(tmp_path))
    assert problems == []
    assert "midnight" in identities[0].context


def test_every_built_in_personality_is_in_the_table() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \| [^|]+ \|$", PAGE, re.MULTILINE)) == personalities()


def test_the_limits_are_those_of_the_page() -> None:
    assert f"{LONGEST_MESSAGE:,} characters" in PAGE
    assert f"{LONGEST_LINE:,} characters" in PAGE
    assert (len(CAMPAIGNS), len(FILES)) == (2, 2)

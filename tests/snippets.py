"""The code in our documents: found, told apart, and made into the files of a workspace."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sensei_kumite.config.campaign import Campaign
from sensei_kumite.config.run_file import RunFile

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CAMPAIGN = "security/security.yml"
ATTACK_FILE = "security/attacks/snippet.yml"
_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"# (?P<path>\S*[./]\S+)\n")


@dataclass(frozen=True)
class Snippet:
    """A fenced block. `path` is the file that it shows, empty where it shows none."""

    page: Path
    line: int
    language: str
    label: str
    text: str

    @property
    def path(self) -> str:
        name = _NAME.match(self.text)
        return name["path"] if name else self.label if "." in self.label else ""

    @property
    def kind(self) -> str:
        """What to do with it: a language, or what a YAML snippet shows; empty where nobody knows."""
        if self.language == "python" and "def attack(" in self.text:
            return "dynamic attack"
        if self.language != "yaml":
            return self.language if self.language in ("python", "sh", "toml", "json", "text") else ""
        if self.label == "report":
            return "report"
        return _kind_of_file(self.path) if self.path else _kind_of_data(yaml.safe_load(self.text))


def place(snippet: Snippet) -> str:
    return f"{snippet.page.relative_to(ROOT).as_posix()}:{snippet.line}"


def snippets(page: Path) -> list[Snippet]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        language, _, label = match["info"].partition(" ")
        line = text.count("\n", 0, match.start()) + 1
        found.append(Snippet(page, line, language, label.strip(), match["text"]))
    return found


def workspace_files(snippet: Snippet) -> dict[str, str]:
    """A workspace that uses `snippet`: the files of its page, the snippet itself, the dummy as target."""
    files = {other.path: other.text for other in snippets(snippet.page) if other.path}
    files |= {"run.yml": "technology: dummy\n", CAMPAIGN: "attacks: [{name: amnesia}]\n"}
    if snippet.kind == "dynamic attack":
        search = {"attack": snippet.path.removeprefix("security/"), "iterations": 5, "only": True}
        return files | {
            snippet.path: snippet.text,
            CAMPAIGN: _campaign({"name": "amnesia", "dynamic": search}),
        }
    data = yaml.safe_load(snippet.text)
    if snippet.kind == "attack file":
        path = snippet.path or ATTACK_FILE
        entry = {**_strategy(data), "source": path.removeprefix("security/")}
        return files | {path: snippet.text, CAMPAIGN: _campaign(entry)}
    if snippet.kind == "oracle":
        return files | {CAMPAIGN: _campaign({"name": "amnesia", "oracle": data.get("oracle", data)})}
    if snippet.kind == "attacks":
        return files | {CAMPAIGN: _campaign(*data)}
    return files | {"run.yml" if snippet.kind == "run file" else CAMPAIGN: snippet.text}


def commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    """The indented lines of a page, outside of fences and lists, as words; with their line numbers."""
    is_fenced = is_list = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        is_fenced ^= line.startswith("```")
        if line[:1].strip():
            is_list = bool(re.match(r"[-*]|\d+\.", line))
        if line.startswith("    ") and not is_fenced and not is_list:
            yield number, shlex.split(line, comments=True)


def _campaign(*entries: Any) -> str:
    return str(yaml.safe_dump({"attacks": list(entries)}))


def _strategy(data: Any) -> dict[str, Any]:
    """What an entry of a campaign has to say beside the name of an attack file."""
    if isinstance(data, list):
        return {"name": "dynamic", "dynamic": {"attack": "multi_turn"}}
    return {"name": "query_file" if "Tests" in data else "custom_benchmark"}


def _kind_of_file(path: str) -> str:
    if path.endswith(("run.yml", "run.yaml")):
        return "run file"
    if path.startswith(".github/"):
        return "workflow"
    if path.startswith("security/attacks/"):
        return "attack file"
    return "campaign" if path.startswith("security/") and path.endswith("security.yml") else "other file"


def _kind_of_data(data: Any) -> str:
    if isinstance(data, list):
        return "attacks" if all(isinstance(item, dict) and "name" in item for item in data) else ""
    keys = set(data) if isinstance(data, dict) else set()
    if (keys and keys <= {"type", "params"}) or keys == {"oracle"}:
        return "oracle"
    if keys & {"cases", "Tests"}:
        return "attack file"
    if keys and keys <= Campaign.known_keys():
        return "campaign"
    return "run file" if keys and keys <= RunFile.known_keys() else ""

"""The documents hold: what they show is run, what they name exists, and what exists is named."""

from __future__ import annotations

import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.cli.init_project import create_project
from sensei_kumite.config.campaign import Campaign
from sensei_kumite.config.fields import Block
from sensei_kumite.config.run_file import RunFile
from sensei_kumite.oracles.base import ORACLES
from sensei_kumite.targets import technologies
from tests.servers.rasa import RasaServer
from tests.servers.replies import Script, failure
from tests.snippets import PAGES, ROOT, Snippet, commands, place, snippets, workspace_files
from tests.workspace import ProjectFolder, command

SNIPPETS = [snippet for page in PAGES for snippet in snippets(page)]
COMMANDS = [(page, line, words) for page in PAGES for line, words in commands(page)]
OURS = {
    "sensei-kumite": "sensei_kumite",
    "sensei-kumite-init-project": "sensei_kumite.cli.init_project",
    "sensei-kumite-report": "sensei_kumite.cli.report",
}
USES = Path(__file__).parent / "use_of_snippet.py"
Workspace = Callable[[Mapping[str, str]], ProjectFolder]


def page_text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with the workspaces that commands in our documents name."""
    create_project(tmp_path, "my-bot")
    create_project(tmp_path / "examples", "pizza-order", template="pizza-order")
    return tmp_path


def run_words(words: list[str], folder: Path) -> None:
    """Run one of our commands in `folder`; gates may fail there, everything else must not."""
    done = subprocess.run(
        [sys.executable, "-m", OURS[words[0]], *words[1:]], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode in (0, 3), done.stderr
    assert "warning" not in done.stderr


def is_used(snippet: Snippet, folder: Path) -> None:
    """A configuration: it has no problem, and runs where it does not name a chatbot of somebody's."""
    project = ProjectFolder(folder / "project", workspace_files(snippet))
    only = "--validate-only" if snippet.kind == "run file" else "--fail-on=error"
    ran = project.run("--offline", only).succeeded()
    assert "warning" not in ran.err


def is_searched_with(snippet: Snippet, folder: Path) -> None:
    """A dynamic attack: a campaign has it search, and it makes no mistake."""
    project = ProjectFolder(folder / "project", workspace_files(snippet))
    ran = project.run("--offline", "--fail-on=error").succeeded()
    assert "warning" not in ran.err
    assert list(project.statuses()) == ["amnesia_1-attack"]


def is_run_by_python(snippet: Snippet, folder: Path) -> None:
    """In a process of its own, beside the output of a run; what it registers is then used in a campaign."""
    project = create_project(folder, "my-bot")
    command("--run-from-yaml", str(project), "--quiet").succeeded()
    code = folder / "snippet.py"
    code.write_text(snippet.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(USES), str(code)], cwd=project, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def is_run_by_a_shell(snippet: Snippet, folder: Path) -> None:
    create_project(folder, "my-bot")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["sh", "-e"],
        input=snippet.text,
        text=True,
        cwd=folder,
        check=True,
        env={**os.environ, "PATH": programs},
    )


def is_a_workflow(snippet: Snippet, folder: Path) -> None:
    """Our commands in its steps run."""
    create_project(folder, "my-bot")
    steps = [step for job in yaml.safe_load(snippet.text)["jobs"].values() for step in job["steps"]]
    ours = [words for step in steps if (words := shlex.split(step.get("run", ""))) and words[0] in OURS]
    assert ours
    for words in ours:
        run_words(words, folder)


def is_a_report(snippet: Snippet, folder: Path) -> None:
    """Its keys are compared with those of a real report below."""
    assert isinstance(yaml.safe_load(snippet.text), dict)


CHECKS: dict[str, Callable[[Snippet, Path], object]] = {
    "run file": is_used,
    "campaign": is_used,
    "attacks": is_used,
    "oracle": is_used,
    "attack file": is_used,
    "other file": lambda snippet, _: is_named(snippet),
    "workflow": is_a_workflow,
    "report": is_a_report,
    "python": is_run_by_python,
    "dynamic attack": is_searched_with,
    "sh": is_run_by_a_shell,
    "toml": lambda snippet, _: tomllib.loads(snippet.text),
    "json": lambda snippet, _: yaml.safe_load(snippet.text),
    "text": lambda snippet, _: None,
}


def is_named(snippet: Snippet) -> None:
    """A file that another snippet of the page names is read when that one is checked."""
    name = snippet.path.removeprefix("security/")
    assert any(name in other.text for other in snippets(snippet.page) if other is not snippet)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=place)
def test_a_snippet_holds(snippet: Snippet, tmp_path: Path) -> None:
    assert snippet.kind, "no test knows what this shows: see CONTRIBUTING.md on how to say it"
    CHECKS[snippet.kind](snippet, tmp_path)


@pytest.mark.parametrize(
    ("page", "line", "words"), COMMANDS, ids=[f"{page.name}:{line}" for page, line, _ in COMMANDS]
)
def test_a_command_works(page: Path, line: int, words: list[str], desk: Path) -> None:
    if words[0] in OURS:
        create_project(desk, "x").rename(desk / "workspace")
        run_words(words, desk / "workspace" if "." in words else desk)
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", page_text("Makefile"), re.MULTILINE)
    elif words[0] == "python":
        assert (ROOT / words[1]).is_file()
    else:
        assert words[:2] == ["pip", "install"], f"{page.name}:{line} shows a program that no test knows"


def test_report_snippets_show_keys_that_reports_have(
    workspace: Workspace, serve_rasa: Callable[[Script], RasaServer]
) -> None:
    server = serve_rasa(lambda message: failure(400) if "broken" in message.text else "duck")
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={server.url}\n",
            "security/security.yml": """
                attacks:
                  - name: amnesia
                    oracle: {type: keyword_absent, params: {keywords: [duck]}}
                    execution: {mode: scripted, turns: [hello, broken]}
                  - name: amnesia
                    oracle: {type: keyword_absent, params: {keywords: [goose]}}
                    dynamic: {attack: multi_turn, return_all_attempts: true}
            """,
        }
    )
    project.run().succeeded()
    known = set(keys_of(project.suite()))
    for snippet in SNIPPETS:
        if snippet.kind == "report":
            assert set(keys_of(yaml.safe_load(snippet.text))) <= known, place(snippet)


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_of(inner)


def test_the_example_in_a_comment_of_the_scaffold_is_valid(desk: Path) -> None:
    run_file = desk / "my-bot" / "run.yml"
    example = re.findall(r"^#   (\w+: .+\n)", run_file.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(example) == 2
    run_file.write_text("".join(example), encoding="utf-8")
    command("--run-from-yaml", str(desk / "my-bot"), "--validate-only").succeeded()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        linked = page.parent / name if name else page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.is_file():
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s:]+\.md)", page.read_text(encoding="utf-8"))
        waiting += [(page.parent / link).resolve() for link in links]
    assert set(PAGES) <= reached


def blocks(block: type[Block]) -> Iterator[type[Block]]:
    yield block
    for _, inner in block.inner_blocks():
        yield from blocks(inner)


def test_the_architecture_names_what_is_there() -> None:
    """Every module and folder has its row, and every dotted name is one of ours."""
    text = page_text("docs/architecture.md")
    rows = {
        name
        for row in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE)
        for name in re.findall("`(.+?)`", row)
    }
    source = ROOT / "src" / "sensei_kumite"
    there_are = {f"{path.name}/" for path in source.iterdir() if path.is_dir() and path.name[0] not in "._"}
    there_are |= {path.name for path in source.glob("*.py") if not path.name.startswith("__")}
    assert rows == there_are
    folders = "|".join(name.rstrip("/") for name in there_are if name.endswith("/"))
    for name in re.findall(rf"`((?:{folders})\.[a-z_.]+)`", text):
        assert pkgutil.resolve_name(f"sensei_kumite.{name}")


DESCRIBED: Mapping[str, Callable[[], Iterable[str]]] = {
    "docs/attacks.md": lambda: ATTACKS.names(),
    "docs/oracles.md": lambda: ORACLES.names(),
    "docs/targets.md": lambda: technologies(),
    "docs/configuration.md": lambda: {
        key for model in (RunFile, Campaign) for block in blocks(model) for key in block.known_keys()
    },
}


@pytest.mark.parametrize("page", DESCRIBED)
def test_everything_there_is_has_its_place_in_the_documents(page: str) -> None:
    words = set(re.findall(r"(?<=[`.])[\w-]+(?=[`.])", page_text(page)))
    assert set(DESCRIBED[page]()) - words == set()


def test_every_argument_is_described_and_no_other() -> None:
    there_are: set[str] = set()
    for module in OURS.values():
        shown = subprocess.run(
            [sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True
        )
        there_are |= set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", shown.stdout.partition("options:")[2]))
    described = set(re.findall(r"`(--?[a-z][a-z-]*)", page_text("docs/command-line.md")))
    assert described == there_are

"""The snippets of the two pages about attacks are valid as printed: each is a file of one workspace."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from sensei_kumite.config.loader import load_workspace
from sensei_kumite.engine.check import check
from sensei_kumite.engine.plan import expand
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.roles import Models
from tests import snippets as shown
from tests.attacks.build import attack, written

DOCS = Path(__file__).parent.parent.parent / "docs"
CAMPAIGN = "security/security.yml"


def snippets(page: str) -> list[tuple[str, str]]:
    """The files that a page shows, by name."""
    return [(one.path, one.text) for one in shown.snippets(DOCS / page) if one.path]


PAGES = ["attacks.md", "custom-attacks.md"]
CAMPAIGNS = [(page, text) for page in PAGES for name, text in snippets(page) if name == CAMPAIGN]
ATTACK_FILES = [
    (page, name)
    for page in PAGES
    for name, _ in snippets(page)
    if name.startswith("security/attacks/") and name.endswith(".yml")
]


def cases_of(folder: Path, page: str, campaign: str) -> list[str]:
    files = {"run.yml": "", **dict(snippets(page)), CAMPAIGN: campaign}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    workspace = load_workspace(folder)
    models = Models(workspace.campaign, Ledger(None, Prices()), {}, offline=True)
    plan, problems = check(workspace, models)
    assert [str(problem) for problem in (*workspace.problems, *problems)] == []
    return [case.prompt for case in expand(plan, lambda _: Decimal(0))]


def test_the_pages_have_snippets() -> None:
    assert len(CAMPAIGNS) >= 5
    assert len(ATTACK_FILES) >= 2


@pytest.mark.parametrize(("page", "campaign"), CAMPAIGNS)
def test_a_campaign_is_valid_as_printed(tmp_path: Path, page: str, campaign: str) -> None:
    assert cases_of(tmp_path, page, campaign)


@pytest.mark.parametrize(("page", "name"), ATTACK_FILES)
def test_an_attack_file_is_valid_as_printed(tmp_path: Path, page: str, name: str) -> None:
    source = name.removeprefix("security/")
    assert cases_of(tmp_path, page, f"attacks: [{{name: custom_benchmark, source: {source}}}]")


def test_doubled_braces_arrive_as_the_page_says(tmp_path: Path) -> None:
    campaign = "attacks: [{name: custom_benchmark, source: attacks/templates.yml}]"
    assert cases_of(tmp_path, "custom-attacks.md", campaign) == [
        "Dear {{7*7}}, how are you?",
        "Hello {{config.secret}}!",
    ]


def test_the_example_of_a_strategy_works() -> None:
    from sensei_kumite.attacks.base import ATTACKS, Attack

    [code] = re.findall(
        r"^```python\n(.*?)^```$", (DOCS / "attacks.md").read_text(), re.MULTILINE | re.DOTALL
    )
    names: dict[str, object] = {}
    exec(code.replace('@ATTACKS.register("echo")\n', ""), names)
    echo = names["Echo"]
    assert isinstance(echo, type)
    assert issubclass(echo, Attack)
    assert "echo" not in ATTACKS
    built = attack("amnesia", attempts=2)
    prompts = written(echo(built.entry, echo.Params(), built.context))
    assert [prompt.text for prompt in prompts] == ["Repeat after me: sesame"] * 2

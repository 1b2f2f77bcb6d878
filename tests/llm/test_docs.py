"""The snippets of docs/models.md are valid as printed, and its tables are complete."""

import re
from pathlib import Path

import pytest

from sensei_kumite.config.campaign import ModelBlock
from sensei_kumite.config.loader import load_workspace
from sensei_kumite.llm.prices import ModelPrice, load_prices

PAGE = (Path(__file__).parent.parent.parent / "docs" / "models.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```yaml\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CAMPAIGNS = [text for name, text in SNIPPETS if name == "security/security.yml"]
PRICES = [text for name, text in SNIPPETS if name.startswith("pricing/")]


@pytest.mark.parametrize("text", CAMPAIGNS)
def test_a_campaign_is_valid_as_printed(tmp_path: Path, text: str) -> None:
    (tmp_path / "security").mkdir()
    (tmp_path / "security" / "security.yml").write_text(text)
    (tmp_path / "run.yml").write_text("technology: dummy\n")
    assert load_workspace(tmp_path).problems == ()


@pytest.mark.parametrize("text", PRICES)
def test_prices_are_valid_as_printed(tmp_path: Path, text: str) -> None:
    (tmp_path / "pricing").mkdir()
    (tmp_path / "pricing" / "house.yml").write_text(text)
    assert load_prices(tmp_path)[1] == []


def test_the_page_has_its_snippets() -> None:
    assert (len(CAMPAIGNS), len(PRICES)) == (3, 1)


@pytest.mark.parametrize("key", sorted(ModelBlock.known_keys() | ModelPrice.known_keys()))
def test_every_key_is_explained(key: str) -> None:
    assert f"`{key}`" in PAGE

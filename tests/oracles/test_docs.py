"""docs/oracles.md: every snippet is valid as printed, and judges the examples below it as the page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.oracles.base import ORACLES, Oracle, OracleContext
from sensei_kumite.yaml_reader import parse_yaml
from tests.oracles.scoring import oracle

PAGE = (Path(__file__).parent.parent.parent / "docs" / "oracles.md").read_text(encoding="utf-8")
SNIPPET = re.compile(
    r"^```yaml\n(oracle:\n.*?)^```\n\n((?:- (?:passes|fails): `[^\n]*`\n)+)", re.MULTILINE | re.DOTALL
)
SNIPPETS = [
    (yaml, re.findall(r"- (passes|fails): `(.*)`\n", examples)) for yaml, examples in SNIPPET.findall(PAGE)
]
EXAMPLES = [(yaml, says, response) for yaml, examples in SNIPPETS for says, response in examples]
FIRST_COLUMN = re.compile(r"^\| (.*?) \|", re.MULTILINE)


def built(yaml: str) -> tuple[str, Oracle[Any]]:
    entry = parse_yaml(yaml, Path("oracles.md")).data["oracle"]
    return entry["type"], oracle(entry["type"], entry.get("params", {}))


@pytest.mark.parametrize(("yaml", "says", "response"), EXAMPLES, ids=[each[2] for each in EXAMPLES])
def test_an_example_is_judged_as_the_page_says(yaml: str, says: str, response: str) -> None:
    _, judge = built(yaml)
    assert judge.score("", response).passed is (says == "passes")


def test_every_snippet_has_examples_of_both_verdicts_unless_a_model_judges() -> None:
    shown = {yaml: {says for says, _ in examples} for yaml, examples in SNIPPETS}
    all_snippets = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(all_snippets) >= 20
    for yaml in all_snippets:
        _, judge = built(yaml)
        assert judge.needs_model or shown[yaml] == {"passes", "fails"}, yaml


def test_every_oracle_is_on_the_page() -> None:
    table = "".join(FIRST_COLUMN.findall(PAGE))
    assert {name for name in ORACLES.names() if f"`{name}`" not in table} == set()


def test_the_evidence_is_what_the_table_says() -> None:
    for yaml, examples in SNIPPETS:
        name, judge = built(yaml)
        evidence = judge.score("", examples[0][1]).evidence
        [row] = [line for line in PAGE.splitlines() if line.startswith("| [") and f"`{name}`" in line]
        shown = row.split("|")[3]
        assert "the same" in shown or all(f"`{key}`" in shown for key in evidence), name


def test_the_example_of_an_oracle_works() -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    judge = names["ShortEnough"](names["LengthParams"](characters=3), OracleContext(Path))
    assert judge.score("", "abc").passed
    assert not judge.score("", "abcd").passed

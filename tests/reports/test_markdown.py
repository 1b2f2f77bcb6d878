"""The summary for pull requests, read as GitHub's Markdown is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.markdown import code, write_markdown
from sensei_kumite.text import excerpt
from tests.reports.campaign_run import INFO, ROWS
from tests.reports.hostile import ALL, PAYLOADS, hostile_run
from tests.reports.journals import make_row
from tests.reports.searches import search_row

PARSER = MarkdownIt("commonmark").enable("table")


def summary_of(folder: Path, rows: list[dict[str, Any]], info: RunInfo = INFO) -> str:
    write_markdown(folder / "summary.md", rows, info)
    return (folder / "summary.md").read_text(encoding="utf-8")


def kinds(text: str) -> list[str]:
    """The kinds of all elements, blocks and inline, without the texts between them."""
    found: list[str] = []
    for token in PARSER.parse(text):
        found.append(token.type)
        found += [inner.type for inner in token.children or [] if inner.type != "text"]
    return found


def code_spans(text: str) -> list[str]:
    inline: list[Token] = [inner for token in PARSER.parse(text) for inner in token.children or []]
    return [token.content for token in inline if token.type == "code_inline"]


def test_the_summary_has_verdict_table_and_examples(tmp_path: Path) -> None:
    text = summary_of(tmp_path, ROWS)
    assert text.startswith("## Security report: `billing/2026: suite`\n")
    assert "**1 confirmed breach in 2 scored attempts: 50% (95% interval 9% to 91%).**" in text
    assert "| `amnesia` | 2 | 1 | 0 | 0 | 1 | 0 | 100% (21% to 100%) |" in text
    assert "| `mine` | 3 | 0 | 1 | 1 | 0 | 1 | 0% (0% to 79%) |" in text
    assert "| **total** | 5 | 1 | 1 | 1 | 1 | 1 | 50% (9% to 91%) |" in text
    assert "`Interrupted.`" in text
    assert "- `amnesia` `amnesia_1`: `Found: duck`" in text
    assert "1 attempt got no verdict. Most often (1): `timed out after 5 s`" in text


def test_a_breach_of_a_search_says_so(tmp_path: Path) -> None:
    found = search_row(0, "breached", dynamic={"attack": "*my* @script", "iterations": 17})
    text = summary_of(tmp_path, [make_row(0), found])
    assert "- `amnesia` `amnesia_1-attack` (found by `*my* @script` after 17 iterations): `Scored.`" in text


def test_a_run_without_results_has_a_summary(tmp_path: Path) -> None:
    text = summary_of(tmp_path, [])
    assert "No attempt was scored" in text
    assert "| **total** | 0 | 0 | 0 | 0 | 0 | 0 | – |" in text


def test_it_stays_short(tmp_path: Path) -> None:
    rows = [make_row(index, "breached", attack=f"attack {index:04}") for index in range(1000)]
    text = summary_of(tmp_path, rows)
    assert "950 further attacks" in text
    assert text.count("<br>prompt") == 10
    assert len(text) < 20_000


@pytest.mark.parametrize(
    "payload", [*PAYLOADS, ALL, "a|b", "|", "\\|", "`", "``x`", "@team #1 **b** [l](http://x)"]
)
def test_no_payload_is_markup(payload: str, tmp_path: Path) -> None:
    shape = kinds(summary_of(tmp_path, *hostile_run("harmless")))
    assert kinds(summary_of(tmp_path, *hostile_run(payload))) == shape


@given(text=st.text(max_size=100))
def test_any_text_is_one_code_span(text: str) -> None:
    rendered = code(text)
    assert kinds(f"before {rendered} after") == ["paragraph_open", "inline", "code_inline", "paragraph_close"]
    assert code_spans(f"before {rendered} after") == [excerpt(text, 120) or "(empty)"]


@given(name=st.text("|\\` ab", min_size=1, max_size=12))
def test_any_name_stays_in_its_cell(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = summary_of(tmp_path_factory.mktemp("run"), [make_row(0, attack=name)])
    table = text[text.index("| attack") :]
    assert kinds(table).count("td_open") == 16
    assert code_spans(table)[0] == (excerpt(name) or "(empty)")

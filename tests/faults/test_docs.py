"""docs/reliability.md names every fault that is injected, and no other."""

from __future__ import annotations

import re

from tests.faults.summary import COUNTED
from tests.servers.faulty import HANGING, HARMLESS, PERMANENT, TRANSIENT
from tests.snippets import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_the_table_has_every_fault() -> None:
    section = PAGE.partition("### Answers that are none")[2].partition("\n### ")[0]
    first_cells = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    named = [name for cell in first_cells for name in re.findall("`(.+?)`", cell)]
    assert sorted(named) == sorted(fault.name for fault in [*TRANSIENT, *HANGING, *PERMANENT, *HARMLESS])


def test_the_line_it_shows_is_the_one_that_is_printed() -> None:
    line = re.search(r"^fault suite: (.+)$", PAGE, re.MULTILINE)
    assert line is not None
    assert [re.sub(r"^[\d,]+ ", "", part) for part in line[1].split(", ")] == list(COUNTED)

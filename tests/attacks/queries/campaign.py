"""Campaigns of query files: written, loaded and checked as the command does it, and expanded to cases."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import sensei_kumite.attacks
import sensei_kumite.oracles  # noqa: F401  # both register what they hold
from sensei_kumite.config.loader import load_workspace
from sensei_kumite.engine.check import check
from sensei_kumite.engine.plan import Plan, expand
from sensei_kumite.errors import Problem
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.roles import Models
from sensei_kumite.models import Case

ENTRY = "attacks: [{name: query_file, source: attacks/q.yml}]\n"


def checked(folder: Path, files: Mapping[str, str], campaign: str = ENTRY) -> tuple[Plan, list[Problem]]:
    """The plan of a campaign with these files in security/attacks/, and all that is wrong with it."""
    texts = {"run.yml": "technology: dummy\n", "security/security.yml": campaign}
    texts |= {f"security/attacks/{name}": text for name, text in files.items()}
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    workspace = load_workspace(folder)
    plan, problems = check(workspace, Models(workspace.campaign, Ledger(None, Prices()), {}, offline=True))
    return plan, [*workspace.problems, *problems]


def problems_of(folder: Path, text: str) -> list[str]:
    """What is wrong with a query file, sorted by place, without the path before its name."""
    _, problems = checked(folder, {"q.yml": text})
    return [str(problem).rpartition("attacks/")[2] for problem in sorted(problems, key=Problem.sort_key)]


def cases(plan: Plan) -> list[Case]:
    """Every case of the plan."""
    return list(expand(plan, lambda _: Decimal(0)))

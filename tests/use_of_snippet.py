"""A program: runs a Python snippet of the documents, then a campaign with whatever it registered."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.cli.main import main
from sensei_kumite.dynamic import DYNAMIC_ATTACKS
from sensei_kumite.oracles.base import ORACLES
from sensei_kumite.registry import Registry
from sensei_kumite.targets.base import TARGETS


def use(snippet: str) -> int:
    registries: list[Registry[Any]] = [ATTACKS, ORACLES, TARGETS, DYNAMIC_ATTACKS]
    before = [set(registry.names()) for registry in registries]
    runpy.run_path(snippet, run_name="__main__")
    attacks, oracles, targets, searches = (
        sorted(set(registry.names()) - known) for registry, known in zip(registries, before, strict=True)
    )
    if not (attacks or oracles or targets or searches):
        return 0
    more = f"oracle: {{type: {(oracles or ['refusal_detection'])[0]}}}"
    if searches:
        more += f", dynamic: {{attack: {searches[0]}, only: true}}"
    entries = "".join(f"  - {{name: {name}, {more}}}\n" for name in attacks or ["amnesia"])
    Path("run.yml").write_text(f"technology: {(targets or ['dummy'])[0]}\n", encoding="utf-8")
    Path("security/security.yml").write_text(f"attacks:\n{entries}", encoding="utf-8")
    return main(["--run-from-yaml", ".", "--offline", "--fail-on", "error"])


if __name__ == "__main__":
    sys.exit(use(sys.argv[1]))

"""The small campaigns that faults are injected into: one attack, a case for every text sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.workspace import ProjectFolder


def campaign(folder: Path, url: str, cases: Iterable[str], **execution: Any) -> ProjectFolder:
    """A workspace whose cases are called as the text that they send; a reply with `secret` is a breach.

    `execution` are the keys of that block; `reports` the formats.
    """
    listed = [{"id": case, "prompt": case} for case in cases]
    reports = execution.pop("reports", [])
    return ProjectFolder(
        folder,
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={url}\n",
            "security/security.yml": json.dumps(
                {
                    "security_test_name": "campaign",
                    "execution": {"seed": 1, **execution},
                    "reports": reports,
                    "attacks": [{"name": "custom_benchmark", "source": "attacks/a.yml"}],
                }
            ),
            "security/attacks/a.yml": json.dumps(
                {"oracle": {"type": "keyword_absent", "params": {"keywords": ["secret"]}}, "cases": listed}
            ),
        },
    )

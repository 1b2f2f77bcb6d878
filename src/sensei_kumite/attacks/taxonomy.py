"""Which public identifiers of weaknesses an attack exercises, read from resources/taxonomy.yml."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sensei_kumite.yaml_reader import parse_yaml


def taxonomy_of(attack: str) -> tuple[str, ...]:
    """The OWASP and MITRE ATLAS ids of the attack called `attack`; none for one that is not ours."""
    return tuple(_data()["attacks"].get(attack, ()))


def taxonomy_name(identifier: str) -> str:
    """What the standard calls `identifier` ("Prompt Injection"); empty where we do not know it."""
    return str(_data()["names"].get(identifier, ""))


@cache
def _data() -> Any:
    resource = files("sensei_kumite") / "resources" / "taxonomy.yml"
    return parse_yaml(resource.read_text(encoding="utf-8"), Path("taxonomy.yml")).data

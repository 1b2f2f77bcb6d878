"""`key=value,key=value`: how the options of a dynamic attack are written."""

from __future__ import annotations

from typing import Any

from sensei_kumite.targets.script_names import parse_options as parse_options
from sensei_kumite.yaml_scalars import resolve_scalar


def typed_options(option: str | None) -> dict[str, Any]:
    """The options in `key=value,…`, their values read as YAML reads them: numbers, true and false, texts."""
    return {key: resolve_scalar(value) for key, value in parse_options(option).items()}

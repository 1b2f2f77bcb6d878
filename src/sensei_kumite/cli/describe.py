"""What `--list-*` and `--describe-*` print: made from the registries and the parameter models alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.attacks.taxonomy import taxonomy_of
from sensei_kumite.config.fields import Block
from sensei_kumite.oracles.base import ORACLES


def attack_list() -> Iterator[str]:
    """One line per attack: its name and what it does."""
    return _list({name: ATTACKS.get(name).description for name in ATTACKS.names()})


def oracle_list() -> Iterator[str]:
    """One line per oracle: its name and when it passes."""
    return _list({name: ORACLES.get(name).description for name in ORACLES.names()})


def attack(name: str) -> Iterator[str]:
    """Everything about one attack; raises UnknownName."""
    attack_class = ATTACKS.get(name)
    yield f"{name}: {attack_class.description}"
    yield f"  default oracle: {attack_class.default_oracle.type} {dict(attack_class.default_oracle.params) or ''}".rstrip()
    yield f"  needs a generation model: {'yes' if attack_class.needs_generation else 'no'}"
    yield f"  can be rephrased: {attack_class.rephrases or 'no'}"
    yield f"  taxonomy: {', '.join(taxonomy_of(name)) or '-'}"
    yield from _params(attack_class.Params)


def oracle(name: str) -> Iterator[str]:
    """Everything about one oracle; raises UnknownName."""
    oracle_class = ORACLES.get(name)
    yield f"{name}: {oracle_class.description}"
    yield f"  passes (resilient) when {oracle_class.passes_when}"
    yield from _params(oracle_class.Params)


def _list(descriptions: dict[str, str]) -> Iterator[str]:
    width = max(map(len, descriptions))
    for name, description in descriptions.items():
        yield f"{name:<{width}}  {description}"


def _params(model: type[Block]) -> Iterator[str]:
    """A line per parameter: name, type, default, meaning."""
    schema = model.model_json_schema()
    required = set(schema.get("required", []))
    properties: dict[str, Any] = schema.get("properties", {})
    yield "  params:" if properties else "  params: none"
    for name, field in properties.items():
        default = "required" if name in required else f"default {field.get('default')!r}"
        yield f"    {name} ({_type(field)}, {default})  {field.get('description', '')}".rstrip()


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_type(option) for option in field["anyOf"] if option.get("type") != "null")
    if "enum" in field:
        return " | ".join(map(str, field["enum"]))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    return {"string": "text", "object": "map", "boolean": "true/false"}.get(field.get("type", ""), field.get("type", "any"))

"""JSON Schemas (draft 2020-12) of run.yml and security.yml, so that editors complete and check them.

They are made from the models, and as lenient in spelling: a key may be empty, a number may stand for text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Literal

from sensei_kumite.config.campaign import AttackEntry, Campaign, OracleEntry
from sensei_kumite.config.fields import Block
from sensei_kumite.config.run_file import RunFile
from sensei_kumite.files import write_atomically

Schema = dict[str, Any]
FileKind = Literal["run", "security"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODELS: dict[FileKind, type[Block]] = {"run": RunFile, "security": Campaign}
_EMPTY: Schema = {"type": "null"}
_FLAG = [True, False, "yes", "no", "on", "off"]


@dataclass(frozen=True, slots=True)
class Names:
    """Registered names that editors should offer; where there are none, any text is taken."""

    attacks: Sequence[str] = ()
    oracles: Sequence[str] = ()
    technologies: Sequence[str] = ()


def schema_for(kind: FileKind, names: Names = Names()) -> Schema:
    """The JSON Schema of run.yml or security.yml."""
    model = _MODELS[kind]
    schema = model.model_json_schema()
    objects: dict[str, Schema] = {**schema.pop("$defs", {}), model.__name__: schema}
    _offer(objects, names)
    for node in [node for root in objects.values() for node in _nodes(root)]:
        _accept_other_spellings(node)
    for block in _blocks(model):
        _add_aliases(objects[block.__name__]["properties"], block)
    del objects[model.__name__]
    return {"$schema": _DIALECT, "title": f"sensei-kumite {kind}.yml", **schema, "$defs": objects}


def write_schemas(folder: Path, names: Names = Names()) -> list[Path]:
    """Write `run.schema.json` and `security.schema.json` into `folder`; their paths. Raises OSError."""
    paths: list[Path] = []
    for kind in _MODELS:
        path = folder / f"{kind}.schema.json"
        with write_atomically(path) as stream:
            json.dump(schema_for(kind, names), stream, indent=2, ensure_ascii=False)
            stream.write("\n")
        paths.append(path)
    return paths


def _offer(objects: Mapping[str, Schema], names: Names) -> None:
    """Let the fields that hold registered names take those only."""
    for block, field, choices in (
        (AttackEntry, "name", names.attacks),
        (OracleEntry, "type", names.oracles),
        (RunFile, "technology", names.technologies),
    ):
        if choices and block.__name__ in objects:
            properties = objects[block.__name__]["properties"]
            properties[field] = {"description": properties[field]["description"], "enum": sorted(choices)}


def _nodes(schema: Schema) -> Iterator[Schema]:
    """Every schema within `schema`, the inner ones first."""
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for node in (*inner, schema.get("items"), schema.get("additionalProperties")):
        if isinstance(node, dict):
            yield from _nodes(node)
    yield schema


def _accept_other_spellings(node: Schema) -> None:
    """Take what the loader takes and a strict reading of the types would not."""
    node.pop("title", None)
    if isinstance(node.get("default", {}), (dict, NoneType)):
        node.pop("default", None)
    if node.get("type") == "boolean":
        node["enum"] = list(_FLAG)
        del node["type"]
    elif node.get("type") == "string" and "enum" not in node:
        node["type"] = ["string", "number"]
    for name, child in node.get("properties", {}).items():
        if name not in node.get("required", ()):
            node["properties"][name] = _or_empty(child)


def _or_empty(node: Schema) -> Schema:
    """`node` where a key may also stand without a value."""
    about = {key: value for key, value in node.items() if key in ("description", "default")}
    rules = {key: value for key, value in node.items() if key not in about}
    options = [option for option in rules.get("anyOf", [rules]) if option != _EMPTY]
    return {**about, "anyOf": [*options, _EMPTY]} if rules else node


def _blocks(model: type[Block]) -> set[type[Block]]:
    return {model, *(found for _, inner in model.inner_blocks() for found in _blocks(inner))}


def _add_aliases(properties: Schema, block: type[Block]) -> None:
    """A key by another name has the same schema."""
    for first, *others in block.key_names():
        for other in others:
            properties[other] = {**properties[first], "description": f"Another name of {first}."}

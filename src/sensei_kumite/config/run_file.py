"""run.yml as a model: what is tested. Other tools share the file, so keys we do not know may be theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema

from sensei_kumite.config.fields import Block, Text
from sensei_kumite.config.problems import unknown_keys, validated_parts
from sensei_kumite.errors import Problem
from sensei_kumite.yaml_reader import Document
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt, resolve_scalar

_BOOLEANS = {"true": True, "false": False}


def _connector_params(value: Any) -> Any:
    """A mapping, whichever of three forms it was written in. Messages show no value: it may be a secret."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        return _json_object(value)
    return dict(_pairs(value))


def _json_object(text: str) -> Any:
    try:
        return json.loads(text, parse_int=TypedInt, parse_float=TypedFloat)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not a valid JSON object: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def _pairs(text: str) -> Iterator[tuple[str, Any]]:
    """`key=value` pairs between commas; a value may hold further equals signs."""
    seen: set[str] = set()
    for number, pair in enumerate(text.split(","), 1):
        if not pair.strip():
            continue
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not key:
            raise ValueError(
                f"pair {number} is not of the form key=value; "
                "where a value holds a comma, write the parameters as a mapping"
            )
        if key in seen:
            raise ValueError(f"{key!r} is given twice")
        seen.add(key)
        yield key, _typed(value)


def _typed(text: str) -> Any:
    """The number or boolean that `text` spells, else the text itself."""
    value = _BOOLEANS.get(text.lower(), resolve_scalar(text))
    return text if value is None else value


def _switch(name: str) -> str:
    """`--validate-only`, `validate-only` and `validate_only` are one switch."""
    return name.strip().lstrip("-").replace("-", "_").lower()


ConnectorParams = Annotated[
    dict[str, Any],
    BeforeValidator(_connector_params),
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "string"}]}),
]


class SecuritySection(Block):
    """Where the campaign is."""

    model_config = ConfigDict(extra="ignore")

    config: Text = Field("security/security.yml", description="The campaign file, from the project folder.")


class RunFile(Block):
    """What is tested, and how it is reached."""

    model_config = ConfigDict(extra="ignore")

    technology: Text | None = Field(None, description="What speaks to the chatbot: rasa, taskyto, dummy, …")
    connector_params: ConnectorParams = Field(
        default_factory=dict, description="A mapping, a list key=value,key=value, or a JSON object as text."
    )
    """Numbers remember how they were typed."""
    security: SecuritySection = SecuritySection()
    execution_parameters: list[Annotated[Text, AfterValidator(_switch)]] = Field(
        default_factory=list, description="Switches of the command line that hold for every run: verbose, …"
    )
    project_folder: Any = Field(None, description="Written by versions before 0.2; not used.")


def read_run_file(document: Document) -> tuple[RunFile, list[Problem]]:
    """The run.yml in `document`, and what is wrong with it: keys that have problems keep their defaults."""
    run_file, problems = validated_parts(RunFile, document)
    warnings = [
        *unknown_keys(RunFile, document),
        *unknown_keys(SecuritySection, document, ("security",)),
    ]
    return run_file, [*problems, *warnings]

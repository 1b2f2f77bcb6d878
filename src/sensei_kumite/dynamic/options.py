"""`key=value,key=value`: how the options of a dynamic attack are written, read, checked and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sensei_kumite.config.fields import Block
from sensei_kumite.config.problems import problems_from
from sensei_kumite.targets.script_names import parse_options as parse_options
from sensei_kumite.yaml_reader import parse_yaml
from sensei_kumite.yaml_scalars import resolve_scalar


def typed_options(option: str | None) -> dict[str, Any]:
    """The options in `key=value,…`, their values read as YAML reads them: numbers, true and false, texts."""
    return {key: resolve_scalar(value) for key, value in parse_options(option).items()}


def default_options(model: type[Block]) -> dict[str, str]:
    """Every option of a model with its default, as they are written."""
    defaults = model().model_dump()
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in defaults.items()
    }


def described_options(model: type[Block]) -> Iterator[str]:
    """The options of a model with their defaults, and what they mean."""
    for name, value in default_options(model).items():
        yield f"{name}={value}  {model.model_fields[name].description or ''}".rstrip()


def option_problems(text: str, read: Callable[[str], Any]) -> list[str]:
    """What is wrong with the options in `text`, a sentence each; `read` raises ValueError, or pydantic's
    ValidationError."""
    if malformed := _malformed(text):
        return malformed
    try:
        read(text)
    except ValidationError as error:
        document = replace(parse_yaml("{}", Path("options")), data=typed_options(text))
        found = problems_from(error, document, label="")
        return [" ".join(filter(None, (problem.message, problem.hint))) for problem in found]
    except ValueError as error:
        return [str(error)]
    return []


def _malformed(text: str) -> list[str]:
    """What is not written `key=value,key=value`; a value may go on behind a comma."""
    found: list[str] = []
    keys: set[str] = set()
    for part in text.split(",") if text else ():
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not key or (not sign and not keys):
            found.append(f"{part.strip()!r} is no option; options are written key=value,key=value.")
        elif sign and not value:
            found.append(f"{key} has no value; leave it out for its default.")
        elif sign and key in keys:
            found.append(f"{key} is given twice.")
        keys |= {key} if sign else set()
    return found

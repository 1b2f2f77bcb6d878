"""The field types that configuration models share: strict about meaning, lenient about spelling.

Messages of validators continue a location: `attacks[1] (amnesia) > rephrase: should be a number, not 'high'`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sensei_kumite.text import excerpt
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt, plain, resolve_scalar

_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})


def shown(value: Any) -> str:
    """A value of a configuration as messages name it: short, and as it was typed."""
    if value is None:
        return "an empty value"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (TypedInt, TypedFloat)):
        return excerpt(value.source, 60)
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    return f"'{excerpt(value, 60)}'" if isinstance(value, str) else excerpt(str(value), 60)


def _text_as_typed(value: Any) -> Any:
    """An unquoted number is the text as typed (`007`); an unquoted true or false must be quoted."""
    if isinstance(value, bool):
        word = str(value).lower()
        raise ValueError(f'{word} without quotes is a boolean; quote it to mean the text: "{word}"')
    if isinstance(value, (TypedInt, TypedFloat)):
        return value.source
    if isinstance(value, (int, float)):
        return str(value)
    return value


def _flag(value: Any) -> Any:
    """YAML 1.1 habits (`yes`, `off`) are unambiguous where a switch is expected."""
    word = value.lower() if isinstance(value, str) else None
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    if not isinstance(value, bool):
        raise ValueError(f"should be true or false, not {shown(value)}")
    return value


def _number(value: Any) -> Any:
    """Numbers are unquoted: a text or a boolean here is a mistake worth naming."""
    if isinstance(value, str) and not isinstance(resolve_scalar(value), (str, bool, type(None))):
        raise ValueError(f"should be a number, not the text {shown(value)}; write it without quotes")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"should be a number, not {shown(value)}")
    return plain(value)


Text = Annotated[str, BeforeValidator(_text_as_typed)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Integer = Annotated[int, BeforeValidator(_number)]
Number = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_number)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False), BeforeValidator(_number)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False), BeforeValidator(_number)]
Plain = Annotated[Any, AfterValidator(plain)]


class WrongKey(ValueError):
    """A rule of a block that one of its keys breaks: `key` is where a person has to look."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class Unexpected:
    """Stands in for the value of a key that `block` does not take, so that its error can name those it does.

    `twin` is the key of the same meaning that the block has already.
    """

    block: type[Block]
    twin: str | None = None


class Block(BaseModel):
    """A mapping in a configuration file: unknown keys are errors, a key without a value is not given."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, data: Any) -> Any:
        """Drop known keys without a value; mark what is not expected."""
        if not isinstance(data, dict):
            return data
        names = cls.key_names()
        known = {name for same in names for name in same}
        given = {key: value for key, value in data.items() if value is not None or key not in known}
        if cls.model_config.get("extra") == "forbid":
            given |= {key: Unexpected(cls) for key in given if key not in known}
            for first, *others in names:
                given |= {key: Unexpected(cls, first) for key in others if key in given and first in given}
        return given

    @classmethod
    def known_keys(cls) -> set[str]:
        """Every key this block accepts, aliases included."""
        return {name for same in cls.key_names() for name in same}

    @classmethod
    def key_names(cls) -> list[list[str]]:
        """The keys of each field, the preferred one first."""
        names: list[list[str]] = []
        for name, field in cls.model_fields.items():
            choices = getattr(field.validation_alias, "choices", [field.validation_alias])
            aliases = [choice for choice in choices if isinstance(choice, str)]
            names.append(list(dict.fromkeys([*aliases, name])))
        return names

    @classmethod
    def inner_blocks(cls) -> Iterator[tuple[str, type[Block]]]:
        """The blocks that fields of this one hold, with the step to them: `attacks[]` for a list."""
        for name, field in cls.model_fields.items():
            yield from _blocks_in(name, field.annotation)


def _blocks_in(step: str, annotation: Any) -> Iterator[tuple[str, type[Block]]]:
    if isinstance(annotation, type) and issubclass(annotation, Block):
        yield step, annotation
    for argument in get_args(annotation):
        yield from _blocks_in(f"{step}[]" if get_origin(annotation) is list else step, argument)

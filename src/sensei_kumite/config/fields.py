"""The field types that configuration models share: strict about meaning, lenient about spelling."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, model_validator

from sensei_kumite.files import TypedFloat, TypedInt, plain

_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})


def _text_as_typed(value: Any) -> Any:
    """An unquoted number is the text as typed (`007`); an unquoted true or false must be quoted."""
    if isinstance(value, bool):
        raise ValueError(f'is a boolean; quote it to mean the text: "{str(value).lower()}"')
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
        raise ValueError("should be true or false")
    return value


def _number(value: Any) -> Any:
    """Numbers are unquoted: a text or a boolean here is a mistake worth naming."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"should be a number, not {value!r}; write it without quotes")
    return plain(value)


Text = Annotated[str, BeforeValidator(_text_as_typed)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Integer = Annotated[int, BeforeValidator(_number)]
Number = Annotated[float, BeforeValidator(_number)]
Plain = Annotated[Any, AfterValidator(plain)]


class Block(BaseModel):
    """A mapping in a configuration file: unknown keys are errors, a key without a value is not given."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        known = cls.known_keys()
        return {key: value for key, value in data.items() if value is not None or key not in known}

    @classmethod
    def known_keys(cls) -> set[str]:
        """Every key this block accepts, aliases included."""
        keys = set(cls.model_fields)
        for field in cls.model_fields.values():
            choices = getattr(field.validation_alias, "choices", [field.validation_alias])
            keys.update(choice for choice in choices if isinstance(choice, str))
        return keys

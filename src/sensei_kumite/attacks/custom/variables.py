"""Variables of a case as the file declares them: a text, a file, a model's answer, or a function's result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from sensei_kumite.attacks.custom.placeholders import NAME, names_in, texts
from sensei_kumite.config.campaign import Params
from sensei_kumite.config.fields import Block, Flag, Number, Text, WrongKey
from sensei_kumite.yaml_reader import YamlPath

_TARGET = "arguments."


def _not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _identifier(text: str) -> str:
    if not text.isidentifier():
        raise ValueError("should be the name of a function")
    return text


FilledText = Annotated[Text, AfterValidator(_not_empty)]


class Generation(Block):
    """What a model is asked for: `prompt` tells it, `fallback` takes the place of a refusal or an error."""

    prompt: FilledText
    fallback: FilledText
    context: Flag = False
    model: Text | None = None
    model_provider: Text | None = None
    temperature: Number = Field(0.7, ge=0, le=2)


class Generated(Block):
    """The value of a variable that a model writes."""

    generate: Generation


class Rephrasing(Block):
    """Which argument of a function is rephrased before the call: `arguments.text`."""

    target: FilledText

    @property
    def steps(self) -> list[str]:
        """The way to the argument through the map of arguments."""
        return self.target.removeprefix(_TARGET).split(".")


class FunctionCall(Block):
    """A call of a function of a Python file, with named arguments."""

    path: FilledText
    name: Annotated[Text, AfterValidator(_identifier)] = Field("transform", description="What it is called.")
    arguments: Params = Field(default_factory=dict)
    rephrase: Rephrasing | None = None

    @property
    def target(self) -> Any:
        """The argument that is rephrased, as it is written; None where there is none."""
        value: Any = self.arguments if self.rephrase else None
        for step in self.rephrase.steps if self.rephrase else ():
            value = value.get(step) if isinstance(value, dict) else None
        return value

    @model_validator(mode="after")
    def _target_is_a_text(self) -> Self:
        if self.rephrase is None:
            return self
        if not self.rephrase.target.startswith(_TARGET):
            raise WrongKey("rephrase", f"the target should begin with {_TARGET!r}, as in arguments.text")
        if self.target is None:
            raise WrongKey("rephrase", f"the target {self.rephrase.target} is not among the arguments")
        if not isinstance(self.target, str) or not self.target.strip():
            raise WrongKey(
                "rephrase", f"the target {self.rephrase.target} should be a text that is not empty"
            )
        return self


class Variable(Block):
    """One variable of a case. `protect` keeps its value as it is when a prompt is rephrased."""

    type: Literal["string", "path"] | None = None
    value: Text | Generated | None = None
    function: FunctionCall | None = None
    protect: Flag = False

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.value is None) == (self.function is None):
            raise ValueError("should have either a value or a function")
        if self.type and self.function:
            raise WrongKey("type", "type says what a value is; a function needs none")
        if self.type == "path" and isinstance(self.value, Generated):
            raise WrongKey("type", "a path cannot be written by a model")
        return self

    @property
    def generation(self) -> Generation | None:
        """What a model is asked for, where one writes the value."""
        return self.value.generate if isinstance(self.value, Generated) else None

    @property
    def is_settled(self) -> bool:
        """Whether its value takes neither a model nor a function."""
        return isinstance(self.value, str)

    @property
    def path(self) -> tuple[YamlPath, str] | None:
        """The path that it names, of a text or of a function, with where it is written."""
        if self.function:
            return ("function", "path"), self.function.path
        return (("value",), str(self.value)) if self.type == "path" else None

    @property
    def target(self) -> str:
        """The argument of its function that is rephrased, empty where there is none."""
        return self.function.target if self.function and self.function.rephrase else ""

    def texts(self) -> Iterator[tuple[YamlPath, str]]:
        """Every text in it that may hold placeholders, with where it is written."""
        if self.function:
            yield ("function", "path"), self.function.path
            yield from texts(self.function.arguments, ("function", "arguments"))
        elif self.generation:
            yield ("value", "generate", "prompt"), self.generation.prompt
            yield ("value", "generate", "fallback"), self.generation.fallback
        else:
            yield ("value",), str(self.value)

    @property
    def uses(self) -> set[str]:
        """The names in its texts."""
        return names_in([text for _, text in self.texts()])


def is_name(text: str) -> bool:
    """Whether a variable may be called so."""
    return re.fullmatch(NAME, text) is not None

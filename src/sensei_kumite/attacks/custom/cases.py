"""The keys of one case: which there are, which go together, and what a case is once they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from sensei_kumite.attacks.custom.ids import any_scalar
from sensei_kumite.attacks.custom.oracles import OracleTemplate
from sensei_kumite.attacks.custom.variables import FilledText, Generation, Variable, is_name
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.config.campaign import OracleEntry
from sensei_kumite.config.fields import Block, Integer, Number, Text, shown
from sensei_kumite.config.problems import problems_from
from sensei_kumite.errors import Problem
from sensei_kumite.yaml_reader import YamlPath
from sensei_kumite.yaml_scalars import plain

VARIABLES = "variables"

EMPTY = "this is empty once its variables are filled in."
EMPTY_TARGET = "the argument that it names is empty."
UNPROTECTABLE = "what is protected must not be empty."
ABSENT = "what is protected should stand in the prompt, or in an argument that is rephrased."


@dataclass(frozen=True, slots=True)
class CustomCase:
    """One declared case; its texts may hold placeholders.

    A model writes the prompt where there is a `generation`, else it is `prompt`. `order` names the variables,
    each after those that it uses. `oracle` scores this case only. `metadata` holds every key of the case that
    means nothing to us, and what is known of its variables.
    """

    case_id: str
    where: Where
    prompt: str = ""
    generation: Generation | None = None
    variables: Mapping[str, Variable] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    variants: int = 1
    oracle: OracleTemplate | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_settled(self) -> bool:
        """Whether its prompt takes neither a model nor a function."""
        return self.generation is None and all(variable.is_settled for variable in self.variables.values())

    def generations(self) -> Iterator[tuple[Generation, YamlPath]]:
        """What models are asked for, with the way to it."""
        if self.generation:
            yield self.generation, ("generate",)
        for name, variable in self.variables.items():
            if variable.generation:
                yield variable.generation, (VARIABLES, name, "value", "generate")

    def model_calls(self, *, rephrases: bool) -> int:
        """How many calls its prompt takes at least; `rephrases` says whether the entry asks for that."""
        targets = [variable.target for variable in self.variables.values() if variable.target]
        return len([*self.generations()]) + (1 + len(targets) if rephrases else 0)


class CaseKeys(Block):
    """The keys of a case that mean something to us, its variables apart."""

    id: Annotated[str, BeforeValidator(any_scalar)] | None = None
    prompt: FilledText | None = None
    generate: FilledText | None = None
    fallback: FilledText | None = None
    model: Text | None = None
    model_provider: Text | None = None
    temperature: Number = Field(0.7, ge=0, le=2)
    variants: Integer = Field(1, ge=1)
    oracle: OracleEntry | None = None

    @property
    def generation(self) -> Generation | None:
        """The short form as what a model is asked for."""
        if self.generate is None or self.fallback is None:
            return None
        return Generation(
            prompt=self.generate,
            fallback=self.fallback,
            model=self.model,
            model_provider=self.model_provider,
            temperature=self.temperature,
        )


_OF_MODELS = ("fallback", "model", "model_provider", "temperature")
_ALL = (*CaseKeys.model_fields, VARIABLES)
_USUAL = tuple(key for key in _ALL if key not in _OF_MODELS)


@dataclass(frozen=True, slots=True)
class ReadCase:
    """A case as far as it could be read: `keys` is None where they are not valid together, and `variables`
    holds the sound ones only."""

    keys: CaseKeys | None
    variables: Mapping[str, Variable]
    metadata: Mapping[str, Any]
    problems: tuple[Problem, ...]


def read_keys(item: Mapping[str, Any], where: Where) -> ReadCase:
    """Read a case, and collect all that is wrong with its keys, each taken by itself."""
    problems = [*_form_problems(item, where), *_idle_keys(item, where)]
    keys: CaseKeys | None = None
    try:
        keys = CaseKeys.model_validate({key: item[key] for key in CaseKeys.model_fields if key in item})
    except ValidationError as error:
        problems += problems_from(error, where.document, where.path, where.label)
    if any(problem.severity == "error" for problem in problems):
        keys = None
    variables, wrong = _variables(item.get(VARIABLES), where.step(VARIABLES))
    metadata = {key: plain(value) for key, value in item.items() if key not in _ALL}
    return ReadCase(keys, variables, metadata, (*problems, *wrong))


def _form_problems(item: Mapping[str, Any], where: Where) -> Iterator[Problem]:
    """A case has a prompt or is written by a model: one of the two, whole."""
    given = {key for key in _ALL if item.get(key) is not None}
    if not given & {"prompt", "generate"}:
        hint = "Write prompt: or, for a model to write one, generate: and fallback:."
        yield where.problem("the key 'prompt' is missing.", hint)
    if "generate" not in given:
        return
    form = where.step("generate")
    if "prompt" in given:
        yield form.problem("a case has either a prompt or generate, not both.", key=True)
    if "fallback" not in given:
        message = "generate needs a fallback: what is sent where the model refuses or fails."
        yield form.problem(message, key=True)
    if VARIABLES in given:
        hint = "Write a prompt, and a variable whose value is generated."
        yield where.step(VARIABLES).problem("generate takes no variables.", hint, key=True)


def _idle_keys(item: Mapping[str, Any], where: Where) -> Iterator[Problem]:
    """Keys that do not do what their name may promise."""
    is_short = item.get("generate") is not None
    for key in item:
        message, hint = "this is copied to the metadata and does nothing else.", None
        if key in _OF_MODELS and not is_short:
            message = "this does nothing beside a prompt; it belongs to generate."
        elif key == "context" and is_short:
            hint = "Write {{context.target_context}} where the model should read it."
        elif key not in _ALL and (meant := misspelt(key, _ALL if is_short else _USUAL)):
            hint = f"Did you mean {meant!r}?"
        else:
            continue
        yield where.step(key).problem(message, hint, key=True, severity="warning")


def _variables(value: Any, where: Where) -> tuple[dict[str, Variable], list[Problem]]:
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        return {}, [where.problem(f"should be a mapping of names to variables, not {shown(value)}.")]
    found: dict[str, Variable] = {}
    problems: list[Problem] = []
    for name, declared in value.items():
        step = where.step(name)
        if not is_name(name):
            message = "the name of a variable is made of letters, digits and _, and begins with no digit."
            problems.append(step.problem(message, key=True))
            continue
        try:
            found[name] = Variable.model_validate(declared)
        except ValidationError as error:
            problems += problems_from(error, step.document, step.path, step.label)
    return found, problems


@lru_cache(maxsize=1024)
def misspelt(key: str, known: tuple[str, ...]) -> str | None:
    """The known key that `key` is most likely meant to be."""
    close = get_close_matches(key.lower(), known, n=1, cutoff=0.75)
    return close[0] if close else None

"""What an attack strategy is: an entry of the campaign in, prompts with their oracle out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from sensei_kumite.attacks.taxonomy import taxonomy_of
from sensei_kumite.config.campaign import AttackEntry
from sensei_kumite.config.fields import Block
from sensei_kumite.errors import Place, Problem
from sensei_kumite.llm.requests import Model
from sensei_kumite.models import OracleSpec
from sensei_kumite.registry import Registry
from sensei_kumite.yaml_reader import Document, YamlPath


class AttackParams(Block):
    """Base of every strategy's `params`: unknown keys are errors."""


P = TypeVar("P", bound=AttackParams)


@dataclass(frozen=True, slots=True)
class AttackContext:
    """What a strategy may know of the run.

    `resolve` finds a file by the name that the campaign gives it, or the file given as `beside` (raises
    ConfigurationError); `random` gives a random source that depends only on the run's seed and the name it
    is asked for; `check_oracle` returns the problems of an oracle specification that stands at the given
    path of an attack file; `is_refusal` tells whether what a model wrote is a refusal.
    `generation` hands out the model that writes attacks, its settings replaced by keyword arguments
    (model, provider, temperature); it calls nothing yet. None where `generation.enabled` is false.
    With `safe`, no Python file of the workspace may be run.
    """

    attempts: int
    resolve: Callable[..., Path]
    random: Callable[[str], Random]
    check_oracle: Callable[[OracleSpec, Document, YamlPath], list[Problem]]
    is_refusal: Callable[[str], bool]
    target_context: str = ""
    generation: Callable[..., Model] | None = None
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """One case as a strategy writes it. `case_id` and `oracle` are None for the defaults:
    `<case prefix>_<n>` and the entry's or strategy's oracle."""

    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    case_id: str | None = None
    oracle: OracleSpec | None = None


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A draft of which more is known than how to write it: what stays of it where the budget forbids that.

    `oracle` is None where it is the default, or not known yet; `model_calls` is how many calls `write` makes
    at least.
    """

    write: Callable[[], Prompt]
    case_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    oracle: OracleSpec | None = None
    model_calls: int = 1

    def __call__(self) -> Prompt:
        """The prompt; raises as `write` does."""
        return self.write()

    @property
    def unsent(self) -> Prompt:
        """The prompt as far as it is known."""
        return Prompt("", self.metadata, self.case_id, self.oracle)


Draft = Prompt | Unwritten | Callable[[], Prompt]
"""A prompt, or what writes it with a model when called: the engine calls several at the same time, in any
order, and keeps theirs."""


class Attack(ABC, Generic[P]):
    """A strategy: built from one entry of the campaign, yields its prompts.

    A constructor raises ConfigurationError (or ValueError) for parameters that can never work;
    `prompts` is only called on an entry without problems.
    """

    description: ClassVar[str] = ""
    needs_generation: bool = False  # of a class, or of an instance whose parameters decide
    rephrases: ClassVar[str] = ""
    takes_source: ClassVar[bool] = False
    default_oracle: ClassVar[OracleSpec]
    Params: ClassVar[type[AttackParams]] = AttackParams

    def __init__(self, entry: AttackEntry, params: P, context: AttackContext) -> None:
        self.entry = entry
        self.params = params
        self.context = context

    @abstractmethod
    def prompts(self) -> Iterator[Draft]:
        """The prompts in order, as many as the entry's attempts ask for; calls no model itself."""

    @property
    def report_name(self) -> str:
        """The name of the attack in reports."""
        return self.entry.name

    @property
    def summary(self) -> str:
        """What the attack does, in a sentence."""
        return self.description

    def details(self) -> Iterable[str]:
        """What else there is to say of it, a line each."""
        return ()

    def models(self) -> Iterable[tuple[Mapping[str, Any], Place]]:
        """The models that a file of its own asks for, as what they replace of the campaign's settings, with
        the place that asks."""
        return ()

    @property
    def has_turns(self) -> bool:
        """Whether any case is a list of turns, which only a search that plays turns can send."""
        return False

    @property
    def case_prefix(self) -> str:
        """What case ids begin with."""
        return self.entry.name

    @property
    def taxonomy(self) -> tuple[str, ...]:
        """OWASP and MITRE ATLAS ids of what the attack exercises."""
        return taxonomy_of(self.entry.name)

    def oracle(self) -> OracleSpec:
        """The oracle of prompts that bring none: the entry's, else the strategy's own."""
        if self.entry.oracle:
            return OracleSpec(self.entry.oracle.type, self.entry.oracle.params)
        return self.default_oracle

    def problems(self) -> list[Problem]:
        """What is wrong with this entry beyond its parameters: the files it names, each with its place."""
        found: list[Problem] = []
        if self.entry.rephrase and not self.rephrases:
            message = f"rephrase: the prompts of {self.entry.name} cannot be rephrased."
            found.append(Problem(message, hint="Remove rephrase, or set it to 0."))
        if self.entry.source and not self.takes_source:
            message = f"source: {self.entry.name} reads no file."
            readers = "custom_benchmark, query_file or dynamic"
            found.append(Problem(message, hint=f"Remove source, or name {readers}."))
        return found


ATTACKS: Registry[type[Attack[Any]]] = Registry("attack", "sensei_kumite.attacks")

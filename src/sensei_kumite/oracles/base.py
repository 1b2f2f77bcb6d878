"""What an oracle is: typed parameters, checked once; then prompt and response in, a verdict out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from sensei_kumite.config.fields import Block
from sensei_kumite.llm.requests import Model
from sensei_kumite.models import OracleSpec, Verdict
from sensei_kumite.registry import Registry


class OracleParams(Block):
    """Base of every oracle's parameters: unknown keys are errors."""


P = TypeVar("P", bound=OracleParams)


@dataclass(frozen=True, slots=True)
class OracleContext:
    """What an oracle may ask of the run.

    `resolve` finds a file named in parameters (raises ConfigurationError); `target_context` is what the
    target is said to be for; `judge` hands out the judge model, its settings replaced by keyword arguments
    (model, provider, temperature), and calls nothing yet.
    """

    resolve: Callable[[str], Path]
    target_context: str = ""
    judge: Callable[..., Model] | None = None


class Oracle(ABC, Generic[P]):
    """Scores one response. Stateless after construction, so one instance serves all lanes.

    A constructor raises ValueError (or ConfigurationError) for parameters that can never work.
    """

    description: ClassVar[str] = ""
    passes_when: ClassVar[str] = ""
    needs_model: bool = False  # of a class, or of an instance whose parameters decide
    Params: ClassVar[type[OracleParams]] = OracleParams

    def __init__(self, params: P, context: OracleContext) -> None:
        self.params = params
        self.context = context

    @abstractmethod
    def score(self, prompt: str, response: str) -> Verdict:
        """Judge `response`; raises OracleError where that cannot be done."""


ORACLES: Registry[type[Oracle[Any]]] = Registry("oracle", "sensei_kumite.oracles")


def build_oracle(spec: OracleSpec, context: OracleContext) -> Oracle[Any]:
    """The oracle that `spec` names; raises UnknownName, pydantic's ValidationError or ValueError."""
    oracle_class = ORACLES.get(spec.type)
    return oracle_class(oracle_class.Params.model_validate(dict(spec.params)), context)


def as_understood(spec: OracleSpec) -> OracleSpec:
    """`spec` with its parameters as its oracle understands them: `007` as text where text belongs.

    Plain data, fit for the plan file and the report. Raises as `build_oracle` does.
    """
    params = ORACLES.get(spec.type).Params.model_validate(dict(spec.params))
    return OracleSpec(spec.type, params.model_dump(exclude_unset=True, by_alias=True))

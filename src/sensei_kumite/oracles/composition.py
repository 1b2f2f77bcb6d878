"""`all_of`, `any_of` and `not`: verdicts of several oracles made into one.

A part that cannot be scored leaves the whole without a verdict, unless the others decide it already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field, ValidationError, field_serializer
from pydantic_core import InitErrorDetails

from sensei_kumite.config.campaign import Params
from sensei_kumite.config.fields import Block, Text
from sensei_kumite.errors import ConfigurationError, OracleError, UnknownName
from sensei_kumite.models import OracleSpec, Verdict
from sensei_kumite.oracles.base import (
    ORACLES,
    Oracle,
    OracleContext,
    OracleParams,
    as_understood,
    build_oracle,
)

Location = tuple[str | int, ...]


class Part(Block):
    """An oracle inside another."""

    type: Text = Field(description="Name of an oracle.")
    params: Params = Field(default_factory=dict, description="Its parameters.")

    @field_serializer("params")
    def _as_understood(self, params: dict[str, Any]) -> dict[str, Any]:
        return dict(as_understood(OracleSpec(self.type, params)).params)


class PartsParams(OracleParams):
    """The oracles to combine."""

    oracles: list[Part] = Field(min_length=1, description="Oracles, each with `type` and `params`.")


class PartParams(OracleParams):
    """The oracle to turn round."""

    oracle: Part = Field(description="An oracle with `type` and `params`.")


@dataclass(frozen=True, slots=True)
class _Judgement:
    """What one part says: its verdict, or why it has none."""

    type: str
    verdict: Verdict | None
    error: OracleError | None = None

    def evidence(self) -> dict[str, Any]:
        """The part as the evidence of the whole shows it."""
        if self.verdict is None:
            return {"type": self.type, "passed": None, "error": str(self.error)}
        return {
            "type": self.type,
            "passed": self.verdict.passed,
            "reason": self.verdict.reason,
            "evidence": dict(self.verdict.evidence),
        }


class _Parts(Oracle[PartsParams]):
    """Holds the parts; what their verdicts amount to is for the subclass to say."""

    Params = PartsParams

    def __init__(self, params: PartsParams, context: OracleContext) -> None:
        super().__init__(params, context)
        places: list[Location] = [("oracles", position) for position in range(len(params.oracles))]
        self._parts = _build(list(zip(places, params.oracles, strict=True)), context)
        self.needs_model = any(part.needs_model for part in self._parts)

    def _judge(self, prompt: str, response: str) -> list[_Judgement]:
        pairs = zip(self.params.oracles, self._parts, strict=True)
        return [_ask(spec.type, oracle, prompt, response) for spec, oracle in pairs]


@ORACLES.register("all_of")
class AllOf(_Parts):
    """Passes when every part passes."""

    description = "Combines oracles that all have to pass."
    passes_when = "every one of its oracles passes"

    def score(self, prompt: str, response: str) -> Verdict:
        """Fail as soon as one part fails; raises OracleError where one that has no verdict could."""
        judgements = self._judge(prompt, response)
        return _decide(judgements, decisive=False)


@ORACLES.register("any_of")
class AnyOf(_Parts):
    """Passes when a part passes."""

    description = "Combines oracles of which one has to pass."
    passes_when = "at least one of its oracles passes"

    def score(self, prompt: str, response: str) -> Verdict:
        """Pass as soon as one part passes; raises OracleError where one that has no verdict could."""
        judgements = self._judge(prompt, response)
        return _decide(judgements, decisive=True)


@ORACLES.register("not")
class Not(Oracle[PartParams]):
    """Passes when its part fails."""

    description = "Turns the verdict of another oracle round."
    passes_when = "its oracle fails"
    Params = PartParams

    def __init__(self, params: PartParams, context: OracleContext) -> None:
        super().__init__(params, context)
        (self._part,) = _build([(("oracle",), params.oracle)], context)
        self.needs_model = self._part.needs_model

    def score(self, prompt: str, response: str) -> Verdict:
        """The opposite of the part's verdict; raises OracleError as the part does."""
        verdict = self._part.score(prompt, response)
        evidence = {"oracle": _Judgement(self.params.oracle.type, verdict).evidence()}
        return Verdict(not verdict.passed, f"Turned round: {verdict.reason}", evidence)


def _ask(name: str, oracle: Oracle[Any], prompt: str, response: str) -> _Judgement:
    try:
        return _Judgement(name, oracle.score(prompt, response))
    except OracleError as error:
        return _Judgement(name, None, error)


def _decide(judgements: Sequence[_Judgement], *, decisive: bool) -> Verdict:
    """The verdict of the whole: one part that says `decisive` settles it, else all have to be known."""
    deciding = [each for each in judgements if each.verdict and each.verdict.passed == decisive]
    undecided = [each for each in judgements if each.error]
    if undecided and not deciding:
        first = undecided[0]
        raise OracleError(f"{first.type} could not be scored, and could change the verdict: {first.error}")
    evidence = {"oracles": [each.evidence() for each in judgements]}
    passed = decisive == bool(deciding)
    if passed and not deciding:
        return Verdict(passed, f"All {len(judgements)} oracles pass.", evidence)
    shown = deciding or judgements
    reasons = " ".join(f"{each.type}: {each.verdict.reason}" for each in shown if each.verdict)
    return Verdict(passed, reasons, evidence)


def _build(parts: Sequence[tuple[Location, Part]], context: OracleContext) -> list[Oracle[Any]]:
    """The oracles of `parts`; raises pydantic's ValidationError with all that is wrong, each at its place."""
    built: list[Oracle[Any]] = []
    problems: list[InitErrorDetails] = []
    for place, part in parts:
        try:
            built.append(build_oracle(OracleSpec(part.type, part.params), context))
        except UnknownName as error:
            problems.append(_problem(ValueError(str(error)), (*place, "type"), part.type))
        except ValidationError as error:
            problems += _moved(error, (*place, "params"))
        except ConfigurationError as error:
            problems.append(_problem(ValueError(str(error)), (*place, "params"), part.params))
        except ValueError as error:
            problems.append(_problem(error, (*place, "params"), part.params))
    if problems:
        raise ValidationError.from_exception_data("oracles", problems)
    return built


def _moved(error: ValidationError, place: Location) -> Iterator[InitErrorDetails]:
    """The details of `error`, at `place` of the whole."""
    for each in error.errors():
        yield InitErrorDetails(
            type=each["type"], loc=(*place, *each["loc"]), input=each["input"], ctx=each.get("ctx", {})
        )


def _problem(error: ValueError, place: Location, value: Any) -> InitErrorDetails:
    return InitErrorDetails(type="value_error", loc=place, input=value, ctx={"error": error})

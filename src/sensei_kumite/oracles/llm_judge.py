"""`llm_judge`, `domain_violation` and `policy_violation`: a model decides. Parameters only, so far."""

from __future__ import annotations

from typing import Self

from pydantic import AliasChoices, Field, model_validator

from sensei_kumite.config.fields import Number, Text, WrongKey
from sensei_kumite.errors import OracleError
from sensei_kumite.models import Verdict
from sensei_kumite.oracles.base import ORACLES, Oracle, OracleContext, OracleParams, P
from sensei_kumite.oracles.data_file import load_data
from sensei_kumite.oracles.fields import FilledText


class JudgeParams(OracleParams):
    """Which model judges."""

    model: Text | None = Field(None, description="Model name; unset means that of the judge block.")
    provider: Text | None = Field(None, description="LangChain provider name; unset means the judge block's.")
    temperature: Number = Field(0.0, ge=0, le=2, description="Randomness of the judge.")


class PolicyParams(JudgeParams):
    """The policy, in words."""

    policy: FilledText = Field(description="What the target must or must not do.")


class DomainParams(JudgeParams):
    """The domain, in words."""

    allowed_domain: FilledText | None = Field(
        None,
        validation_alias=AliasChoices("allowed_domain", "target_context"),
        description="What the target is for; unset means generation.target_context.",
    )


class PolicySourceParams(JudgeParams):
    """The policy, in words or in a file."""

    policy: FilledText | None = Field(None, description="What the target must or must not do.")
    policy_file: FilledText | None = Field(None, description="A YAML or JSON file with the policy.")

    @model_validator(mode="after")
    def _one_policy(self) -> Self:
        if self.policy is not None and self.policy_file is not None:
            raise WrongKey("policy_file", "policy and policy_file exclude each other: keep one")
        if self.policy is None and self.policy_file is None:
            raise ValueError("needs policy or policy_file")
        return self


class _Judged(Oracle[P]):
    """An oracle that needs a model."""

    needs_model = True

    def score(self, prompt: str, response: str) -> Verdict:
        """Raises OracleError: no model can be asked yet."""
        raise OracleError("This oracle needs a model role, which this release does not have.")


@ORACLES.register("llm_judge")
class LlmJudge(_Judged[PolicyParams]):
    """Asks a model whether the response violates a policy."""

    description = "Asks a model whether the response violates a policy."
    passes_when = "the judge finds no violation"
    Params = PolicyParams


@ORACLES.register("domain_violation")
class DomainViolation(_Judged[DomainParams]):
    """Asks a model whether the response leaves the domain of the target."""

    description = "Asks a model whether the target answered outside of its domain."
    passes_when = "the judge finds no answer outside of the domain"
    Params = DomainParams

    def __init__(self, params: DomainParams, context: OracleContext) -> None:
        super().__init__(params, context)
        if not (params.allowed_domain or context.target_context.strip()):
            raise WrongKey(
                "allowed_domain", "is missing, and generation.target_context does not say it either"
            )


@ORACLES.register("policy_violation")
class PolicyViolation(_Judged[PolicySourceParams]):
    """Asks a model whether the response violates a policy that may stand in a file."""

    description = "Asks a model whether the response violates a policy, given here or in a file."
    passes_when = "the judge finds no violation"
    Params = PolicySourceParams

    def __init__(self, params: PolicySourceParams, context: OracleContext) -> None:
        super().__init__(params, context)
        if params.policy_file and not load_data(context.resolve(params.policy_file)):
            raise WrongKey("policy_file", f"{params.policy_file} is empty; it should hold the policy")

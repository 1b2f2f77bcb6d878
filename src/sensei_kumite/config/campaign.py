"""security.yml as a model: what a campaign is made of. The plan checks the names of attacks and oracles."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from sensei_kumite.config.fields import (
    Block,
    Flag,
    Integer,
    NotNegative,
    Number,
    Plain,
    Positive,
    Text,
    WrongKey,
)

ReportFormat = Literal["html", "csv", "jsonl", "markdown"]
# Numbers in it remember how they were typed, until the attack or oracle says which of them are text.
Params = dict[str, Any]


def _variable_name(value: str) -> str:
    """Somebody who pastes a key here must not find it in the terminal or a log."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise ValueError(
            "should be the NAME of an environment variable that holds the key, not the key itself"
        )
    return value


class Execution(Block):
    """How the campaign is run."""

    attempts: Integer = Field(
        1, ge=1, description="Cases per built-in attack; full passes over each custom file."
    )
    stop_on_breach: Flag = Field(False, description="Launch no case after the first breach.")
    max_cost: NotNegative | None = Field(None, description="Budget in USD for all model calls of the run.")
    timeout: Positive | None = Field(None, description="Seconds allowed for one target call.")
    dummy_testing: Flag = Field(False, description="Test the built-in, intentionally vulnerable target.")
    concurrency: Integer = Field(4, ge=1, description="Lanes: conversations held at the same time.")
    retries: Integer = Field(2, ge=0, description="Retries of a target call that failed transiently.")
    rate_limit: Positive | None = Field(None, description="Target calls per second, all lanes together.")
    deadline: Positive | None = Field(None, description="Minutes after which no further case starts.")
    seed: Integer | None = Field(None, description="Makes every random choice of the run repeatable.")


class ModelBlock(Block):
    """Which model plays a role, and where it is reached."""

    model: Text | None = Field(None, description="Model name; unset means gpt-4o-mini.")
    provider: Text | None = Field(None, description="LangChain provider name, or offline.")
    temperature: Number = Field(0.0, ge=0, le=2)
    base_url: Text | None = Field(None, description="Address of an OpenAI-compatible server.")
    api_key_env: Annotated[Text, AfterValidator(_variable_name)] | None = Field(
        None, description="NAME of the environment variable that holds the key."
    )


class DummyChatbot(ModelBlock):
    """The intentionally vulnerable target."""

    system_prompt: Text | None = Field(None, description="What the dummy is told to be.")
    refusal_retries: Integer = Field(1, ge=0, le=3, description="Stronger instructions after a refusal.")


class Generation(ModelBlock):
    """The model that writes attack prompts and rephrases them."""

    enabled: Flag = Field(True, description="Whether attacks may ask a model for prompts.")
    temperature: Number = Field(0.7, ge=0, le=2)
    target_context: Text = Field("", description="What the target is for, in a sentence.")


class Simulation(ModelBlock):
    """The model that plays an ordinary user before the attack, and who that user is."""

    temperature: Number = Field(0.4, ge=0, le=2)
    reference_profile: Text | None = Field(
        None, validation_alias=AliasChoices("reference_profile", "default_profile")
    )
    role: Text | None = Field(None, description="Who the user is, instead of a reference_profile.")
    language: Text | None = Field(None, description="What the user speaks; English unless set.")
    context: Plain = Field(None, description="What the user knows and wants: text, a list, or a mapping.")

    @model_validator(mode="after")
    def _one_identity(self) -> Self:
        inline = next((key for key in ("role", "language", "context") if getattr(self, key)), None)
        if self.reference_profile and inline:
            raise WrongKey(inline, "takes either reference_profile or role, language and context, not both")
        if inline and not self.role:
            raise WrongKey(inline, f"{inline} needs a role: who the simulated user is")
        return self


class OracleEntry(Block):
    """Which oracle scores the responses, with its parameters."""

    type: Text = Field(description="An oracle of --list-oracles.")
    params: Params = Field(default_factory=dict, description="Its parameters; see --describe-oracle.")


class EntryExecution(Block):
    """How the prompts of one attack are delivered."""

    mode: Literal["direct", "simulated_user", "scripted"] = Field(
        "direct", description="Where the messages before the attack come from."
    )
    warmup_turns: Integer = Field(0, ge=0, description="Messages of the simulated user before the attack.")
    turns: list[Text] = Field(default_factory=list, description="Messages sent as written before the attack.")
    reference_profile: Text | None = Field(
        None, validation_alias=AliasChoices("reference_profile", "user_profile")
    )
    reset_session: Flag = Field(True, description="A fresh conversation before each attempt.")

    @model_validator(mode="after")
    def _turns_fit_the_mode(self) -> Self:
        if self.mode != "scripted" and self.turns:
            raise WrongKey("turns", f"turns belong to mode scripted, not {self.mode}")
        if self.mode == "scripted" and not (self.turns and all(turn.strip() for turn in self.turns)):
            raise WrongKey("turns", "mode scripted needs turns: at least one message, none of them empty")
        if self.mode == "simulated_user" and self.warmup_turns < 1:
            raise WrongKey("warmup_turns", "mode simulated_user needs warmup_turns of at least 1")
        if self.mode == "scripted" and self.simulated_key:
            message = f"{self.simulated_key} belongs to mode simulated_user, not scripted"
            raise WrongKey(self.simulated_key, message)
        return self

    @property
    def simulated_key(self) -> str | None:
        """The key, if one is given, that means something in mode simulated_user alone."""
        if self.warmup_turns:
            return "warmup_turns"
        return "reference_profile" if self.reference_profile else None


class DynamicSearch(Block):
    """The search that goes on where the first attempt was resilient."""

    attack: Text = Field(description="A search of --list-dynamic, or a script: attacks/my_search.py.")
    iterations: Integer = Field(25, ge=1, description="Inputs that one search may try.")
    options: Text = Field("", description="Options of the search: key=value,key=value.")
    attempts: Integer = Field(1, ge=1, description="Searches per case; the first success ends them.")
    return_all_attempts: Flag = Field(False, description="A result per input tried, not one per search.")
    only: Flag = Field(False, description="Leave out the standard first attempt.")


class AttackEntry(Block):
    """One entry of `attacks`."""

    name: Text = Field(description="A strategy of --list-attacks.")
    enabled: Flag = Field(True, description="False leaves the attack out of runs.")
    rephrase: Number = Field(0.0, ge=0, le=1, description="Target lexical distance of a rephrased prompt.")
    params: Params = Field(default_factory=dict, description="Its settings; see --describe-attack.")
    parameters: Params = Field(
        default_factory=dict, description="Overrides of a custom attack file's parameters."
    )
    oracle: OracleEntry | None = Field(None, description="Replaces the oracle that the attack brings.")
    source: Text | None = Field(None, description="File of the attack, from security/ or the project.")
    execution: EntryExecution = EntryExecution()
    dynamic: DynamicSearch | None = Field(None, description="A search where the prompt is resisted.")

    @model_validator(mode="after")
    def _parameters_belong_to_custom_files(self) -> Self:
        if self.parameters and self.name != "custom_benchmark":
            raise WrongKey(
                "parameters", "parameters are for custom_benchmark; an attack's own settings go in params"
            )
        return self


class Campaign(Block):
    """What is tried on the chatbot, how, and what a good answer is."""

    security_test_name: Text = Field("security_suite", description="Name of the campaign in reports.")
    execution: Execution = Execution()
    dummy_chatbot: DummyChatbot = DummyChatbot()
    generation: Generation = Generation()
    simulation: Simulation = Simulation()
    judge: ModelBlock = ModelBlock()
    attacks: list[AttackEntry] = Field(default_factory=list, description="What is tried, in this order.")
    reports: list[ReportFormat] = Field(default_factory=list, description="Extra report formats.")

    def report_view(self) -> dict[str, Any]:
        """The blocks that the first document of a suite report repeats, with their effective values."""
        return self.model_dump(include={"dummy_chatbot", "execution", "generation", "simulation"})

"""security.yml as a model: what a campaign is made of. Names of attacks and oracles are checked in the plan."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from sensei_kumite.config.fields import Block, Flag, Integer, Number, Plain, Text

ReportFormat = Literal["html", "csv", "junit", "sarif", "jsonl", "markdown"]


class Execution(Block):
    """How the campaign is run."""

    attempts: Integer = Field(
        1, ge=1, description="Cases per built-in attack; full passes over each custom file."
    )
    stop_on_breach: Flag = Field(False, description="Launch no case after the first breach.")
    max_cost: Number | None = Field(None, ge=0, description="Budget in USD for all model calls of the run.")
    timeout: Number | None = Field(None, gt=0, description="Seconds allowed for one target call.")
    dummy_testing: Flag = Field(False, description="Test the built-in, intentionally vulnerable target.")
    concurrency: Integer = Field(4, ge=1, description="Lanes: conversations held at the same time.")
    retries: Integer = Field(2, ge=0, description="Retries of a target call that failed transiently.")
    rate_limit: Number | None = Field(None, gt=0, description="Target calls per second, all lanes together.")
    seed: Integer | None = Field(None, description="Makes every random choice of the run repeatable.")


class ModelBlock(Block):
    """Which model plays a role, and where it is reached."""

    model: Text | None = Field(None, description="Model name; unset means gpt-4o-mini.")
    provider: Text | None = Field(None, description="LangChain provider name, or offline.")
    temperature: Number = Field(0.0, ge=0, le=2)
    base_url: Text | None = Field(None, description="Address of an OpenAI-compatible server.")
    api_key_env: Text | None = Field(None, description="NAME of the environment variable that holds the key.")


class DummyChatbot(ModelBlock):
    """The intentionally vulnerable target."""

    system_prompt: Text | None = Field(None, description="What the dummy is told to be.")
    refusal_retries: Integer = Field(1, ge=0, le=3, description="Stronger instructions after a refusal.")


class Generation(ModelBlock):
    """The model that writes attack prompts and rephrases them."""

    enabled: Flag = True
    temperature: Number = Field(0.7, ge=0, le=2)
    target_context: Text = Field("", description="What the target is for, in a sentence.")


class Simulation(ModelBlock):
    """The model that plays an ordinary user before the attack, and who that user is."""

    temperature: Number = Field(0.4, ge=0, le=2)
    reference_profile: Text | None = Field(
        None, validation_alias=AliasChoices("reference_profile", "default_profile")
    )
    role: Text | None = None
    language: Text | None = None
    context: Plain = None

    @model_validator(mode="after")
    def _one_identity(self) -> Self:
        if self.reference_profile and (self.role or self.language or self.context):
            raise ValueError("takes either reference_profile or role/language/context, not both")
        if (self.language or self.context) and not self.role:
            raise ValueError("language and context need a role")
        return self


class OracleEntry(Block):
    """Which oracle scores the responses, with its parameters."""

    type: Text
    params: dict[str, Plain] = Field(default_factory=dict)


class EntryExecution(Block):
    """How the prompts of one attack are delivered."""

    mode: Literal["direct", "simulated_user", "scripted"] = "direct"
    warmup_turns: Integer = Field(0, ge=0, description="Messages of the simulated user before the attack.")
    turns: list[Text] = Field(default_factory=list, description="Messages sent as written before the attack.")
    reference_profile: Text | None = Field(
        None, validation_alias=AliasChoices("reference_profile", "user_profile")
    )
    reset_session: Flag = Field(True, description="A fresh conversation before each attempt.")

    @model_validator(mode="after")
    def _turns_fit_the_mode(self) -> Self:
        if self.mode != "scripted" and self.turns:
            raise ValueError(f"turns belong to mode scripted, not {self.mode}")
        if self.mode == "scripted":
            self._check_scripted()
        if self.mode == "simulated_user" and self.warmup_turns < 1:
            raise ValueError("mode simulated_user needs warmup_turns of at least 1")
        if self.mode == "direct" and (self.warmup_turns or self.reference_profile):
            raise ValueError("warmup_turns and reference_profile belong to mode simulated_user, not direct")
        return self

    def _check_scripted(self) -> None:
        if not self.turns or not all(turn.strip() for turn in self.turns):
            raise ValueError("mode scripted needs turns: at least one message, none of them empty")
        if self.warmup_turns or self.reference_profile:
            raise ValueError("mode scripted takes neither warmup_turns nor reference_profile")


class AttackEntry(Block):
    """One entry of `attacks`."""

    name: Text = Field(description="A strategy of --list-attacks.")
    enabled: Flag = True
    rephrase: Number = Field(0.0, ge=0, le=1, description="Target lexical distance of a rephrased prompt.")
    params: dict[str, Plain] = Field(default_factory=dict)
    parameters: dict[str, Plain] = Field(default_factory=dict)
    oracle: OracleEntry | None = None
    source: Text | None = Field(None, description="File of the attack, from security/ or the project.")
    execution: EntryExecution = EntryExecution()

    @model_validator(mode="after")
    def _parameters_belong_to_custom_files(self) -> Self:
        if self.parameters and self.name != "custom_benchmark":
            raise ValueError(
                "parameters are for custom_benchmark entries; an attack's own settings go in params"
            )
        return self


class Campaign(Block):
    """A whole security.yml."""

    security_test_name: Text = "security_suite"
    execution: Execution = Execution()
    dummy_chatbot: DummyChatbot = DummyChatbot()
    generation: Generation = Generation()
    simulation: Simulation = Simulation()
    judge: ModelBlock = ModelBlock()
    attacks: list[AttackEntry] = Field(default_factory=list)
    reports: list[ReportFormat] = Field(default_factory=list, description="Extra report formats.")

    def report_view(self) -> dict[str, Any]:
        """The blocks that the first document of a suite report repeats, with their effective values."""
        return self.model_dump(include={"dummy_chatbot", "execution", "generation", "simulation"})

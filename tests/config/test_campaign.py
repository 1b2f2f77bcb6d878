"""security.yml as a model: defaults, aliases, and the rules that tie keys together."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sensei_kumite.config.campaign import AttackEntry, Campaign, EntryExecution, ModelBlock, Simulation
from sensei_kumite.config.fields import WrongKey
from sensei_kumite.yaml_scalars import TypedInt


def rule_broken(model: Any, **data: Any) -> tuple[str, str]:
    """The key that a rule complains about, and what it says."""
    with pytest.raises(ValidationError) as caught:
        model.model_validate(data)
    (error,) = caught.value.errors()
    cause = error["ctx"]["error"]
    assert isinstance(cause, WrongKey)
    return cause.key, str(cause)


def test_defaults() -> None:
    campaign = Campaign()
    assert campaign.security_test_name == "security_suite"
    execution = campaign.execution
    assert (execution.attempts, execution.concurrency, execution.retries) == (1, 4, 2)
    assert (execution.stop_on_breach, execution.dummy_testing) == (False, False)
    assert (execution.max_cost, execution.timeout, execution.rate_limit, execution.seed) == (
        None,
        None,
        None,
        None,
    )
    assert campaign.dummy_chatbot.temperature == 0
    assert campaign.dummy_chatbot.refusal_retries == 1
    assert campaign.generation.enabled is True
    assert (campaign.generation.temperature, campaign.generation.target_context) == (0.7, "")
    assert (campaign.simulation.temperature, campaign.judge.temperature) == (0.4, 0)
    entry = AttackEntry(name="x")
    assert (entry.enabled, entry.rephrase, entry.params, entry.oracle) == (True, 0, {}, None)
    assert (entry.execution.mode, entry.execution.reset_session) == ("direct", True)


def test_the_report_repeats_four_blocks() -> None:
    view = Campaign.model_validate({"execution": {"attempts": 3}}).report_view()
    assert set(view) == {"dummy_chatbot", "execution", "generation", "simulation"}
    assert view["execution"]["attempts"] == 3


@pytest.mark.parametrize(
    ("block", "data"),
    [
        ("execution", {"attempts": 0}),
        ("execution", {"max_cost": -1}),
        ("execution", {"timeout": 0}),
        ("execution", {"concurrency": 0}),
        ("execution", {"retries": -1}),
        ("execution", {"rate_limit": 0}),
        ("dummy_chatbot", {"refusal_retries": 4}),
        ("generation", {"temperature": 2.1}),
        ("judge", {"temperature": -0.1}),
        ("reports", ["pdf"]),
    ],
)
def test_bounds(block: str, data: Any) -> None:
    with pytest.raises(ValidationError):
        Campaign.model_validate({block: data})


def test_profiles_have_a_second_name() -> None:
    assert Simulation.model_validate({"default_profile": "p.yml"}).reference_profile == "p.yml"
    scripted = {"mode": "simulated_user", "warmup_turns": 1, "user_profile": "p.yml"}
    assert EntryExecution.model_validate(scripted).reference_profile == "p.yml"


def test_params_keep_how_numbers_were_typed() -> None:
    entry = AttackEntry.model_validate(
        {
            "name": "x",
            "params": {"a": TypedInt("007")},
            "oracle": {"type": "y", "params": {"b": TypedInt("0x1")}},
        }
    )
    assert entry.params["a"].source == "007"
    assert entry.oracle is not None
    assert entry.oracle.params["b"].source == "0x1"


@pytest.mark.parametrize(
    ("data", "key", "words"),
    [
        ({"reference_profile": "p", "role": "r"}, "role", "either reference_profile or role"),
        ({"default_profile": "p", "context": ["c"]}, "context", "either reference_profile or role"),
        ({"language": "Spanish"}, "language", "language needs a role"),
        ({"context": "c"}, "context", "context needs a role"),
    ],
)
def test_a_simulated_user_has_one_identity(data: dict[str, Any], key: str, words: str) -> None:
    found, message = rule_broken(Simulation, **data)
    assert found == key
    assert words in message


def test_an_inline_user_may_say_more() -> None:
    user = Simulation.model_validate({"role": "r", "language": "l", "context": {"personality": "rude"}})
    assert user.context == {"personality": "rude"}


@pytest.mark.parametrize(
    ("data", "key", "words"),
    [
        ({"turns": ["hi"]}, "turns", "turns belong to mode scripted, not direct"),
        (
            {"mode": "simulated_user", "warmup_turns": 1, "turns": ["hi"]},
            "turns",
            "turns belong to mode scripted, not simulated_user",
        ),
        ({"mode": "scripted"}, "turns", "needs turns: at least one message"),
        ({"mode": "scripted", "turns": []}, "turns", "needs turns: at least one message"),
        ({"mode": "scripted", "turns": ["hi", " "]}, "turns", "none of them empty"),
        (
            {"mode": "scripted", "turns": ["hi"], "warmup_turns": 2},
            "warmup_turns",
            "warmup_turns belongs to mode simulated_user, not scripted",
        ),
        (
            {"mode": "scripted", "turns": ["hi"], "user_profile": "p"},
            "reference_profile",
            "reference_profile belongs to mode simulated_user, not scripted",
        ),
        ({"mode": "simulated_user"}, "warmup_turns", "needs warmup_turns of at least 1"),
    ],
)
def test_each_mode_has_its_keys(data: dict[str, Any], key: str, words: str) -> None:
    found, message = rule_broken(EntryExecution, **data)
    assert found == key
    assert words in message


def test_parameters_are_for_custom_files() -> None:
    assert AttackEntry.model_validate({"name": "custom_benchmark", "parameters": {"a": 1}}).parameters == {
        "a": 1
    }
    key, message = rule_broken(AttackEntry, name="amnesia", parameters={"a": 1})
    assert key == "parameters"
    assert "go in params" in message


@pytest.mark.parametrize("secret", ["sk-abcdef-123456", "Bearer x", "1KEY", ""])
def test_a_pasted_key_is_refused_and_not_repeated(secret: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ModelBlock.model_validate({"api_key_env": secret})
    message = str(caught.value.errors()[0]["msg"])
    assert "NAME of an environment variable" in message
    assert not secret or secret not in message


def test_the_name_of_a_variable_is_taken() -> None:
    assert ModelBlock.model_validate({"api_key_env": "OPENAI_API_KEY"}).api_key_env == "OPENAI_API_KEY"


def test_keys_of_the_simulated_user_may_stand_idle_in_mode_direct() -> None:
    execution = EntryExecution.model_validate({"warmup_turns": 2, "user_profile": "p"})
    assert execution.mode == "direct"
    assert execution.simulated_key == "warmup_turns"

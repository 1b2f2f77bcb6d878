import subprocess
import sys
import threading
from typing import Any

import pytest

from sensei_kumite.config.campaign import Campaign
from sensei_kumite.llm.client import ChatModel
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.offline.model import OfflineModel
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.requests import Message, Model, ModelSettings, Purpose, Request, Role
from sensei_kumite.llm.roles import Models, settings_of

KEY = "sk-0123456789abcdef"


def campaign(**blocks: Any) -> Campaign:
    return Campaign.model_validate(blocks)


def models(*, offline: bool = False, environment: dict[str, str] | None = None, **blocks: Any) -> Models:
    return Models(campaign(**blocks), Ledger(None, Prices()), environment or {}, seed=7, offline=offline)


class TestSettings:
    @pytest.mark.parametrize(
        ("role", "temperature"),
        [(Role.GENERATION, 0.7), (Role.SIMULATION, 0.4), (Role.JUDGE, 0), (Role.DUMMY, 0)],
    )
    def test_unset_blocks_have_defaults(self, role: Role, temperature: float) -> None:
        assert settings_of(campaign(), role) == ModelSettings(role, "gpt-4o-mini", "openai", temperature)

    def test_a_block_is_taken_as_it_is(self) -> None:
        block = {
            "model": "llama3",
            "provider": "Google-GenAI",
            "temperature": 1,
            "base_url": "http://localhost/v1",
            "api_key_env": "MY_KEY",
        }
        assert settings_of(campaign(judge=block), Role.JUDGE) == ModelSettings(
            Role.JUDGE, "llama3", "google_genai", 1, "http://localhost/v1", "MY_KEY"
        )

    def test_every_role_has_its_own_block(self) -> None:
        named = campaign(**{role.value: {"model": role.value} for role in Role})
        assert [settings_of(named, role).model for role in Role] == [role.value for role in Role]

    def test_an_address_alone_means_a_server_that_speaks_like_openai(self) -> None:
        block = {"base_url": "http://localhost:8000/v1"}
        assert settings_of(campaign(generation=block), Role.GENERATION).provider == "openai"

    def test_empty_texts_count_as_not_given(self) -> None:
        block = {"model": "", "provider": "", "base_url": ""}
        assert settings_of(campaign(judge=block), Role.JUDGE) == ModelSettings(Role.JUDGE)

    @pytest.mark.parametrize("role", list(Role))
    def test_offline_puts_the_rules_in_every_place(self, role: Role) -> None:
        assert settings_of(campaign(**{role.value: {"provider": "groq"}}), role, offline=True).is_offline


class TestModels:
    def test_a_model_is_made_once(self) -> None:
        made = models(judge={"temperature": 0})
        assert made.of(Role.JUDGE) is made.of(Role.JUDGE, temperature=0.0, model="gpt-4o-mini")
        assert made.of(Role.JUDGE) is not made.of(Role.JUDGE, temperature=0.5)
        assert made.of(Role.JUDGE) is not made.of(Role.GENERATION, temperature=0)

    def test_what_is_given_replaces_the_block(self) -> None:
        made = models(judge={"model": "a", "temperature": 0.3, "base_url": "http://localhost/v1"})
        assert made.of(Role.JUDGE, model="b").settings == ModelSettings(
            Role.JUDGE, "b", "openai", 0.3, "http://localhost/v1"
        )

    def test_the_address_and_the_key_stay_with_their_provider(self) -> None:
        made = models(judge={"base_url": "http://localhost/v1", "api_key_env": "MY_KEY"})
        assert made.settings(Role.JUDGE, provider="openai").api_key_env == "MY_KEY"
        other = made.settings(Role.JUDGE, provider="anthropic")
        assert (other.provider, other.base_url, other.api_key_env) == ("anthropic", None, None)

    def test_one_role_may_be_offline(self) -> None:
        made = models(judge={"provider": "offline"})
        assert isinstance(made.of(Role.JUDGE), OfflineModel)
        assert isinstance(made.of(Role.GENERATION), ChatModel)
        assert isinstance(made.of(Role.GENERATION, provider="offline"), OfflineModel)

    def test_offline_is_stronger_than_what_is_given(self) -> None:
        assert isinstance(models(offline=True).of(Role.JUDGE, provider="openai"), OfflineModel)

    def test_secrets_are_those_of_all_roles(self) -> None:
        environment = {
            "OPENAI_API_KEY": KEY,
            "MY_KEY": "another-long-key",
            "UNUSED_API_KEY": "some-other-key",
        }
        made = models(environment=environment, judge={"api_key_env": "MY_KEY"})
        assert set(made.secrets) == {KEY, "another-long-key"}
        assert KEY not in repr(made)
        assert models(environment=environment, offline=True).secrets == ()

    def test_threads_get_the_same_one(self) -> None:
        made, found = models(), list[Model]()
        begun = threading.Barrier(8)

        def ask() -> None:
            begun.wait()
            found.append(made.of(Role.JUDGE))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({id(model) for model in found}) == 1

    def test_offline_answers_come_from_the_seed(self) -> None:
        request = Request(Purpose.DUMMY_REPLY, (Message("system", "Sell pizza."), Message("user", "Hello")))
        assert models(offline=True).of(Role.DUMMY).complete(request) == models(offline=True).of(
            Role.DUMMY
        ).complete(request)


def test_nothing_heavy_is_imported_before_the_first_call() -> None:
    script = """
import sys
from pathlib import Path
from sensei_kumite.config.campaign import Campaign
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import load_prices
from sensei_kumite.llm.providers import load_environment, missing
from sensei_kumite.llm.requests import Role
from sensei_kumite.llm.roles import Models

prices, _ = load_prices(Path("."))
models = Models(Campaign(), Ledger(None, prices), load_environment(Path(".")))
models.of(Role.JUDGE)
missing(models.settings(Role.JUDGE, provider="anthropic"), models.environment)
heavy = {"langchain", "langchain_core", "langchain_openai", "openai", "genai_prices", "httpx", "requests"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

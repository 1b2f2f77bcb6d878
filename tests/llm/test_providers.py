import os
import sys
from pathlib import Path

import pytest

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.llm.providers import (
    PLACEHOLDER_KEY,
    PROVIDERS,
    access_to,
    is_local,
    load_environment,
    missing,
    secret_values,
)
from sensei_kumite.llm.requests import ModelSettings, Role

KEY = "sk-0123456789abcdef"
LOCAL = "http://localhost:11434/v1"
REMOTE = "https://models.example.org/v1"


def settings(**details: str) -> ModelSettings:
    return ModelSettings(Role.JUDGE).override(**details)


def said(environment: dict[str, str], **details: str) -> str:
    return "\n".join(str(problem) for problem in missing(settings(**details), environment))


class TestMissing:
    def test_a_key_that_is_there_is_enough(self) -> None:
        assert said({"OPENAI_API_KEY": KEY}) == ""
        assert said({"MY_KEY": KEY}, api_key_env="MY_KEY") == ""

    @pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "  "}])
    def test_a_key_that_is_not_is_named_with_a_way_out(self, environment: dict[str, str]) -> None:
        text = said(environment)
        assert text.startswith("judge: there is no API key for openai: OPENAI_API_KEY is not set.")
        assert "provider: offline" in text
        assert "--offline" in text

    def test_the_variable_of_the_block_is_the_one_that_counts(self) -> None:
        text = said({"OPENAI_API_KEY": KEY}, api_key_env="MY_KEY", base_url=LOCAL)
        assert "the environment variable MY_KEY, which api_key_env names, is not set" in text

    def test_offline_needs_nothing(self) -> None:
        assert said({}, provider="offline", api_key_env="MY_KEY") == ""

    def test_a_local_server_needs_no_key(self) -> None:
        assert said({}, base_url=LOCAL) == ""
        assert "OPENAI_API_KEY" in said({}, base_url=REMOTE)

    def test_a_misspelt_provider_is_answered_with_a_guess(self) -> None:
        text = said({}, provider="antropic")
        assert "unknown provider 'antropic'. Did you mean 'anthropic'?" in text
        assert "offline" in text

    @pytest.mark.parametrize("name", ["../evil", "a.b", "os"])
    def test_a_provider_may_be_anything_and_is_not_imported(self, name: str) -> None:
        assert "unknown provider" in said({}, provider=name)

    def test_a_missing_package_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "langchain_anthropic", None)
        text = said({"ANTHROPIC_API_KEY": KEY}, provider="anthropic")
        assert "langchain-anthropic, which is not installed. pip install langchain-anthropic" in text
        assert "--offline" in text

    def test_an_installed_package_of_a_provider_we_have_not_heard_of_will_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "langchain_brand_new.py").write_text("raise AssertionError('this must not be imported')")
        monkeypatch.syspath_prepend(tmp_path)
        assert said({}, provider="brand_new") == ""

    @pytest.mark.parametrize(
        "url",
        ["localhost:11434", "ftp://localhost/v1", "http://", "http://[::1/v1", "http://host:99999999/v1"],
    )
    def test_an_address_that_is_none_is_shown(self, url: str) -> None:
        text = said({"OPENAI_API_KEY": KEY}, base_url=url)
        assert "base_url should be an address like http://localhost:11434/v1" in text

    def test_a_wrong_address_is_shown_without_its_secrets(self) -> None:
        text = said({}, base_url="ftp://me:hunter2@host/v1?key=hunter2")
        assert "ftp://host/v1" in text
        assert "hunter2" not in text

    def test_a_provider_with_two_names_for_its_key_takes_either(self) -> None:
        assert PROVIDERS["google_genai"].keys == ("GOOGLE_API_KEY", "GEMINI_API_KEY")
        access = access_to(settings(provider="google_genai"), {"GEMINI_API_KEY": KEY})
        assert access.api_key == KEY


class TestIsLocal:
    @pytest.mark.parametrize(
        "host", ["localhost", "127.0.0.1", "[::1]", "10.0.0.7", "192.168.1.2", "ollama", "gpu.local"]
    )
    def test_on_this_machine_and_in_private_networks(self, host: str) -> None:
        assert is_local(f"http://{host}:8000/v1")

    @pytest.mark.parametrize("host", ["api.openai.com", "8.8.8.8", "localhost.example.org", "[bad"])
    def test_not_elsewhere(self, host: str) -> None:
        assert not is_local(f"https://{host}/v1")


class TestAccess:
    def test_holds_the_key_of_the_block(self) -> None:
        environment = {"MY_KEY": KEY, "OPENAI_API_KEY": "sk-other-key"}
        assert access_to(settings(api_key_env="MY_KEY"), environment).api_key == KEY
        assert access_to(settings(), environment).api_key == "sk-other-key"

    def test_a_local_server_gets_a_placeholder_that_is_no_secret(self) -> None:
        access = access_to(settings(base_url=LOCAL), {})
        assert (access.api_key, access.secrets) == (PLACEHOLDER_KEY, ())

    def test_it_knows_the_secrets_of_other_roles(self) -> None:
        access = access_to(settings(base_url=LOCAL), {"MY_KEY": KEY}, others=[settings(api_key_env="MY_KEY")])
        assert access.secrets == (KEY,)

    def test_does_not_show_what_it_holds(self) -> None:
        assert KEY not in repr(access_to(settings(), {"OPENAI_API_KEY": KEY}))

    def test_only_providers_that_are_set_up_by_their_environment_get_it(self) -> None:
        environment = {"AZURE_OPENAI_ENDPOINT": "https://x.example.org", "OPENAI_API_KEY": KEY}
        assert access_to(settings(), environment).exports == {}
        assert access_to(settings(provider="azure_openai"), environment).exports == environment


class TestSecrets:
    def test_are_keys_in_use(self) -> None:
        used = [settings(), settings(), settings(provider="offline", api_key_env="OTHER")]
        environment = {"OPENAI_API_KEY": KEY, "OTHER": "unused-secret", "GROQ_API_KEY": "unused-secret"}
        assert secret_values(used, environment) == (KEY,)

    def test_are_what_an_address_hides_as_written_and_as_meant(self) -> None:
        url = "https://someone:pass%2Bword%2B1@host/v1?key=abc%20defgh&x=1"
        found = secret_values([settings(base_url=url)], {})
        assert {"pass%2Bword%2B1", "pass+word+1", "abc%20defgh", "abc defgh"} <= set(found)

    def test_are_no_short_words(self) -> None:
        assert secret_values([settings()], {"OPENAI_API_KEY": "ollama"}) == ()

    def test_are_keys_of_all_kinds_where_the_environment_sets_a_provider_up(self) -> None:
        environment = {"AWS_SECRET_ACCESS_KEY": KEY, "AWS_REGION": "eu-central-1"}
        assert secret_values([settings(provider="bedrock")], environment) == (KEY,)


class TestEnvironment:
    def test_is_completed_by_the_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KUMITE_A", "outside")
        monkeypatch.delenv("KUMITE_B", raising=False)
        (tmp_path / ".env").write_text("KUMITE_A=inside\nexport KUMITE_B='quoted value'  # why\nKUMITE_C\n")
        environment = load_environment(tmp_path)
        assert (environment["KUMITE_A"], environment["KUMITE_B"]) == ("outside", "quoted value")
        assert "KUMITE_C" not in environment
        assert "KUMITE_B" not in os.environ

    def test_the_file_is_optional(self, tmp_path: Path) -> None:
        assert load_environment(tmp_path) == dict(os.environ)

    def test_a_virtual_environment_may_have_its_name(self, tmp_path: Path) -> None:
        (tmp_path / ".env").mkdir()
        assert load_environment(tmp_path) == dict(os.environ)

    def test_a_file_that_is_no_text_is_a_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_bytes(b"KEY=\xff\xfe")
        with pytest.raises(EnvironmentProblem, match=r"\.env cannot be read: it is not UTF-8 text"):
            load_environment(tmp_path)

"""What LangChain's providers need before they can be called: a package, an API key, an address.

All of it is found out without importing LangChain and without a network.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, unquote_plus, urlsplit

from sensei_kumite.errors import EnvironmentProblem, Problem, short_path
from sensei_kumite.llm.requests import OFFLINE, ModelSettings
from sensei_kumite.text import did_you_mean, public_url

PLACEHOLDER_KEY = "no-key-needed"
GO_OFFLINE = "provider: offline, or --offline for all roles, needs no model."
# What is shorter is no key but a word like `ollama`, and blanking it would spoil texts.
_SHORTEST_SECRET = 8
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".lan")


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of LangChain: the package that brings it, and the variables its key is looked for in.

    `reads_environment`: it is set up by more than a key, and takes the rest from the process environment.
    """

    package: str
    keys: tuple[str, ...] = ()
    reads_environment: bool = False


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider("langchain-anthropic", ("ANTHROPIC_API_KEY",)),
    "anthropic_bedrock": Provider("langchain-aws", reads_environment=True),
    "azure_ai": Provider("langchain-azure-ai", reads_environment=True),
    "azure_openai": Provider("langchain-openai", ("AZURE_OPENAI_API_KEY",), reads_environment=True),
    "baseten": Provider("langchain-baseten", ("BASETEN_API_KEY",)),
    "bedrock": Provider("langchain-aws", reads_environment=True),
    "bedrock_converse": Provider("langchain-aws", reads_environment=True),
    "bedrock_mantle_anthropic": Provider("langchain-aws", reads_environment=True),
    "bedrock_mantle_openai": Provider("langchain-aws", reads_environment=True),
    "cohere": Provider("langchain-cohere", ("COHERE_API_KEY",), reads_environment=True),
    "deepseek": Provider("langchain-deepseek", ("DEEPSEEK_API_KEY",)),
    "fireworks": Provider("langchain-fireworks", ("FIREWORKS_API_KEY",)),
    "google_anthropic_vertex": Provider("langchain-google-vertexai", reads_environment=True),
    "google_genai": Provider("langchain-google-genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "google_vertexai": Provider("langchain-google-vertexai", reads_environment=True),
    "groq": Provider("langchain-groq", ("GROQ_API_KEY",)),
    "huggingface": Provider("langchain-huggingface", reads_environment=True),
    "ibm": Provider("langchain-ibm", reads_environment=True),
    "litellm": Provider("langchain-litellm", reads_environment=True),
    "meta": Provider("langchain-meta", reads_environment=True),
    "mistralai": Provider("langchain-mistralai", ("MISTRAL_API_KEY",)),
    "nvidia": Provider("langchain-nvidia-ai-endpoints", ("NVIDIA_API_KEY",)),
    "ollama": Provider("langchain-ollama"),
    "openai": Provider("langchain-openai", ("OPENAI_API_KEY",)),
    "openrouter": Provider("langchain-openrouter", ("OPENROUTER_API_KEY",)),
    "perplexity": Provider("langchain-perplexity", ("PPLX_API_KEY", "PERPLEXITY_API_KEY")),
    "together": Provider("langchain-together", ("TOGETHER_API_KEY",)),
    "upstage": Provider("langchain-upstage", ("UPSTAGE_API_KEY",)),
    "xai": Provider("langchain-xai", ("XAI_API_KEY",)),
}


@dataclass(frozen=True, slots=True, repr=False)
class Access:
    """What lets us call a provider. `exports` are variables that it reads from the process environment;
    `secrets` are values that must appear in no text."""

    api_key: str | None = None
    secrets: tuple[str, ...] = ()
    exports: Mapping[str, str] = field(default_factory=dict)


def load_environment(project: Path) -> dict[str, str]:
    """The environment variables, completed by a `.env` file beside run.yml; the environment itself wins.

    Raises EnvironmentProblem where the file cannot be read.
    """
    path = project / ".env"
    if not path.exists():
        return dict(os.environ)
    from dotenv import dotenv_values

    try:
        written = dotenv_values(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise EnvironmentProblem(f"{short_path(path)} cannot be read: {reason}.") from None
    return {name: value for name, value in written.items() if value is not None} | dict(os.environ)


def missing(settings: ModelSettings, environment: Mapping[str, str]) -> list[Problem]:
    """What keeps a role from calling its model: provider, package, address or key, with a way out."""
    if settings.is_offline:
        return []
    found = [*_provider_problems(settings)]
    if not found:
        found = [*_address_problems(settings), *_key_problems(settings, environment)]
    return [Problem(f"{settings.role}: {problem.message}", hint=problem.hint) for problem in found]


def access_to(
    settings: ModelSettings, environment: Mapping[str, str], *, others: Iterable[ModelSettings] = ()
) -> Access:
    """What calling the model of `settings` takes; the secrets of `others` are kept too."""
    provider = _provider(settings.provider)
    key = _key(settings, environment)
    if key is None and settings.base_url and is_local(settings.base_url):
        key = PLACEHOLDER_KEY
    return Access(
        api_key=key,
        secrets=secret_values([settings, *others], environment),
        exports=dict(environment) if provider.reads_environment else {},
    )


def secret_values(used: Iterable[ModelSettings], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Every key, and what an address may hold that is secret, to be blanked wherever it appears."""
    found: list[str] = []
    for settings in used:
        if settings.is_offline:
            continue
        found.append(_key(settings, environment) or "")
        found += _secrets_in_address(settings.base_url or "")
        if _provider(settings.provider).reads_environment:
            found += [value for name, value in environment.items() if _sounds_secret(name)]
    return tuple(dict.fromkeys(value for value in found if len(value) >= _SHORTEST_SECRET))


def key_names(settings: ModelSettings) -> tuple[str, ...]:
    """The environment variables that may hold the key; none for a provider that needs no key."""
    return (settings.api_key_env,) if settings.api_key_env else _provider(settings.provider).keys


def is_local(url: str) -> bool:
    """Whether the address is on this machine or in a private network, where servers rarely want a key."""
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return False
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def _provider(name: str) -> Provider:
    """A provider that is not in the table follows LangChain's way of naming packages."""
    return PROVIDERS.get(name) or Provider(f"langchain-{name.replace('_', '-')}")


def _is_installed(package: str) -> bool:
    name = package.replace("-", "_")
    return name.isidentifier() and find_spec(name) is not None


def _provider_problems(settings: ModelSettings) -> Iterator[Problem]:
    name, package = settings.provider, _provider(settings.provider).package
    if _is_installed(package):
        return
    if name not in PROVIDERS:
        known = sorted([*PROVIDERS, OFFLINE])
        yield Problem(
            f"unknown provider {name!r}.{did_you_mean(name, known)}", hint=f"Valid: {', '.join(known)}."
        )
    else:
        yield Problem(
            f"the provider {name} needs the package {package}, which is not installed.",
            hint=f"pip install {package}. Or: {GO_OFFLINE}",
        )


def _address_problems(settings: ModelSettings) -> Iterator[Problem]:
    url = settings.base_url
    if url is None:
        return
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        yield Problem(
            f"base_url should be an address like http://localhost:11434/v1, not {public_url(url)!r}."
        )


def _key_problems(settings: ModelSettings, environment: Mapping[str, str]) -> Iterator[Problem]:
    names = key_names(settings)
    if not names or _key(settings, environment):
        return
    if settings.api_key_env:
        message = f"the environment variable {settings.api_key_env}, which api_key_env names, is not set."
    elif settings.base_url and is_local(settings.base_url):
        return
    else:
        message = f"there is no API key for {settings.provider}: {' or '.join(names)} is not set."
    yield Problem(message, hint=f"Set it in the environment or in .env beside run.yml. Or: {GO_OFFLINE}")


def _key(settings: ModelSettings, environment: Mapping[str, str]) -> str | None:
    return next((key for name in key_names(settings) if (key := environment.get(name, "").strip())), None)


def _secrets_in_address(url: str) -> list[str]:
    """User, password and query values of an address, as written and as meant."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    values = [pair.partition("=")[2] for pair in parts.query.split("&")]
    written = [parts.username, parts.password, *values]
    return [form for text in written if text for form in (text, unquote(text), unquote_plus(text))]


def _sounds_secret(name: str) -> bool:
    return any(word in name.upper() for word in _SECRET_NAMES)

"""Who answers for which role: from the blocks of a campaign to models, each made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from sensei_kumite.config.campaign import Campaign, ModelBlock
from sensei_kumite.llm.client import ChatModel
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.offline.model import OfflineModel
from sensei_kumite.llm.providers import access_to, secret_values
from sensei_kumite.llm.requests import OFFLINE, Model, ModelSettings, Role


def settings_of(campaign: Campaign, role: Role, *, offline: bool = False) -> ModelSettings:
    """The settings of a role as its block gives them; `offline` puts our rules in the place of its model."""
    block: ModelBlock = getattr(campaign, role.value)
    settings = ModelSettings(role).override(
        model=block.model or None,
        provider=_provider_name(block.provider),
        temperature=block.temperature,
        base_url=block.base_url or None,
        api_key_env=block.api_key_env,
    )
    return replace(settings, provider=OFFLINE) if offline else settings


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run. Shared by all lanes.

    `environment` is what `load_environment` read; `offline` answers every role by our rules.
    """

    campaign: Campaign
    ledger: Ledger = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)
    seed: int = 0
    offline: bool = False
    _made: dict[ModelSettings, Model] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def of(
        self,
        role: Role,
        *,
        model: str | None = None,
        provider: str | None = None,
        temperature: float | None = None,
    ) -> Model:
        """The model of a role, its settings replaced by what is given; calls and imports nothing yet."""
        settings = self.settings(role, model=model, provider=provider, temperature=temperature)
        with self._lock:
            if settings not in self._made:
                self._made[settings] = self._make(settings)
            return self._made[settings]

    def settings(
        self,
        role: Role,
        *,
        model: str | None = None,
        provider: str | None = None,
        temperature: float | None = None,
    ) -> ModelSettings:
        """The settings that `of` would use, for `missing` to check.

        Address and key of the block belong to its provider: they are dropped where another one is asked for.
        """
        settings = settings_of(self.campaign, role, offline=self.offline)
        name = None if self.offline else _provider_name(provider)
        if name and name != settings.provider:
            settings = replace(settings, base_url=None, api_key_env=None)
        return settings.override(model=model, provider=name, temperature=temperature)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key values that the roles use, to be blanked wherever text is shown or written."""
        return secret_values(self._role_settings(), self.environment)

    def _role_settings(self) -> list[ModelSettings]:
        return [settings_of(self.campaign, role, offline=self.offline) for role in Role]

    def _make(self, settings: ModelSettings) -> Model:
        if settings.is_offline:
            return OfflineModel(settings, self.seed)
        access = access_to(settings, self.environment, others=self._role_settings())
        return ChatModel(settings, self.ledger, access=access)


def _provider_name(name: str | None) -> str | None:
    """As LangChain spells its providers."""
    return name.strip().lower().replace("-", "_") or None if name else None

"""What a model call costs: prices of the workspace first, then those that `genai-prices` brings along.

Amounts are decimal, so that sums of many small ones are exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sensei_kumite.config.fields import Block, NotNegative, Text, WrongKey, shown
from sensei_kumite.config.problems import validated
from sensei_kumite.errors import ConfigurationError, Problem
from sensei_kumite.files import resolve_path
from sensei_kumite.yaml_reader import load_yaml

PRICING_FOLDER = "pricing"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. `cached` (read from a cache) and `cache_writes` (put in) are parts of `input`."""

    input: int
    output: int
    cached: int = 0
    cache_writes: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """USD of one call. `total` may hold more than the two parts: some models charge for the call itself."""

    input: Decimal
    output: Decimal
    total: Decimal


def _day(value: Any) -> Any:
    """A day as YYYY-MM-DD."""
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"should be a day like 2026-01-31, not {shown(value)}") from None


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from None
    return value


Day = Annotated[date, BeforeValidator(_day)]
Pattern = Annotated[Text, AfterValidator(_pattern)]


class ModelPrice(Block):
    """What one model costs, in USD per million tokens, from `effective_from` to `effective_to`."""

    name: Text = Field(description="The model's name; upper and lower case are the same.")
    provider: Text | None = Field(None, description="Holds for this provider only; unset means all.")
    aliases: list[Text] = Field(default_factory=list, description="Other names of the model.")
    match: Pattern | None = Field(None, description="Regular expression for whole names of the model.")
    input: NotNegative = Field(description="Price of input tokens.")
    cached: NotNegative | None = Field(None, description="Price of cached input; unset means that of input.")
    output: NotNegative = Field(description="Price of output tokens.")
    effective_from: Day | None = Field(None, description="First day of the price, in UTC.")
    effective_to: Day | None = Field(None, description="Last day of the price, in UTC.")

    @model_validator(mode="after")
    def _days_in_order(self) -> ModelPrice:
        if self.effective_from and self.effective_to and self.effective_to < self.effective_from:
            raise WrongKey("effective_to", "effective_to is before effective_from")
        return self

    def holds(self, provider: str, day: date) -> bool:
        """Whether this is the price at `provider` on `day`."""
        return (
            self.provider in (None, provider)
            and (self.effective_from or day) <= day
            and day <= (self.effective_to or day)
        )

    def is_named(self, model: str) -> bool:
        """Whether `model` is the name or an alias."""
        return model.lower() in {name.lower() for name in (self.name, *self.aliases)}

    def matches(self, model: str) -> bool:
        """Whether `match` fits the whole of `model`."""
        return bool(self.match and re.fullmatch(self.match, model, re.IGNORECASE))

    def cost(self, usage: Usage) -> Cost:
        """What `usage` costs."""
        cached = self.input if self.cached is None else self.cached
        paid_in = (usage.input - usage.cached) * _exact(self.input) + usage.cached * _exact(cached)
        paid_out = usage.output * _exact(self.output)
        return Cost(paid_in / _MILLION, paid_out / _MILLION, (paid_in + paid_out) / _MILLION)


class PriceFile(Block):
    """One file of the folder pricing/."""

    models: list[ModelPrice] = Field(description="Prices of models.")


class Prices:
    """Knows what models cost. `overrides` stand above what `genai-prices` knows."""

    def __init__(self, overrides: Sequence[ModelPrice] = ()) -> None:
        self._overrides = tuple(overrides)

    def cost(
        self, model: str, provider: str, *, usage: Usage, when: datetime, base_url: str | None = None
    ) -> Cost | None:
        """What `usage` of `model` costs at the time `when`; None where nobody knows.

        `base_url` tells the seller where the provider is merely the language that a server speaks.
        """
        day = when.astimezone(UTC).date()
        current = [price for price in self._overrides if price.holds(provider, day)]
        for price in _best_first(current, model):
            return price.cost(usage)
        sellers = [{"provider_id": provider}]
        if base_url:
            sellers.insert(0, {"provider_api_url": base_url})
        found = (_known_cost(model, seller, usage, when) for seller in sellers)
        return next(filter(None, found), None)


def load_prices(project: Path, *, within: Path | None = None) -> tuple[Prices, list[Problem]]:
    """The prices of a workspace, whose `pricing/*.yml` are optional, and what is wrong with these files.

    `within` forbids links that lead out of that folder.
    """
    overrides: list[ModelPrice] = []
    problems: list[Problem] = []
    folder = project / PRICING_FOLDER
    for name in sorted(path.name for path in folder.glob("*.y*ml") if path.suffix in (".yml", ".yaml")):
        try:
            document = load_yaml(resolve_path(name, [folder], within=within))
        except ConfigurationError as error:
            problems += error.problems
            continue
        file, found = validated(PriceFile, document)
        problems += found
        overrides += file.models if file else []
    return Prices(overrides), problems


def _best_first(prices: Sequence[ModelPrice], model: str) -> Iterator[ModelPrice]:
    """Prices for `model`: those that name it before those whose pattern fits, in the order of the files."""
    yield from (price for price in prices if price.is_named(model))
    yield from (price for price in prices if price.matches(model))


def _exact(amount: float) -> Decimal:
    """The decimal number as it was typed."""
    return Decimal(str(amount))


def _known_cost(model: str, seller: dict[str, str], usage: Usage, when: datetime) -> Cost | None:
    """The cost by the bundled data, which is never refreshed over the network."""
    import genai_prices

    calculate: Any = genai_prices.calc_price
    tokens = genai_prices.Usage(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.cache_writes,
    )
    try:
        found = calculate(tokens, model, genai_request_timestamp=when.astimezone(UTC), **seller)
    except (LookupError, ValueError):  # an unknown seller or model; tokens that the price does not cover
        return None
    return Cost(found.input_price, found.output_price, found.total_price)

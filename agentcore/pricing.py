"""Prices: what a call's tokens cost, in decimals from end to end.

The site's own dated prices win; else the shipped ones of ``genai-prices`` are used, which needs no network. A price
that nobody knows is unknown, never zero. Source: https://github.com/pydantic/genai-prices
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import genai_prices

from agentcore.messages import Usage
from agentcore.observers import Cost
from agentcore.providers.spec import ALIASES

log = logging.getLogger(__name__)

MILLION = Decimal(1_000_000)
PLACES = Decimal("1e-10")
# Where a provider without an address of its own lives. Not here: no shipped price (mock, ollama).
HOME_URLS = {
    "openai_chat": "https://api.openai.com/v1",
    "openai_responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}


@dataclass(frozen=True, kw_only=True)
class Rates:
    """What a million tokens cost. Cached and written input fall back to the input rate."""

    input_per_mtok: Decimal
    output_per_mtok: Decimal
    cached_input_per_mtok: Decimal | None = None
    cache_write_per_mtok: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class PriceTier(Rates):
    """The rates of a call with more input than this: for all of the call, not for what exceeds."""

    above_input_tokens: int


@dataclass(frozen=True, kw_only=True)
class PriceOverride(Rates):
    """A price from a moment on, with tiers in any order."""

    model: str
    currency: str
    valid_from: datetime
    tiers: Sequence[PriceTier] = ()

    def tier(self, input_tokens: int) -> PriceTier | None:
        """The highest tier that so much input reaches; exactly its bound does not."""
        reached = [tier for tier in self.tiers if input_tokens > tier.above_input_tokens]
        return max(reached, key=lambda tier: tier.above_input_tokens, default=None)


class PriceBook:
    """The prices of one provider."""

    def __init__(self, overrides: Sequence[PriceOverride] = ()) -> None:
        self._overrides = tuple(overrides)

    def cost(self, *, provider_type: str, base_url: str, model: str, usage: Usage, at: datetime) -> Cost:
        """The cost of one call; ``amount`` is None when the price is unknown."""
        usage = _consistent(usage)
        valid = [price for price in self._overrides if price.model == model and price.valid_from <= at]
        if valid:
            return _own_cost(max(valid, key=lambda price: price.valid_from), usage)
        kind = ALIASES.get(provider_type, provider_type)
        return _shipped_cost(base_url or HOME_URLS[kind], model, usage, at) if kind in HOME_URLS else Cost()


def plain(amount: Decimal) -> Decimal:
    """``amount`` at ten places, written without an exponent and without idle zeros."""
    return Decimal(format(amount.quantize(PLACES).normalize(), "f"))


def _consistent(usage: Usage) -> Usage:
    """Buckets are parts of a whole: what is more than the whole is cut off, and said in the log."""
    cached = min(usage.cached_input_tokens, usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens - cached)
    if (cached, written) == (usage.cached_input_tokens, usage.cache_write_tokens):
        return usage
    log.warning("A provider reported more cached tokens than input tokens: %s", usage)
    return replace(usage, cached_input_tokens=cached, cache_write_tokens=written)


def _own_cost(price: PriceOverride, usage: Usage) -> Cost:
    tier = price.tier(usage.input_tokens)
    rates = tier or price
    fresh = usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens
    cached, written = rates.cached_input_per_mtok, rates.cache_write_per_mtok
    parts = {
        "input_per_mtok": (fresh, rates.input_per_mtok),
        "cached_input_per_mtok": (usage.cached_input_tokens, rates.input_per_mtok if cached is None else cached),
        "cache_write_per_mtok": (usage.cache_write_tokens, rates.input_per_mtok if written is None else written),
        "output_per_mtok": (usage.output_tokens, rates.output_per_mtok),
    }
    amount = sum((tokens * rate for tokens, rate in parts.values()), Decimal(0)) / MILLION
    used = {name: str(plain(rate)) for name, (_tokens, rate) in parts.items()}
    source = {"source": "site", "valid_from": price.valid_from.isoformat()}
    reached = _tier_said([tier.above_input_tokens] if tier else [])
    return Cost(amount=plain(amount), currency=price.currency, prices=used | reached | source)


def _shipped_cost(url: str, model: str, usage: Usage, at: datetime) -> Cost:
    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_input_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        found = genai_prices.calc_price(counted, model, provider_api_url=url, genai_request_timestamp=at)
    except (LookupError, ValueError):
        return Cost()
    rates = found.model_price
    # What has no rate is left out of their sum: a model that is paid by the minute would cost nothing.
    if rates.input_mtok is None or (usage.output_tokens and rates.output_mtok is None):
        return Cost()
    return Cost(amount=plain(found.total_price), prices=_shipped_prices(rates, usage.input_tokens))


def _shipped_prices(rates: Any, input_tokens: int) -> dict[str, str]:
    """The rates used, and the tier that they are of."""
    names = {
        "input_per_mtok": rates.input_mtok,
        "cached_input_per_mtok": rates.cache_read_mtok,
        "cache_write_per_mtok": rates.cache_write_mtok,
        "output_per_mtok": rates.output_mtok,
    }
    known = {name: rate for name, rate in names.items() if rate is not None}
    used = {name: str(plain(_rate(rate, input_tokens))) for name, rate in known.items()}
    bounds = [tier.start for rate in known.values() for tier in _tiers_reached(rate, input_tokens)]
    return used | _tier_said(bounds) | {"source": f"genai-prices {genai_prices.__version__}"}


def _rate(rate: Any, input_tokens: int) -> Decimal:
    reached = _tiers_reached(rate, input_tokens)
    found: Decimal = reached[-1].price if reached else getattr(rate, "base", rate)
    return found


def _tiers_reached(rate: Any, input_tokens: int) -> list[Any]:
    """Ascending, as ``genai-prices`` keeps them. A rate without tiers is a plain number."""
    return [tier for tier in getattr(rate, "tiers", ()) if input_tokens > tier.start]


def _tier_said(bounds: Sequence[int]) -> dict[str, str]:
    """The highest bound that was passed, as records keep it; nothing where none was."""
    return {"tier": f"above {max(bounds)}"} if bounds else {}

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
class PriceOverride:
    """A price from a moment on, per million tokens. Cached and written input fall back to the input price."""

    model: str
    currency: str
    input_per_mtok: Decimal
    output_per_mtok: Decimal
    valid_from: datetime
    cached_input_per_mtok: Decimal | None = None
    cache_write_per_mtok: Decimal | None = None


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
        url = base_url or HOME_URLS.get(provider_type, "")
        return _shipped_cost(url, model, usage, at) if url and provider_type in HOME_URLS else Cost()


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
    fresh = usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens
    cached, written = price.cached_input_per_mtok, price.cache_write_per_mtok
    parts = {
        "input_per_mtok": (fresh, price.input_per_mtok),
        "cached_input_per_mtok": (usage.cached_input_tokens, price.input_per_mtok if cached is None else cached),
        "cache_write_per_mtok": (usage.cache_write_tokens, price.input_per_mtok if written is None else written),
        "output_per_mtok": (usage.output_tokens, price.output_per_mtok),
    }
    amount = sum((tokens * rate for tokens, rate in parts.values()), Decimal(0)) / MILLION
    used = {name: str(plain(rate)) for name, (_tokens, rate) in parts.items()}
    source = {"source": "site", "valid_from": price.valid_from.isoformat()}
    return Cost(amount=plain(amount), currency=price.currency, prices=used | source)


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
    return Cost(amount=plain(found.total_price), prices=_shipped_prices(found.model_price))


def _shipped_prices(price: Any) -> dict[str, str]:
    """The prices used, with a price that depends on the size of the input written out in words."""
    names = {
        "input_per_mtok": price.input_mtok,
        "cached_input_per_mtok": price.cache_read_mtok,
        "cache_write_per_mtok": price.cache_write_mtok,
        "output_per_mtok": price.output_mtok,
    }
    used = {name: _rate(rate) for name, rate in names.items() if rate is not None}
    return used | {"source": f"genai-prices {genai_prices.__version__}"}


def _rate(rate: Any) -> str:
    if isinstance(rate, Decimal):
        return str(plain(rate))
    tiers = ", ".join(f"{plain(tier.price)} from {tier.start}" for tier in rate.tiers)
    return f"{plain(rate.base)}, {tiers}"

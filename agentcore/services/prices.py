"""What a model call cost, by the shipped prices and the site's own."""

from datetime import datetime
from typing import Any

from agentcore.chat import Route
from agentcore.messages import Usage
from agentcore.models import ModelPrice, ModelPriceTier, Provider
from agentcore.observers import Cost
from agentcore.pricing import PriceBook, PriceOverride, PriceTier


def cost_of(route: Route, usage: Usage, at: datetime) -> Cost:
    """The cost of ``usage`` on ``route`` at a moment; ``amount`` is None when the price is unknown. 2 queries."""
    prices = ModelPrice.objects.filter(provider=route.provider_id, model=route.model)
    rows = list(prices.select_related("provider").prefetch_related("tiers"))
    # Each own price brings its provider along.
    provider = rows[0].provider if rows else Provider.objects.filter(slug=route.provider_id).first()
    if provider is None:
        return Cost()
    book = PriceBook([_override(row) for row in rows])
    return book.cost(
        provider_type=provider.provider_type, base_url=provider.base_url, model=route.model, usage=usage, at=at
    )


def _override(row: ModelPrice) -> PriceOverride:
    tiers = [PriceTier(above_input_tokens=tier.above_input_tokens, **_rates(tier)) for tier in row.tiers.all()]
    return PriceOverride(model=row.model, currency=row.currency, valid_from=row.valid_from, tiers=tiers, **_rates(row))


def _rates(row: ModelPrice | ModelPriceTier) -> dict[str, Any]:
    return {
        "input_per_mtok": row.input_per_mtok,
        "output_per_mtok": row.output_per_mtok,
        "cached_input_per_mtok": row.cached_input_per_mtok,
        "cache_write_per_mtok": row.cache_write_per_mtok,
    }

"""What a model call cost, by the shipped prices and the site's own."""

from datetime import datetime

from agentcore.chat import Route
from agentcore.messages import Usage
from agentcore.models import ModelPrice, Provider
from agentcore.observers import Cost
from agentcore.pricing import PriceBook, PriceOverride


def cost_of(route: Route, usage: Usage, at: datetime) -> Cost:
    """The cost of ``usage`` on ``route`` at a moment; ``amount`` is None when the price is unknown. 2 queries."""
    provider = Provider.objects.filter(slug=route.provider_id).first()
    if provider is None:
        return Cost()
    rows = ModelPrice.objects.filter(provider=provider, model=route.model)
    book = PriceBook([_override(row) for row in rows])
    return book.cost(
        provider_type=provider.provider_type, base_url=provider.base_url, model=route.model, usage=usage, at=at
    )


def _override(row: ModelPrice) -> PriceOverride:
    return PriceOverride(
        model=row.model,
        currency=row.currency,
        input_per_mtok=row.input_per_mtok,
        output_per_mtok=row.output_per_mtok,
        cached_input_per_mtok=row.cached_input_per_mtok,
        cache_write_per_mtok=row.cache_write_per_mtok,
        valid_from=row.valid_from,
    )

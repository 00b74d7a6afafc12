"""The row of the local model: it says where the model answers while it does, and is off when it no longer does."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db import transaction

from scripts.llm_models import Weights

PROVIDER, AGENT = "local", "assistant"
BEFORE_ALL = 0


@transaction.atomic
def provider_on(*, base_url: str, weights: Weights) -> None:
    fields = {
        "provider_type": "openai_chat",
        "name": "Local model",
        "base_url": base_url,
        "default_model": weights.name,
        "enabled": True,
        "options": {"body": dict(weights.sampling)},
        "models_found": [],
    }
    apps.get_model("agentcore", "Provider").objects.update_or_create(slug=PROVIDER, defaults=fields)


def provider_off() -> None:
    apps.get_model("agentcore", "Provider").objects.filter(slug=PROVIDER).update(enabled=False)


@transaction.atomic
def route_first() -> bool:
    """Make the local model the assistant's first route; False when it has one already."""
    routes = apps.get_model("agentcore", "AgentRoute").objects
    if routes.filter(agent_id=AGENT, provider_id=PROVIDER).exists():
        return False
    for position, route in enumerate(routes.filter(agent_id=AGENT).order_by("position", "pk"), BEFORE_ALL + 1):
        routes.filter(pk=route.pk).update(position=position)
    routes.create(agent_id=AGENT, provider_id=PROVIDER, position=BEFORE_ALL)
    return True


def route_removed() -> None:
    apps.get_model("agentcore", "AgentRoute").objects.filter(agent_id=AGENT, provider_id=PROVIDER).delete()


@contextmanager
def registered(*, base_url: str, weights: Weights, is_default: bool) -> Iterator[None]:
    """The model is on offer, and with ``is_default`` the assistant's first choice, until the block ends."""
    provider_on(base_url=base_url, weights=weights)
    is_ours = is_default and route_first()
    try:
        yield
    finally:
        provider_off()
        if is_ours:
            route_removed()

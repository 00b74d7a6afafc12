"""Probes: asking providers whether they answer, and keeping what they said with its age.

Never inside a transaction: the network is slow, and on SQLite a transaction keeps every other writer waiting.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from agentcore.clock import CLOCK
from agentcore.conf import steward
from agentcore.errors import ProviderError
from agentcore.models import Provider
from agentcore.providers.connections import close_connections
from agentcore.providers.dialects import ModelListed
from agentcore.providers.probe import Probe, models_listed, probe
from agentcore.providers.spec import ProviderSpec
from agentcore.services.providers import provider_spec


def providers_test(slugs: Iterable[str]) -> dict[str, Probe]:
    """Ask each provider, all at once, and store the outcome as its status. Takes at most half a minute."""
    specs = _specs(slugs)
    outcomes = dict(zip(specs, asyncio.run(_probes(list(specs.values()))), strict=True))
    for slug, outcome in outcomes.items():
        Provider.objects.filter(slug=slug).update(status=_status(outcome))
    return outcomes


def models_refresh(slugs: Iterable[str]) -> dict[str, int | ProviderError]:
    """Read each provider's list of models and store it: how many there are, or why there is no new list."""
    specs = _specs(slugs)
    outcomes = dict(zip(specs, asyncio.run(_lists(list(specs.values()))), strict=True))
    for slug, outcome in outcomes.items():
        if isinstance(outcome, list):
            found = [asdict(model) for model in outcome]
            Provider.objects.filter(slug=slug).update(models_found=found, models_found_at=CLOCK.now())
    return {slug: len(outcome) if isinstance(outcome, list) else outcome for slug, outcome in outcomes.items()}


def _specs(slugs: Iterable[str]) -> dict[str, ProviderSpec]:
    rows = Provider.objects.select_related("credential").filter(slug__in=list(slugs))
    return {row.slug: provider_spec(row) for row in rows}


async def _probes(specs: Sequence[ProviderSpec]) -> list[Probe]:
    """On a loop of its own, whose connections end with it."""
    allowed = steward().private_provider_urls_allowed
    try:
        return await asyncio.gather(*(probe(spec, allow_private=allowed) for spec in specs))
    finally:
        await close_connections()


async def _lists(specs: Sequence[ProviderSpec]) -> list[list[ModelListed] | ProviderError]:
    try:
        return await asyncio.gather(*(_list_of(spec) for spec in specs))
    finally:
        await close_connections()


async def _list_of(spec: ProviderSpec) -> list[ModelListed] | ProviderError:
    """A provider that lists none has an empty list."""
    try:
        return await models_listed(spec, allow_private=steward().private_provider_urls_allowed) or []
    except ProviderError as error:
        return error


def _status(outcome: Probe) -> dict[str, Any]:
    """``{ok, code, message, at, duration_ms, models}``; ``models`` is how many are listed, or null."""
    error = outcome.error
    return {
        "ok": error is None,
        "code": error.code if error else "",
        "message": error.message if error else "",
        "at": CLOCK.now().isoformat(),
        "duration_ms": outcome.duration_ms,
        "models": None if outcome.models is None else len(outcome.models),
    }

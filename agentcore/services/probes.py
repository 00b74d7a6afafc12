"""Probes: asking providers whether they answer, and keeping what they said with its age.

Never inside a transaction: the network is slow, and on SQLite a transaction keeps every other writer waiting.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from django.db import transaction

from agentcore.chat import Route
from agentcore.clock import CLOCK
from agentcore.conf import steward
from agentcore.errors import ProviderCredentialMissing, ProviderError
from agentcore.models import Provider
from agentcore.providers.connections import close_connections
from agentcore.providers.dialects import ModelListed
from agentcore.providers.probe import Probe, models_listed, probe
from agentcore.services.breakers import breaker_admit, breaker_settle
from agentcore.services.upstreams import key_check, provider_spec

R = TypeVar("R")
# Models in the order of their ids; None where the provider knows no such list.
Listed = list[ModelListed] | None


def providers_test(slugs: Iterable[str]) -> dict[str, Probe]:
    """Ask each provider, all at once, and store the outcome as its status. Takes at most half a minute."""
    rows = _rows(slugs)
    outcomes = dict(zip(rows, _answered(_probes(list(rows.values()))), strict=True))
    for slug, outcome in outcomes.items():
        _keep(rows[slug], _status(outcome))
        if outcome.error is None:
            # It answers: what the breaker knew against it is out of date.
            breaker_settle(breaker_admit(Route(slug, rows[slug].default_model)), "")
    return outcomes


def provider_try(row: Provider) -> Probe:
    """Ask a provider that is not stored, and need not become so. Takes at most half a minute."""
    return _answered(_probes([row]))[0]


def models_refresh(slugs: Iterable[str]) -> dict[str, int | ProviderError]:
    """Read each provider's list of models and store it: how many there are, or why there is no new list."""
    rows = _rows(slugs)
    outcomes = dict(zip(rows, _answered(_lists(list(rows.values()))), strict=True))
    for slug, outcome in outcomes.items():
        _keep(rows[slug], {"discovery": _discovery(outcome)}, **_found(outcome))
    return {slug: error if isinstance(error, ProviderError) else len(error or []) for slug, error in outcomes.items()}


def _rows(slugs: Iterable[str]) -> dict[str, Provider]:
    return {row.slug: row for row in Provider.objects.select_related("credential").filter(slug__in=list(slugs))}


def _answered(asking: Coroutine[Any, Any, R]) -> R:
    """The result, on a loop of its own.

    Not ``asyncio.run``: at its end that waits for the thread that a name server keeps, long after the time limit.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(asking)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _probes(rows: Sequence[Provider]) -> list[Probe]:
    try:
        return await asyncio.gather(*(_probe_of(row) for row in rows))
    finally:
        await close_connections()


async def _probe_of(row: Provider) -> Probe:
    try:
        key_check(row)
    except ProviderCredentialMissing as error:
        return Probe(duration_ms=0, error=error)
    return await probe(provider_spec(row), allow_private=steward().private_provider_urls_allowed)


async def _lists(rows: Sequence[Provider]) -> list[Listed | ProviderError]:
    try:
        return await asyncio.gather(*(_list_of(row) for row in rows))
    finally:
        await close_connections()


async def _list_of(row: Provider) -> Listed | ProviderError:
    try:
        key_check(row)
        return await models_listed(provider_spec(row), allow_private=steward().private_provider_urls_allowed)
    except ProviderError as error:
        return error


@transaction.atomic
def _keep(row: Provider, status: dict[str, Any], **columns: Any) -> None:
    """Store what was found out of ``row``; not of one that was saved since, which may be another host's."""
    stored = Provider.objects.select_for_update().filter(slug=row.slug, updated_at=row.updated_at).first()
    if stored is not None:
        Provider.objects.filter(slug=row.slug).update(status=stored.status | status, **columns)


def _status(outcome: Probe) -> dict[str, Any]:
    """``{ok, code, message, at, duration_ms, models}``; ``models`` is how many are listed, or null."""
    return {
        **_verdict(outcome.error),
        "duration_ms": outcome.duration_ms,
        "models": None if outcome.models is None else len(outcome.models),
    }


def _discovery(outcome: Listed | ProviderError) -> dict[str, Any]:
    """``{ok, code, message, at, models}``; ``models`` is null where no list came."""
    error = outcome if isinstance(outcome, ProviderError) else None
    return {**_verdict(error), "models": len(outcome) if isinstance(outcome, list) else None}


def _verdict(error: ProviderError | None) -> dict[str, Any]:
    return {
        "ok": error is None,
        "code": error.code if error else "",
        "message": error.message if error else "",
        "at": CLOCK.now().isoformat(),
    }


def _found(outcome: Listed | ProviderError) -> dict[str, Any]:
    """The columns of a new list; none where there is no new list."""
    if isinstance(outcome, ProviderError):
        return {}
    return {"models_found": [asdict(model) for model in outcome or []], "models_found_at": CLOCK.now()}

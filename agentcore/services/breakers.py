"""Breakers of all processes, kept in Django's cache: what was learned here is known there."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from agentcore.chat import Route
from agentcore.clock import CLOCK
from agentcore.gateway.breaker import Admission, Breaker, BreakerState

logger = logging.getLogger(__name__)

_breaker = Breaker(cache)


@dataclass(frozen=True, kw_only=True)
class RouteHealth:
    """What is known of a route now. ``code`` is that of its newest failure; ``warning`` one that has to be mended."""

    route: Route
    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    reopens_at: datetime | None = None
    code: str = ""
    last_failed_at: datetime | None = None
    warning: str = ""


def breaker_admit(route: Route) -> Admission:
    """Whether ``route`` may be asked now. No query."""
    try:
        return _breaker.admit(route)
    except Exception as error:
        # A cache that is away must not keep anybody from an answer: without it there is no breaker.
        logger.warning("The breaker of %s cannot be read: %s", route, type(error).__name__)
        return Admission(route=route)


def breaker_settle(admission: Admission, code: str) -> None:
    """Learn from the outcome of a call: empty when it was answered, else its error code. No query."""
    try:
        _breaker.settle(admission, code)
    except Exception as error:
        logger.warning("The breaker of %s cannot be written: %s", admission.route, type(error).__name__)


def breaker_states(routes: Sequence[Route]) -> list[RouteHealth]:
    """What is known of each route, in their order. No query."""
    return [_health(route) for route in routes]


def breaker_known(provider_id: str) -> list[Route]:
    """The routes of a provider of which something is known, sorted by model. No query."""
    try:
        return [Route(provider_id, model) for model in _breaker.models_known(provider_id)]
    except Exception as error:
        # A cache that is away must not keep a page away: without it nothing is known.
        logger.warning("The breakers of %s cannot be read: %s", provider_id, type(error).__name__)
        return []


def breaker_forget(provider_id: str) -> None:
    """Forget what was learnt of a provider: somebody changed it, or its key, and it begins anew. No query."""
    for route in breaker_known(provider_id):
        breaker_settle(breaker_admit(route), "")


def breaker_reset(route: Route) -> None:
    """Let the next call through, whatever happened before."""
    _breaker.reset(route)


def _health(route: Route) -> RouteHealth:
    try:
        known = _breaker.health(route)
    except Exception as error:
        # As above.
        logger.warning("The breaker of %s cannot be read: %s", route, type(error).__name__)
        return RouteHealth(route=route)
    return RouteHealth(
        route=route,
        state=known.state(CLOCK.now()),
        failures=known.failures,
        reopens_at=known.reopens_at,
        code=known.code,
        last_failed_at=known.last_failed_at,
        warning=known.warning,
    )

"""Breakers in the admin: which routes rest, why, and what ends it."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agentcore.admin.status import age_said
from agentcore.advice import advice
from agentcore.chat import Route
from agentcore.errors import error_from
from agentcore.gateway.breaker import BreakerState
from agentcore.models import AgentRoute, Provider
from agentcore.services.breakers import RouteHealth, breaker_known, breaker_states


@dataclass(frozen=True, kw_only=True)
class RouteRow:
    """A route of a provider in words. ``tone`` is ``ok``, ``quiet`` or ``bad``; ``code`` is empty where all is well."""

    model: str
    tone: str
    state: str
    is_resting: bool = False
    since: str = ""
    code: str = ""
    reason: str = ""
    advice: str = ""


def route_rows(provider: Provider) -> list[RouteRow]:
    """The default model, those that agents route to, and others of which something is known. 1 query."""
    return [_row(health) for health in breaker_states(_routes(provider))]


def _routes(provider: Provider) -> list[Route]:
    routed = AgentRoute.objects.filter(provider=provider).order_by("model").values_list("model", flat=True)
    known = [route.model for route in breaker_known(provider.slug)]
    models = dict.fromkeys([provider.default_model, *routed, *known])
    return [Route(provider.slug, model) for model in models if model]


def is_resting(provider: Provider) -> bool:
    """Whether a route of ``provider`` is not asked now, or only to find out whether it is back. No query."""
    return any(health.state is not BreakerState.CLOSED for health in breaker_states(breaker_known(provider.slug)))


def _row(health: RouteHealth) -> RouteRow:
    code = health.warning or health.code
    if not code:
        return RouteRow(model=health.route.model, tone="ok", state=_("asked as usual"))
    is_bad = health.warning or health.state is not BreakerState.CLOSED
    return RouteRow(
        model=health.route.model,
        tone="bad" if is_bad else "quiet",
        state=_state(health),
        is_resting=health.state is not BreakerState.CLOSED,
        since=_since(health),
        code=code,
        reason=error_from(code).message,
        advice=advice(code),
    )


def _state(health: RouteHealth) -> str:
    if health.state is BreakerState.OPEN and health.reopens_at:
        return _("rests until %(time)s") % {"time": time_said(health.reopens_at)}
    if health.state is BreakerState.HALF_OPEN:
        return _("the next call finds out whether it is back")
    return _("asked, but somebody has to mend it") if health.warning else _("asked, in spite of a failure")


def _since(health: RouteHealth) -> str:
    age = age_said(health.last_failed_at) if health.last_failed_at else ""
    if not health.failures:
        return age
    said = ngettext(
        "%(count)s failure, the last one %(age)s", "%(count)s failures, the last one %(age)s", health.failures
    )
    return said % {"count": health.failures, "age": age}


def time_said(at: datetime) -> str:
    """The time of day with its seconds: a rest is a matter of minutes."""
    return formats.time_format(timezone.localtime(at), "H:i:s")

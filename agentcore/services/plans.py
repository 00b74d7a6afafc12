"""Plans: which agent, routes, tools and limits a run gets, from the rows and the request. Reads only."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Subquery
from django.db.models.functions import Coalesce
from django.utils.module_loading import import_string
from django.utils.timezone import get_default_timezone_name
from django.utils.translation import gettext as _

from agentcore.agents.context import Limits
from agentcore.chat import Route
from agentcore.conf import StewardSettings, loaded, steward
from agentcore.errors import NotFound, ProviderCredentialMissing, ValidationFailed
from agentcore.models import AgentProfile, AgentRoute, Provider, Run
from agentcore.providers.spec import ProviderSpec
from agentcore.redaction import Redactor
from agentcore.services.known_models import entries_listed
from agentcore.services.leases import own_owner
from agentcore.services.redaction import redactor
from agentcore.services.upstreams import provider_spec
from agentcore.tools import Caller, Tool


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the person asked for; None leaves it to the agent."""

    agent: str | None = None
    provider_id: str | None = None
    model: str | None = None
    allowed_tools: Sequence[str] | None = None
    max_steps: int | None = None
    timeout_s: float | None = None
    token_budget: int | None = None
    network: bool | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedRoute:
    """A route with what is needed to call it."""

    route: Route
    spec: ProviderSpec


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that a run is made of, read once."""

    agent: str
    name: str
    instructions: str
    routes: tuple[PlannedRoute, ...]
    tools: tuple[Tool, ...]
    limits: Limits
    caller: Caller
    config: dict[str, Any]
    redactor: Redactor
    # A route that fails in mid-answer gives way to the next one, and its text is taken back.
    restarts_after_text: bool
    # Runs of the same person that other processes execute, or nobody yet.
    runs_elsewhere: int


def caller_of(user: Any, *, locale: str) -> Caller:
    """Who ``user`` is for tools and records."""
    resolver = steward().TENANT_RESOLVER
    return Caller(
        user=user,
        user_id=str(user.pk),
        username=user.get_username(),
        tenant=str(import_string(resolver)(user)) if resolver else "",
        locale=locale,
        time_zone=get_default_timezone_name(),
    )


def plan_load(wish: Wish, *, user: Any, locale: str) -> Plan:
    """Read the plan; 1 query, 2 when the person chose a provider that is no route of the agent, and now and then 1
    for the credentials that must not be shown.

    Raises:
        NotFound: the agent, provider or model is unknown or disabled.
        ValidationFailed: a tool name is unknown, or no route is set up.
        ProviderCredentialMissing: no route has a usable key, or the one that the person chose has none.
    """
    settings = steward()
    agent, rows = _agent_with_routes(wish.agent or settings.DEFAULT_AGENT, user)
    caller = caller_of(user, locale=locale)
    routes = _routes(wish, rows)
    _check_keys(routes, wish)
    tools = _tools(agent, wish, caller) if settings.ENABLE_TOOLS else ()
    limits = _limits(agent, wish, settings)
    return Plan(
        agent=agent.slug,
        name=agent.name,
        instructions=agent.instructions,
        routes=routes,
        tools=tools,
        limits=limits,
        caller=caller,
        config=_config(agent, routes, tools, limits, wish),
        redactor=redactor(),
        restarts_after_text=agent.fallback_after_text == AgentProfile.AfterText.RESTART,
        runs_elsewhere=rows[0].runs_elsewhere if rows else 0,  # type: ignore[attr-defined]
    )


def _agent_with_routes(slug: str, user: Any) -> tuple[AgentProfile, list[AgentRoute]]:
    routes = AgentRoute.objects.filter(agent_id=slug).select_related("agent", "provider", "provider__credential")
    rows: list[AgentRoute] = [*routes.annotate(runs_elsewhere=runs_elsewhere(user))]
    agent = rows[0].agent if rows else AgentProfile.objects.filter(slug=slug).first()
    if agent is None or not agent.enabled:
        raise NotFound(_("There is no agent of that name."))
    return agent, rows


def runs_elsewhere(user: Any) -> Coalesce:
    """How many runs of ``user`` other processes execute: a part of the statement that reads the routes."""
    under_way = Run.objects.filter(user_id=user.pk, status__in=[Run.Status.QUEUED, Run.Status.RUNNING])
    counted = under_way.exclude(owner=own_owner()).order_by().values("user_id").annotate(number=Count("pk"))
    return Coalesce(Subquery(counted.values("number")), 0)


def _routes(wish: Wish, rows: list[AgentRoute]) -> tuple[PlannedRoute, ...]:
    """The person's choice first, then the agent's routes in their order; disabled ones are left out."""
    own = [(row.provider, row.model or row.provider.default_model) for row in rows if row.provider.enabled]
    if wish.provider_id or wish.model:
        chosen = _chosen(wish, own)
        own = [chosen, *(pair for pair in own if pair != chosen)]
    planned = [
        PlannedRoute(route=Route(provider.slug, model), spec=provider_spec(provider))
        for provider, model in own
        if model
    ]
    if not planned:
        raise ValidationFailed(_("This agent has no model yet. An admin can give it a route."))
    return tuple(planned)


def _check_keys(routes: Sequence[PlannedRoute], wish: Wish) -> None:
    lacking = [route for route in routes if route.spec.lacks_key]
    is_chosen = bool(wish.provider_id or wish.model)
    if len(lacking) == len(routes) or (is_chosen and routes[0] in lacking):
        raise ProviderCredentialMissing()


def _chosen(wish: Wish, own: list[tuple[Provider, str]]) -> tuple[Provider, str]:
    slug = wish.provider_id or (own[0][0].slug if own else "")
    provider = next((provider for provider, _model in own if provider.slug == slug), None)
    if provider is None:
        provider = Provider.objects.select_related("credential").filter(slug=slug, enabled=True).first()
    if provider is None:
        raise NotFound(_("There is no provider of that name."))
    model = wish.model or provider.default_model
    if not is_known(provider, model) and (provider, model) not in own:
        raise NotFound(_("There is no model of that name."))
    return provider, model


def is_known(provider: Provider, model: str) -> bool:
    """Whether ``provider`` has ``model``; one whose list of models was never read is believed."""
    listed = entries_listed(provider)
    return not listed or model in listed or model == provider.default_model


def _tools(agent: AgentProfile, wish: Wish, caller: Caller) -> tuple[Tool, ...]:
    tools = {tool.name: tool for toolset in loaded(steward().TOOLSETS) for tool in toolset().tools_for(caller)}
    if agent.tools is not None:
        tools = {name: tool for name, tool in tools.items() if name in agent.tools}
    if wish.allowed_tools is not None:
        unknown = sorted(set(wish.allowed_tools) - tools.keys())
        if unknown:
            message = _("There is no tool of that name: %(names)s.") % {"names": ", ".join(unknown)}
            raise ValidationFailed(message, details={"allowed_tools": [message]})
        tools = {name: tools[name] for name in wish.allowed_tools}
    return tuple(tools[name] for name in sorted(tools))


def _limits(agent: AgentProfile, wish: Wish, settings: StewardSettings) -> Limits:
    """The lowest of the site's, the agent's and the person's limits."""

    def lowest(site: Any, key: str, wished: Any = None) -> Any:
        given = [value for value in (site, agent.limits.get(key), wished) if value is not None]
        return min(given) if given else None

    return Limits(
        max_tool_loops=lowest(settings.MAX_TOOL_LOOPS, "max_tool_loops"),
        max_steps=lowest(settings.MAX_STEPS, "max_steps", wish.max_steps),
        max_parallel_tools=settings.MAX_PARALLEL_TOOLS,
        tool_timeout_s=settings.TOOL_TIMEOUT,
        timeout_s=lowest(settings.RUN_TIMEOUT, "timeout_s", wish.timeout_s),
        max_output_tokens=lowest(settings.MAX_OUTPUT_TOKENS, "max_output_tokens"),
        token_budget=lowest(settings.RUN_TOKEN_BUDGET, "token_budget", wish.token_budget),
    )


def _config(
    agent: AgentProfile, routes: Sequence[PlannedRoute], tools: Sequence[Tool], limits: Limits, wish: Wish
) -> dict[str, Any]:
    """The snapshot at creation, without instruction text."""
    return {
        "agent": agent.slug,
        "instructions_hash": hashlib.sha256(agent.instructions.encode()).hexdigest()[:16],
        "routes": [{"provider_id": item.route.provider_id, "model": item.route.model} for item in routes],
        "tools": [tool.name for tool in tools],
        "limits": vars(limits),
        "network": wish.network,
        "fallback_after_text": agent.fallback_after_text,
    }

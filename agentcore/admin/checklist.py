"""The checklist of a first run: what is set up, what is missing, and where to do it."""

from dataclasses import dataclass
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.utils.translation import gettext as _

from agentcore.chat import Route
from agentcore.clock import CLOCK
from agentcore.conf import steward
from agentcore.messages import Usage
from agentcore.models import AgentRoute, Provider, Run
from agentcore.pages import Link, link
from agentcore.services.prices import cost_of
from agentcore.services.upstreams import last_test_fault, provider_fault


@dataclass(frozen=True, kw_only=True)
class Item:
    """``cure`` says what to do while it is not done, ``link`` where."""

    title: str
    is_done: bool
    cure: str = ""
    link: Link | None = None


def checklist(request: HttpRequest) -> list[Item]:
    """What a first turn needs, in the order in which it is set up. 5 queries."""
    providers = list(Provider.objects.filter(enabled=True).select_related("credential"))
    route = _first_route()
    return [
        _provider_item(providers),
        _fault_item(providers),
        _test_item(providers),
        _route_item(route),
        _price_item(route),
        *_run_items(request),
    ]


def _provider_item(providers: list[Provider]) -> Item:
    return Item(
        title=_("A provider is enabled"),
        is_done=bool(providers),
        cure=_("Add one: a preset fills in the form."),
        link=link(_("Add a provider"), "admin:agentcore_provider_add"),
    )


def _fault_item(providers: list[Provider]) -> Item:
    faults = [(row.name, fault) for row in providers if (fault := provider_fault(row))]
    return Item(
        title=_("Every enabled provider has what it needs to answer"),
        is_done=bool(providers) and not faults,
        cure=_named(faults),
        link=link(_("Providers"), "admin:agentcore_provider_changelist"),
    )


def _test_item(providers: list[Provider]) -> Item:
    """Of those that lack nothing: what else fails is told above."""
    failed = [(row.name, fault) for row in providers if (fault := last_test_fault(row)) and not provider_fault(row)]
    return Item(
        title=_("No enabled provider failed its last test"),
        is_done=not failed,
        cure=_("%(faults)s Mend it and test again, or switch the provider off.") % {"faults": _named(failed)},
        link=link(_("Providers"), "admin:agentcore_provider_changelist"),
    )


def _named(faults: list[tuple[str, str]]) -> str:
    return " ".join(_("%(provider)s: %(problem)s") % {"provider": name, "problem": text} for name, text in faults)


def _first_route() -> AgentRoute | None:
    """Where the default agent asks first."""
    rows = AgentRoute.objects.filter(agent_id=steward().DEFAULT_AGENT, agent__enabled=True, provider__enabled=True)
    return next((row for row in rows.select_related("provider") if row.model or row.provider.default_model), None)


def _route_item(route: AgentRoute | None) -> Item:
    return Item(
        title=_("The agent “%(agent)s” has a route to a model") % {"agent": steward().DEFAULT_AGENT},
        is_done=route is not None,
        cure=_("Make an agent of this id, enable it, and give it a route."),
        link=link(_("Agents"), "admin:agentcore_agentprofile_changelist"),
    )


def _price_item(route: AgentRoute | None) -> Item:
    return Item(
        title=_("The price of its model is known"),
        is_done=route is not None and _has_price(route),
        cure=_("Without a price its turns are recorded with unknown cost."),
        link=link(_("Model prices"), "admin:agentcore_modelprice_changelist"),
    )


def _has_price(row: AgentRoute) -> bool:
    route = Route(row.provider_id, row.model or row.provider.default_model)
    return cost_of(route, Usage(input_tokens=1, output_tokens=1), CLOCK.now()).amount is not None


def _run_items(request: HttpRequest) -> list[Item]:
    serves = steward().RUN_ENGINE != "inline" or isinstance(request, ASGIRequest)
    return [
        Item(
            title=_("The server keeps runs alive"),
            is_done=serves,
            cure=_("Runs live in this process, which needs an ASGI server such as Daphne."),
        ),
        Item(
            title=_("A turn was recorded"),
            is_done=Run.objects.filter(recorded_at__isnull=False).exists(),
            cure=_("Ask the agent something."),
            link=link(_("The agent"), "conversations:agent"),
        ),
    ]


def may_see(user: Any) -> bool:
    """The checklist names providers and agents."""
    return bool(user.has_perm("agentcore.view_provider"))

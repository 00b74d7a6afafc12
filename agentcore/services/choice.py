"""The choice, explained: which route would answer an agent's next call, and why the others would not. Asks nobody."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from agentcore.chat import ChatRequest, Route, ToolSchema
from agentcore.errors import CapabilityMissing, ProviderCredentialMissing
from agentcore.gateway.breaker import BreakerState
from agentcore.gateway.routes import GatewayRoute, in_order
from agentcore.messages import Content, DataContent, Message, Role, TextContent
from agentcore.models import AgentProfile, AgentRoute, Provider
from agentcore.providers.clients import client_or_refusal
from agentcore.providers.degrading import IMAGES
from agentcore.services.breakers import RouteHealth, breaker_states
from agentcore.services.plans import is_known
from agentcore.services.upstreams import key_check, last_test_fault, provider_fault, provider_spec

# Never sent: a request that needs what a real one may need.
_TOOL = ToolSchema(name="any", description="", parameters={"type": "object", "properties": {}})
_PICTURE = DataContent("", "image/png")

Pair: TypeAlias = tuple[Provider, Route]


class Verdict(StrEnum):
    """What becomes of a route. ``FAILS``: it is asked, and cannot answer; ``RESTS``: its breaker is open."""

    ANSWERS = "answers"
    NEXT = "next"
    RESTS = "rests"
    SKIPPED = "skipped"
    FAILS = "fails"
    DISABLED = "disabled"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The call that is thought of. Empty strings leave the choice to the agent."""

    provider_id: str = ""
    model: str = ""
    with_tools: bool = True
    with_picture: bool = False

    def request(self) -> ChatRequest:
        contents: list[Content] = [TextContent("?"), *([_PICTURE] if self.with_picture else [])]
        return ChatRequest(
            model="",
            messages=(Message(role=Role.USER, contents=tuple(contents)),),
            tools=(_TOOL,) if self.with_tools else (),
        )


@dataclass(frozen=True, kw_only=True)
class Considered:
    """One route: what becomes of it, and why in words. ``omitted`` is what it would be sent without."""

    route: Route
    provider: Provider
    verdict: Verdict
    reason: str
    omitted: tuple[str, ...] = ()


def choice_explained(agent: AgentProfile, wanted: Wanted) -> list[Considered]:
    """The routes in the order in which they would be asked, those that are not asked last. 2 queries at most.

    What a person chose and a run would refuse stands alone: nobody else is asked for it.
    """
    rows = AgentRoute.objects.filter(agent=agent).select_related("provider", "provider__credential")
    own = [(row.provider, Route(row.provider_id, row.model or row.provider.default_model)) for row in rows]
    chosen = _chosen(wanted, own)
    if chosen and (refusal := _refusal(chosen, own)):
        provider, route = chosen
        return [Considered(route=route, provider=provider, verdict=Verdict.FAILS, reason=refusal)]
    pairs = [chosen, *(pair for pair in own if pair != chosen)] if chosen else own
    enabled = [(provider, route) for provider, route in pairs if provider.enabled and route.model]
    disabled = [_disabled(provider, route) for provider, route in pairs if not (provider.enabled and route.model)]
    return [*_considered(enabled, wanted.request()), *disabled]


def _chosen(wanted: Wanted, own: Sequence[Pair]) -> Pair | None:
    """What a person asked for: a model alone is one of the first provider that can be asked."""
    usable = [provider for provider, _route in own if provider.enabled]
    slug = wanted.provider_id or (usable[0].slug if usable and wanted.model else "")
    provider = next((provider for provider, _route in own if provider.slug == slug), None)
    if slug and provider is None:
        provider = Provider.objects.select_related("credential").filter(slug=slug).first()
    return (provider, Route(provider.slug, wanted.model or provider.default_model)) if provider else None


def _refusal(chosen: Pair, own: Sequence[Pair]) -> str:
    """Why a run would not begin with it; empty where it would."""
    provider, route = chosen
    if not provider.enabled:
        return _("The provider is disabled.")
    if not is_known(provider, route.model) and chosen not in own:
        return _("There is no model of that name.")
    try:
        key_check(provider)
    except ProviderCredentialMissing as error:
        return error.message
    return ""


def _considered(pairs: Sequence[Pair], request: ChatRequest) -> Iterator[Considered]:
    providers = {route: provider for provider, route in pairs}
    routes = [_gateway_route(provider, route) for provider, route in pairs]
    asked = in_order(routes, request, None)
    health = dict(zip([each.route for each in asked], breaker_states([each.route for each in asked]), strict=True))
    answering = _answering(asked, providers, health)
    for each in asked:
        yield _asked(each, providers[each.route], health[each.route], request, answering)
    for each in routes:
        if each not in asked:
            yield Considered(
                route=each.route, provider=providers[each.route], verdict=Verdict.SKIPPED, reason=_lacks(each, request)
            )


def _gateway_route(provider: Provider, route: Route) -> GatewayRoute:
    spec = provider_spec(provider)
    return GatewayRoute.of(spec, route.model, client_or_refusal(spec))


def _answering(
    asked: Sequence[GatewayRoute], providers: dict[Route, Provider], health: dict[Route, RouteHealth]
) -> Route | None:
    """The first that neither rests nor has a fault; when all that could rest, the one that comes back first."""
    sound = [each.route for each in asked if not provider_fault(providers[each.route])]
    awake = [route for route in sound if health[route].state is not BreakerState.OPEN]
    if awake:
        return awake[0]
    if len(sound) < len(asked):
        # Those with a fault are asked too, and so not every route rests.
        return None
    return min(sound, key=lambda route: health[route].reopens_at or timezone.now(), default=None)


def _asked(
    each: GatewayRoute, provider: Provider, health: RouteHealth, request: ChatRequest, answering: Route | None
) -> Considered:
    fault, omitted = provider_fault(provider), each.omitted(request)
    if each.route == answering:
        verdict, reason = Verdict.ANSWERS, _why_it_answers(health, omitted)
    elif health.state is BreakerState.OPEN:
        verdict, reason = Verdict.RESTS, _rests_until(health)
    elif fault:
        verdict, reason = Verdict.FAILS, fault
    else:
        verdict, reason = Verdict.NEXT, _("It would be asked when those before it do not answer.")
    is_asked = verdict in {Verdict.ANSWERS, Verdict.NEXT}
    if is_asked and (failed := last_test_fault(provider)):
        reason = _("%(reason)s Its last test failed, though: %(failed)s") % {"reason": reason, "failed": failed}
    if is_asked and health.warning:
        reason = _("%(reason)s Its last call failed for what somebody has to mend (%(code)s).") % {
            "reason": reason,
            "code": health.warning,
        }
    return Considered(route=each.route, provider=provider, verdict=verdict, reason=reason, omitted=omitted)


def _why_it_answers(health: RouteHealth, omitted: Sequence[str]) -> str:
    if omitted:
        return _("No route can take all of the request: it is sent with less, and the person is told.")
    match health.state:
        case BreakerState.OPEN:
            return _("Every route rests; this one comes back first and is asked all the same.")
        case BreakerState.HALF_OPEN:
            return _("It rested after failures; one call at a time finds out whether it is back.")
        case _:
            return _("It is the first route that can answer.")


def _rests_until(health: RouteHealth) -> str:
    until = formats.time_format(timezone.localtime(health.reopens_at), "H:i:s") if health.reopens_at else "?"
    return _("It failed %(count)s times in a row (%(code)s) and rests until %(until)s.") % {
        "count": health.failures,
        "code": health.code,
        "until": until,
    }


def _lacks(each: GatewayRoute, request: ChatRequest) -> str:
    words = {IMAGES: _("see pictures")}
    lacking = _(" and ").join(words.get(need, _("call tools")) for need in each.omitted(request))
    return _("Its model cannot %(lacking)s, and another route can (%(code)s).") % {
        "lacking": lacking,
        "code": CapabilityMissing.code,
    }


def _disabled(provider: Provider, route: Route) -> Considered:
    reason = _("The provider is disabled.") if route.model else _("It names no model, and its provider has no default.")
    return Considered(route=route, provider=provider, verdict=Verdict.DISABLED, reason=reason)

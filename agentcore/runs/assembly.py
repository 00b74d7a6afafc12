"""The one place where a plan and the dotted paths of ``STEWARD`` become an agent: read it to see the wiring."""

from agentcore.agents.agent import ChatAgent
from agentcore.agents.context import RunContext
from agentcore.bridge import abreaker_admit, abreaker_settle, acost_of
from agentcore.chat import ChatOptions, Route
from agentcore.conf import loaded, steward
from agentcore.gateway.breaker import Admission
from agentcore.gateway.gateway import Gateway
from agentcore.gateway.routes import GatewayRoute
from agentcore.providers.clients import client_or_refusal
from agentcore.providers.spec import Timeouts
from agentcore.services.plans import Plan, PlannedRoute


def assemble(plan: Plan, run: RunContext) -> ChatAgent:
    """The agent that answers ``run``: its routes behind a gateway, its tools, its history, the site's layers."""
    settings = steward()
    histories = loaded([settings.HISTORY_PROVIDER])
    return ChatAgent(
        gateway_for(plan, run),
        name=plan.agent,
        route=plan.routes[0].route,
        instructions=plan.instructions,
        tools=plan.tools,
        options=ChatOptions(max_output_tokens=plan.limits.max_output_tokens),
        history=histories[0]() if histories else None,
        context_providers=[kind() for kind in loaded(settings.CONTEXT_PROVIDERS)],
        run_middleware=loaded(settings.RUN_MIDDLEWARE),
        chat_middleware=loaded(settings.CHAT_MIDDLEWARE),
        function_middleware=loaded(settings.FUNCTION_MIDDLEWARE),
    )


class SharedBreaker:
    """The breaker that all processes share."""

    async def admit(self, route: Route) -> Admission:
        return await abreaker_admit(route)

    async def settle(self, admission: Admission, code: str) -> None:
        await abreaker_settle(admission, code)


def gateway_for(plan: Plan, run: RunContext) -> Gateway:
    """The routes of ``plan`` behind a gateway that records and charges to ``run``, and ends with it."""
    ends_at = run.clock.monotonic() + plan.limits.timeout_s
    return Gateway(
        [gateway_route(planned, run) for planned in plan.routes],
        observe=run.observe,
        charge=run.meter.add,
        price=acost_of,
        clock=run.clock,
        redactor=plan.redactor,
        gatekeeper=SharedBreaker(),
        left_s=lambda: ends_at - run.clock.monotonic(),
        restarts_after_text=plan.restarts_after_text,
    )


def gateway_route(planned: PlannedRoute, run: RunContext) -> GatewayRoute:
    """A route with its client; one that is set up wrong has a client that refuses."""
    spec, settings = planned.spec, steward()
    client = client_or_refusal(
        spec,
        timeouts=Timeouts(first_token_s=settings.FIRST_TOKEN_TIMEOUT, idle_s=settings.IDLE_TIMEOUT),
        allow_private=settings.private_provider_urls_allowed,
        clock=run.clock,
    )
    return GatewayRoute.of(spec, planned.route.model, client)

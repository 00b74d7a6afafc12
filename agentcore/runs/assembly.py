"""The one place where a plan and the dotted paths of ``STEWARD`` become an agent: read it to see the wiring."""

from agentcore.agents.agent import ChatAgent
from agentcore.agents.context import RunContext
from agentcore.bridge import acost_of
from agentcore.chat import ChatClient, ChatOptions
from agentcore.conf import StewardSettings, loaded, steward
from agentcore.errors import ProviderError
from agentcore.gateway.gateway import Gateway, GatewayRoute
from agentcore.providers.clients import RefusedClient, client_for
from agentcore.providers.spec import ProviderSpec, Timeouts
from agentcore.services.plans import Plan


def assemble(plan: Plan, run: RunContext) -> ChatAgent:
    """The agent that answers ``run``: its routes behind a gateway, its tools, its history, the site's layers."""
    settings = steward()
    # The first route answers; one that is not asked needs no key and no client.
    first = plan.routes[0]
    gateway = Gateway(
        [GatewayRoute(route=first.route, client=_client(first.spec, settings, run))],
        observe=run.observe,
        charge=run.meter.add,
        price=acost_of,
        clock=run.clock,
        redactor=plan.redactor,
    )
    histories = loaded([settings.HISTORY_PROVIDER])
    return ChatAgent(
        gateway,
        name=plan.agent,
        route=first.route,
        instructions=plan.instructions,
        tools=plan.tools,
        options=ChatOptions(max_output_tokens=plan.limits.max_output_tokens),
        history=histories[0]() if histories else None,
        context_providers=[kind() for kind in loaded(settings.CONTEXT_PROVIDERS)],
        run_middleware=loaded(settings.RUN_MIDDLEWARE),
        chat_middleware=loaded(settings.CHAT_MIDDLEWARE),
        function_middleware=loaded(settings.FUNCTION_MIDDLEWARE),
    )


def _client(spec: ProviderSpec, settings: StewardSettings, run: RunContext) -> ChatClient:
    try:
        return client_for(
            spec,
            timeouts=Timeouts(first_token_s=settings.FIRST_TOKEN_TIMEOUT, idle_s=settings.IDLE_TIMEOUT),
            allow_private=settings.private_provider_urls_allowed,
            clock=run.clock,
        )
    except ProviderError as reason:
        # A route that is set up wrong fails as an attempt does, and is on record as one.
        return RefusedClient(reason)

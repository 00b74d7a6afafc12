"""Routes as a gateway has them, and the order in which a request may ask them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentcore.chat import ChatClient, ChatRequest, Route
from agentcore.providers.clients import RefusedClient
from agentcore.providers.degrading import IMAGES, TOOLS, needs, without_images, without_tools
from agentcore.providers.profile import ModelProfile, ToolMode
from agentcore.providers.schema_tools import SchemaToolsClient


@dataclass(frozen=True)
class GatewayRoute:
    """A route, the client that speaks to it, and what its model can do."""

    route: Route
    client: ChatClient
    profile: ModelProfile = field(default_factory=ModelProfile)

    @property
    def is_usable(self) -> bool:
        """Whether it can be asked at all, as far as its set-up tells."""
        return not isinstance(self.client, RefusedClient)

    @property
    def able(self) -> frozenset[str]:
        """What of a request's needs the model takes."""
        tools = [] if self.profile.tool_mode is ToolMode.NONE else [TOOLS]
        return frozenset([*tools, *([IMAGES] if self.profile.vision else [])])

    def omitted(self, request: ChatRequest) -> tuple[str, ...]:
        """What of ``request`` the model cannot take, sorted."""
        return tuple(sorted(needs(request) - self.able))

    @property
    def speaker(self) -> ChatClient:
        """The client to ask: one that calls tools through a schema where the model cannot call them itself."""
        through_schema = self.profile.tool_mode is ToolMode.JSON_SCHEMA
        return SchemaToolsClient(self.client) if through_schema else self.client

    def fitted(self, request: ChatRequest) -> ChatRequest:
        """``request`` for this model, without what it cannot take."""
        if TOOLS not in self.able:
            request = without_tools(request)
        return request if self.profile.vision else without_images(request)


def in_order(routes: Sequence[GatewayRoute], request: ChatRequest, answered: Route | None) -> list[GatewayRoute]:
    """The routes that may be asked, in their order; the one that answered earlier in the run stays first.

    Those that cannot take all of the request are left out, but where none can that can be asked at all: then all are
    asked, with less.
    """
    ordered = sorted(routes, key=lambda each: each.route != answered)
    able = [each for each in ordered if not each.omitted(request)]
    return able if any(each.is_usable for each in able) else ordered

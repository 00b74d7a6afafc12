"""Routes as a gateway has them, and the order in which a request may ask them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agentcore.chat import ChatClient, ChatRequest, Route
from agentcore.messages import Picture
from agentcore.providers.clients import DIALECTS, RefusedClient
from agentcore.providers.degrading import IMAGES, TOOLS, needs, pictures, without_images, without_tools
from agentcore.providers.dialects import any_picture
from agentcore.providers.profile import ModelProfile, ToolMode
from agentcore.providers.schema_tools import SchemaToolsClient
from agentcore.providers.spec import ProviderSpec


@dataclass(frozen=True)
class GatewayRoute:
    """A route, the client that speaks to it, and what its model can do."""

    route: Route
    client: ChatClient
    profile: ModelProfile = field(default_factory=ModelProfile)
    takes_picture: Callable[[Picture], bool] = any_picture

    @classmethod
    def of(cls, spec: ProviderSpec, model: str, client: ChatClient) -> "GatewayRoute":
        """A route of a provider, with what is known of the model and of the wire."""
        route, profile = Route(spec.provider_id, model), spec.profile_of(model)
        dialect = DIALECTS.get(spec.canonical_type)
        return cls(route, client, profile, dialect.takes_picture) if dialect else cls(route, client, profile)

    @property
    def is_usable(self) -> bool:
        """Whether it can be asked at all, as far as its set-up tells."""
        return not isinstance(self.client, RefusedClient)

    @property
    def calls_tools(self) -> bool:
        return self.profile.tool_mode is not ToolMode.NONE

    def sees(self, picture: Picture) -> bool:
        return self.profile.vision and self.takes_picture(picture)

    def omitted(self, request: ChatRequest) -> tuple[str, ...]:
        """What of ``request`` the model cannot take, sorted; of its pictures it may be one."""
        taken = {TOOLS} if self.calls_tools else set()
        taken |= {IMAGES} if all(map(self.sees, pictures(request))) else set()
        return tuple(sorted(needs(request) - taken))

    @property
    def speaker(self) -> ChatClient:
        """The client to ask: one that calls tools through a schema where the model cannot call them itself."""
        through_schema = self.profile.tool_mode is ToolMode.JSON_SCHEMA
        return SchemaToolsClient(self.client) if through_schema else self.client

    def fitted(self, request: ChatRequest) -> ChatRequest:
        """``request`` for this model, without what it cannot take."""
        return without_images(request if self.calls_tools else without_tools(request), self.sees)


def in_order(routes: Sequence[GatewayRoute], request: ChatRequest, answered: Route | None) -> list[GatewayRoute]:
    """The routes that may be asked, in their order; the one that answered earlier in the run stays first.

    Those that cannot take all of the request are left out, but where none can that can be asked at all: then all are
    asked, with less.
    """
    ordered = sorted(routes, key=lambda each: each.route != answered)
    able = [each for each in ordered if not each.omitted(request)]
    return able if any(each.is_usable for each in able) else ordered

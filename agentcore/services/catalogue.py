"""What a person may choose from: agents, models and tools. Reads only, and calls no provider."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from agentcore.conf import Policy, steward
from agentcore.models import AgentProfile, AgentRoute, Provider
from agentcore.policy import policy_of_tool
from agentcore.services.agents import tools_known
from agentcore.services.known_models import known_models
from agentcore.services.upstreams import provider_fault
from agentcore.tools import Tool


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """A model that a person may ask for. ``reason`` says in their words why it is not available."""

    provider_id: str
    model: str
    name: str
    capabilities: list[str]
    context_window: int | None = None
    reason: str = ""

    @property
    def available(self) -> bool:
        return not self.reason


def agents_enabled() -> list[AgentProfile]:
    """1 query."""
    return list(AgentProfile.objects.filter(enabled=True))


def models_offered() -> list[ModelChoice]:
    """Every model of the enabled providers, sorted, each once. 2 queries."""
    routed: dict[str, set[str]] = {}
    for provider_id, model in AgentRoute.objects.exclude(model="").values_list("provider_id", "model"):
        routed.setdefault(provider_id, set()).add(model)
    providers = Provider.objects.filter(enabled=True).select_related("credential")
    return [choice for provider in providers for choice in _choices(provider, routed.get(provider.slug, set()))]


def _choices(provider: Provider, routed: set[str]) -> Iterator[ModelChoice]:
    listed = {entry["id"] for entry in provider.models_found}
    names = {name for name in {*listed, *routed, provider.default_model} if name}
    fault = provider_fault(provider)
    for model in known_models(provider, names):
        cannot_chat = "" if "chat" in model.capabilities else _("This model answers no questions.")
        yield ModelChoice(
            provider_id=provider.slug,
            model=model.id,
            name=model.name,
            capabilities=model.capabilities,
            context_window=model.context_window,
            reason=fault or cannot_chat,
        )


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    """A tool that a person may use, and whether it asks first: ``allow`` or ``confirm``."""

    tool: Tool
    permission: Policy


def tools_offered(user: Any, *, locale: str) -> list[OfferedTool]:
    """The tools that ``user`` may call, sorted by name; what the site denies is left out."""
    if not steward().ENABLE_TOOLS:
        return []
    offered = [OfferedTool(tool=tool, permission=policy_of_tool(tool)) for tool in tools_known(user, locale=locale)]
    return [choice for choice in offered if choice.permission != "deny"]

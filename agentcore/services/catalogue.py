"""What a person may choose from: agents, models and tools. Reads only, and calls no provider."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agentcore.conf import Policy, steward
from agentcore.models import AgentProfile, AgentRoute, Provider
from agentcore.policy import policy_of_tool
from agentcore.services.agents import tools_known
from agentcore.services.upstreams import provider_fault
from agentcore.tools import Tool

CAPABILITIES = ["chat", "streaming", "tool_calling"]


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """A model that a person may ask for. ``reason`` says in their words why it is not available."""

    provider_id: str
    model: str
    name: str
    capabilities: list[str] = field(default_factory=lambda: list(CAPABILITIES))
    context_window: int | None = None
    available: bool = True
    reason: str = ""


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
    found = {entry["id"]: entry for entry in provider.models_found}
    names = {name for name in {*found, *routed, provider.default_model} if name}
    reason = provider_fault(provider)
    for name in sorted(names):
        entry: dict[str, Any] = found.get(name, {})
        yield ModelChoice(
            provider_id=provider.slug,
            model=name,
            name=entry.get("name") or name,
            capabilities=entry.get("capabilities") or list(CAPABILITIES),
            context_window=entry.get("context_window"),
            available=not reason,
            reason=reason,
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

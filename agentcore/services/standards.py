"""The standard model of an agent: the one that is asked first when a person chooses none. Reads only."""

from agentcore.chat import Route
from agentcore.models import AgentRoute


def standard_routes(*agents: str) -> dict[str, Route]:
    """Those of ``agents``, else of all, by agent; one that has no model yet is left out. 1 query."""
    rows = AgentRoute.objects.filter(provider__enabled=True).select_related("provider")
    found: dict[str, Route] = {}
    for row in rows.filter(agent_id__in=agents) if agents else rows:
        if model := row.model or row.provider.default_model:
            found.setdefault(row.agent_id, Route(row.provider_id, model))
    return found

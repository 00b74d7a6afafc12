"""What every logged-in user may choose from: agents, models, tools."""

from dataclasses import asdict
from typing import Any

from django.utils.translation import get_language, gettext
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agentcore.api.components import AgentList, ModelList, ToolList
from agentcore.services.catalogue import agents_enabled, models_offered, tools_offered
from agentcore.services.standards import standard_routes


def _listed(results: list[dict[str, Any]]) -> Response:
    """The shape of every list; these are short and have one page."""
    return Response({"results": results, "next": None, "previous": None})


def _translated(text: str) -> str:
    """What an admin entered, in the reader's language where the site has it; the drawer shows it the same."""
    return gettext(text) if text else ""


class Agents(APIView):
    """The agents to talk to."""

    @extend_schema(operation_id="agents_list", responses=AgentList)
    def get(self, request: Request) -> Response:
        standards = standard_routes()
        return _listed(
            [
                {
                    "agent": agent.slug,
                    "name": _translated(agent.name),
                    "description": _translated(agent.description),
                    "suggestions": [_translated(text) for text in agent.suggestions if text],
                    "default": asdict(standards[agent.slug]) if agent.slug in standards else None,
                }
                for agent in agents_enabled()
            ]
        )


class Models(APIView):
    """The models to ask for, with the reason where one is not available."""

    @extend_schema(operation_id="models_list", responses=ModelList)
    def get(self, request: Request) -> Response:
        return _listed(
            [
                asdict(choice) | {"available": choice.available, "reason": choice.reason or None}
                for choice in models_offered()
            ]
        )


class Tools(APIView):
    """The tools that you may have called."""

    @extend_schema(operation_id="tools_list", responses=ToolList)
    def get(self, request: Request) -> Response:
        choices = tools_offered(request.user, locale=get_language() or "en")
        return _listed(
            [
                {
                    "name": choice.tool.name,
                    "description": choice.tool.description,
                    "category": choice.tool.category,
                    "source": choice.tool.source,
                    "effect": choice.tool.effect.value,
                    "permission": choice.permission,
                    "parameters": choice.tool.parameters,
                }
                for choice in choices
            ]
        )

"""What every logged-in user may choose from: agents, models, tools."""

from dataclasses import asdict
from typing import Any

from django.utils.translation import get_language
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agentcore.services.catalogue import agents_enabled, models_offered, tools_offered


def _listed(results: list[dict[str, Any]]) -> Response:
    """The shape of every list; these are short and have one page."""
    return Response({"results": results, "next": None, "previous": None})


class Agents(APIView):
    def get(self, request: Request) -> Response:
        return _listed(
            [
                {
                    "agent": agent.slug,
                    "name": agent.name,
                    "description": agent.description,
                    "suggestions": agent.suggestions,
                }
                for agent in agents_enabled()
            ]
        )


class Models(APIView):
    def get(self, request: Request) -> Response:
        return _listed([asdict(choice) | {"reason": choice.reason or None} for choice in models_offered()])


class Tools(APIView):
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

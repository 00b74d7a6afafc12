"""One shape for every error that leaves the API."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from rest_framework.response import Response

from agentcore.errors import AgentError


def drf_exception_handler(exception: Exception, context: dict[str, Any]) -> Response | None:
    return None

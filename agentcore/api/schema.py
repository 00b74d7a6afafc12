"""How the API is described to OpenAPI: errors of every operation, and the two ways to log in."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from agentcore.api.components import Error

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class Operation(AutoSchema):
    """``DEFAULT_SCHEMA_CLASS``: whatever is not the answer that an operation describes has the shape of errors."""

    def get_summary(self) -> str:
        """The first paragraph of the docstring; the rest is the description."""
        return " ".join(super().get_description().replace("``", "").partition("\n\n")[0].split())

    def get_description(self) -> str:  # type: ignore[override]
        return str(super().get_description().replace("``", "`").partition("\n\n")[2])

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        return bodies | {"default": self._get_response_for_code(Error, "default", direction=direction)}


class SessionLogin(OpenApiAuthenticationExtension):
    """The session's cookie; what changes something needs the CSRF token beside it."""

    target_class = "rest_framework.authentication.SessionAuthentication"
    name = ["session", "csrf"]
    priority = 1

    def get_security_requirement(self, auto_schema: AutoSchema) -> dict[str, list[Any]]:
        return {"session": []} if auto_schema.method in SAFE_METHODS else {"session": [], "csrf": []}

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:
        return [
            {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME},
            {
                "type": "apiKey",
                "in": "header",
                "name": "X-CSRFToken",
                "description": f"The value of the cookie {settings.CSRF_COOKIE_NAME}.",
            },
        ]


class TokenLogin(OpenApiAuthenticationExtension):
    target_class = "agentcore.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token ` and the value of an API token.",
        }

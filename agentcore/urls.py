"""Every address of Steward: one ``include`` for a host site, at its root, with the wings that it has installed."""

from django.apps import apps
from django.urls import URLPattern, URLResolver, include, path

from agentcore.api.views import unknown

# App, prefix, module. By name: the ground imports no wing.
WINGS = (
    ("conversations", "api/", "conversations.api.urls"),
    ("governance", "api/", "governance.api.urls"),
    ("governance", "", "governance.urls"),
    ("conversations", "", "conversations.urls"),
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("agentcore.api.urls")),
    *(path(prefix, include(module)) for app, prefix, module in WINGS if apps.is_installed(app)),
    path("api", unknown),
    path("api/<path:rest>", unknown),
]

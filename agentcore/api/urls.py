"""Addresses of the ground's API, under ``/api/``."""

from django.db.transaction import non_atomic_requests
from django.urls import path

from agentcore.api import catalogue, chat, credentials, docs, providers, views

urlpatterns = [
    path("schema", docs.Schema.as_view(), name="api-schema"),
    path("docs", docs.docs, name="api-docs"),
    path("agents", catalogue.Agents.as_view(), name="agent-list"),
    path("models", catalogue.Models.as_view(), name="model-list"),
    path("tools", catalogue.Tools.as_view(), name="tool-list"),
    path("chat", chat.chat, name="chat"),
    path("providers", providers.Providers.as_view(), name="provider-list"),
    path("providers/presets", providers.Presets.as_view(), name="provider-presets"),
    # The network is slow: no transaction waits for it, also where the site has one for each request.
    path("providers/test", non_atomic_requests(providers.ProviderTest.as_view()), name="provider-test"),
    path("providers/<slug:provider_id>", providers.ProviderDetail.as_view(), name="provider-detail"),
    path(
        "providers/<slug:provider_id>/models",
        non_atomic_requests(providers.ProviderModels.as_view()),
        name="provider-models",
    ),
    path("credentials/<slug:credential_id>", credentials.CredentialDetail.as_view(), name="credential-detail"),
    path("agent/runs", views.runs, name="run-list"),
    path("agent/runs/<uuid:run_id>", views.run_detail, name="run-detail"),
    path("agent/runs/<uuid:run_id>/events", views.run_events, name="run-events"),
    path("agent/runs/<uuid:run_id>/trace", views.run_trace, name="run-trace"),
    path("agent/runs/<uuid:run_id>/cancel", views.run_cancel, name="run-cancel"),
]

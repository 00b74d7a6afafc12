"""Addresses of the ground's API, under ``/api/``."""

from django.urls import path

from agentcore.api import catalogue, docs, views

urlpatterns = [
    path("schema", docs.Schema.as_view(), name="api-schema"),
    path("docs", docs.docs, name="api-docs"),
    path("agents", catalogue.Agents.as_view(), name="agent-list"),
    path("models", catalogue.Models.as_view(), name="model-list"),
    path("tools", catalogue.Tools.as_view(), name="tool-list"),
    path("agent/runs", views.runs, name="run-list"),
    path("agent/runs/<uuid:run_id>", views.run_detail, name="run-detail"),
    path("agent/runs/<uuid:run_id>/events", views.run_events, name="run-events"),
    path("agent/runs/<uuid:run_id>/trace", views.run_trace, name="run-trace"),
    path("agent/runs/<uuid:run_id>/cancel", views.run_cancel, name="run-cancel"),
]

"""Addresses of the ground's API, under ``/api/``."""

from django.urls import path

from agentcore.api import views

urlpatterns = [
    path("agent/runs", views.runs, name="run-list"),
    path("agent/runs/<uuid:run_id>", views.run_detail, name="run-detail"),
    path("agent/runs/<uuid:run_id>/events", views.run_events, name="run-events"),
    path("agent/runs/<uuid:run_id>/trace", views.run_trace, name="run-trace"),
    path("agent/runs/<uuid:run_id>/cancel", views.run_cancel, name="run-cancel"),
]

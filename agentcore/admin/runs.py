"""Runs in the admin: that they happened and how they went, never what was said. A run's text belongs to its owner."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from agentcore.admin.records import RecordAdmin
from agentcore.models import Run


class RunAdmin(RecordAdmin):
    """Read-only. ``config`` is the snapshot of the settings, without instruction text."""

    run_field = "pk"
    list_display = ["created_at", "username", "status", "error_code", "first_records", "agent", "answered_by"]
    list_display_links = ["created_at"]
    list_filter = ["status"]
    search_fields = ["=id", "=username", "=conversation_id"]
    fields = (
        "id",
        ("status", "finish_reason", "cancel_reason"),
        "error_code",
        "records",
        ("username", "tenant"),
        ("agent", "purpose"),
        "conversation_id",
        ("provider_id", "model"),
        ("requested_provider_id", "requested_model"),
        "usage",
        ("cost", "currency", "model_calls"),
        ("created_at", "started_at", "finished_at", "recorded_at"),
        "config",
    )
    readonly_fields = ["records", "error_code"]

    def get_queryset(self, request: HttpRequest) -> Any:
        """Texts stay in the database."""
        return super().get_queryset(request).defer("input", "output", "citations")

    @admin.display(description=gettext_lazy("error"))
    def error_code(self, run: Run) -> str:
        return str((run.error or {}).get("code", "")) or "–"

"""Runs in the admin: that they happened and how they went, never what was said. A run's text belongs to its owner."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agentcore.admin.links import record_links
from agentcore.models import Run


class RunAdmin(admin.ModelAdmin):
    """Read-only. ``config`` is the snapshot of the settings, without instruction text."""

    list_display = ["created_at", "username", "agent", "answered_by", "status", "error_code", "records"]
    list_display_links = ["created_at"]
    list_filter = ["status"]
    search_fields = ["=id", "=username", "=conversation_id"]
    # Counting all runs to show a page of them costs more than the page.
    show_full_result_count = False
    list_per_page = 50
    fields = (
        "id",
        "records",
        ("username", "tenant"),
        ("agent", "purpose"),
        "conversation_id",
        ("status", "finish_reason", "cancel_reason"),
        "error_code",
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

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=gettext_lazy("answered by"))
    def answered_by(self, run: Run) -> str:
        return f"{run.provider_id}/{run.model}" if run.provider_id else "–"

    @admin.display(description=gettext_lazy("error"))
    def error_code(self, run: Run) -> str:
        return str((run.error or {}).get("code", "")) or "–"

    @admin.display(description=gettext_lazy("records"))
    def records(self, run: Run) -> str:
        """Links to what other apps have on record about the run; empty where none of them is installed."""
        links = record_links(run)
        return format_html_join(" · ", '<a href="{}">{}</a>', ((link.url, link.label) for link in links)) or _("none")

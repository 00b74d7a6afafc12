"""The records in Django admin: to read, never to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from governance.models import AuditEvent, ModelCall, Turn


class Record(admin.ModelAdmin):
    """A read-only record with links to the page of its turn and to its run."""

    # Counting a ledger to show a page of it costs more than the page.
    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=_("Turn"))
    def page(self, record: Any) -> str:
        return format_html(
            '<a href="{}">{}</a>', reverse("governance:turn", kwargs={"run_id": record.run_id}), record.run_id
        )

    @admin.display(description=_("Run"))
    def run(self, record: Any) -> str:
        # The run may be gone: the record outlives the account that it belonged to.
        return format_html('<a href="{}">{}</a>', reverse("admin:agentcore_run_change", args=[record.run_id]), _("Run"))


@admin.register(Turn)
class TurnAdmin(Record):
    list_display = [
        "started_at",
        "username",
        "agent",
        "provider_id",
        "model",
        "status",
        "error_code",
        "cost",
        "page",
        "run",
    ]
    list_filter = ["status"]
    search_fields = ["=run_id", "=username", "=conversation_id"]


@admin.register(ModelCall)
class ModelCallAdmin(Record):
    list_display = [
        "started_at",
        "step",
        "attempt",
        "provider_id",
        "model",
        "outcome",
        "cost",
        "duration_ms",
        "page",
        "run",
    ]
    search_fields = ["=run_id"]
    ordering = ["-id"]


@admin.register(AuditEvent)
class AuditEventAdmin(Record):
    """The payload is not here: the page of the turn withholds what belongs to its owner."""

    list_display = ["at", "seq", "action", "actor", "page", "run"]
    list_filter = ["action"]
    search_fields = ["=run_id"]
    exclude = ["payload"]
    ordering = ["-id"]

"""The records in Django admin: to read, never to change."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agentcore.admin.records import RecordAdmin
from governance.models import AuditEvent, ModelCall, Turn

TOKENS = (
    ("input_tokens", "cached_input_tokens", "cache_write_tokens"),
    ("output_tokens", "reasoning_tokens"),
    "tokens_by",
)


class MeteredAdmin(RecordAdmin):
    """A record of what was used."""

    readonly_fields = ["records", "tokens_by"]

    # Not the field itself: the admin draws a "no" as a red cross, and that nothing was estimated is no fault.
    @admin.display(description=gettext_lazy("tokens"))
    def tokens_by(self, record: Any) -> str:
        return _("estimated") if record.usage_estimated else _("as the provider reported them")


@admin.register(Turn)
class TurnAdmin(MeteredAdmin):
    list_display = ["started_at", "username", "status", "error_code", "first_records", "agent", "answered_by", "cost"]
    list_filter = ["status"]
    search_fields = ["=run_id", "=username", "=conversation_id"]
    fields = (
        ("status", "finish_reason", "cancel_reason"),
        "error_code",
        "records",
        "run_id",
        "conversation_id",
        ("username", "user_id", "tenant"),
        ("agent", "purpose"),
        ("provider_id", "model"),
        ("requested_provider_id", "requested_model"),
        *TOKENS,
        ("cost", "currency"),
        ("model_calls", "tool_calls"),
        ("started_at", "finished_at", "duration_ms"),
    )


@admin.register(ModelCall)
class ModelCallAdmin(MeteredAdmin):
    list_display = ["started_at", "step", "attempt", "outcome", "first_records", "answered_by", "cost", "duration_ms"]
    search_fields = ["=run_id"]
    ordering = ["-id"]
    fields = (
        ("outcome", "finish_reason", "retry_reason"),
        "records",
        "run_id",
        ("step", "attempt"),
        ("provider_id", "model"),
        *TOKENS,
        ("cost", "currency"),
        "prices",
        ("started_at", "finished_at"),
        ("first_token_ms", "duration_ms"),
    )


@admin.register(AuditEvent)
class AuditEventAdmin(RecordAdmin):
    """The payload is not here: the page of the turn withholds what belongs to its owner."""

    list_display = ["at", "seq", "action", "actor", "first_records", "tool"]
    list_filter = ["action"]
    search_fields = ["=run_id"]
    ordering = ["-id"]
    readonly_fields = ["records"]
    fields = ("action", "records", "run_id", "seq", "actor", "tool", "at")

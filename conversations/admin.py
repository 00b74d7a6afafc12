"""Conversations in the admin: that they exist, and never what was said. A run's text belongs to its owner."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from agentcore.errors import ConversationBusy
from conversations.models import Conversation
from conversations.services.conversations import conversation_purge


@admin.register(Conversation)
class ConversationAdmin(admin.ModelAdmin):
    """Read-only; deleting takes the text out of the runs too, as it does for the owner."""

    list_display = ("id", "user", "agent", "created_at", "updated_at")
    list_filter = ("agent",)
    search_fields = ("id", "user__username")
    date_hierarchy = "updated_at"
    fields = ("id", "user", "agent", "pinned", "created_at", "updated_at")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except ConversationBusy as error:
            self.message_user(request, error.message, messages.ERROR)
            return redirect("admin:conversations_conversation_changelist")

    def delete_model(self, request: HttpRequest, obj: Conversation) -> None:
        conversation_purge(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Conversation]) -> None:
        for conversation in queryset:
            try:
                conversation_purge(conversation)
            except ConversationBusy as error:
                self.message_user(request, f"{conversation}: {error.message}", messages.WARNING)

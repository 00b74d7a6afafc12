"""The shapes of conversations outside, in both directions."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from conversations.models import Conversation, Message
from conversations.selectors import Thread


class ConversationShape(serializers.ModelSerializer):
    """A conversation. ``context["open_runs"]`` has the run that has not ended, by conversation."""

    conversation_id = serializers.UUIDField(source="id", read_only=True)
    open_run_id = serializers.SerializerMethodField()

    class Meta:
        model = Conversation
        fields = ("conversation_id", "title", "pinned", "agent", "created_at", "updated_at", "open_run_id")
        read_only_fields = ("agent", "updated_at")

    def get_open_run_id(self, conversation: Conversation) -> UUID | None:
        return self.context.get("open_runs", {}).get(conversation.pk)


class NewConversationShape(serializers.Serializer):
    """What a person may say of a new conversation."""

    agent = serializers.SlugField(required=False, max_length=64)
    title = serializers.CharField(required=False, allow_blank=True, max_length=200)
    pinned = serializers.BooleanField(required=False)


class ChangedConversationShape(serializers.Serializer):
    """What a person may change."""

    title = serializers.CharField(required=False, allow_blank=True, max_length=200)
    pinned = serializers.BooleanField(required=False)


class ConversationListShape(serializers.Serializer):
    results = ConversationShape(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


class MessageShape(serializers.ModelSerializer):
    """A message. Each of ``contents`` has a ``type`` and what belongs to it."""

    message_id = serializers.UUIDField(source="id", read_only=True)
    contents = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields = ("message_id", "role", "text", "contents", "run_id", "created_at")
        read_only_fields = fields

    def get_contents(self, message: Message) -> list[dict[str, Any]]:
        """A provider's own token for its reasoning is of use to that provider only."""
        return [{k: v for k, v in item.items() if k != "opaque"} for item in message.contents["contents"]]


class ThreadShape(serializers.Serializer):
    """A thread comes whole, so the cursors of a list are always null."""

    results = MessageShape(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    open_run_id = serializers.UUIDField(allow_null=True)


def thread_json(thread: Thread) -> dict[str, Any]:
    shown = MessageShape(thread.messages, many=True).data
    return {"results": shown, "next": None, "previous": None, "open_run_id": thread.open_run_id}

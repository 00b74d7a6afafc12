"""The shapes of conversations outside, in both directions."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from agentcore.agents.context import cost_text
from agentcore.api.components import Failure, Usage
from agentcore.messages import Usage as NoUsage
from agentcore.models import Run
from conversations.models import Conversation, Feedback, Message
from conversations.selectors import Beside, Thread


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


class FeedbackShape(serializers.ModelSerializer):
    """What the person thinks of an answer; ``rating`` null and no comment is no opinion."""

    rating = serializers.ChoiceField(choices=Feedback.Rating.values, allow_null=True)
    comment = serializers.CharField(required=False, allow_blank=True, max_length=2000)

    class Meta:
        model = Feedback
        fields = ("rating", "comment")


class MessageShape(serializers.ModelSerializer):
    """A message. Each of ``contents`` has a ``type`` and what belongs to it."""

    message_id = serializers.UUIDField(source="id", read_only=True)
    contents = serializers.SerializerMethodField()
    feedback = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields = ("message_id", "role", "text", "contents", "run_id", "created_at", "feedback")
        read_only_fields = fields

    def get_contents(self, message: Message) -> list[dict[str, Any]]:
        """A provider's own token for its reasoning is of use to that provider only."""
        return [{k: v for k, v in item.items() if k != "opaque"} for item in message.contents["contents"]]

    @extend_schema_field(FeedbackShape(allow_null=True))
    def get_feedback(self, message: Message) -> dict[str, Any] | None:
        given = getattr(message, "feedback", None)
        return None if given is None else dict(FeedbackShape(given).data)


class CallLineShape(serializers.Serializer):
    """What a tool call showed beside its messages."""

    call_id = serializers.CharField()
    summary = serializers.CharField(allow_blank=True)
    duration_ms = serializers.IntegerField(allow_null=True)
    for_ui = serializers.JSONField()


class RouteShape(serializers.Serializer):
    provider_id = serializers.CharField()
    model = serializers.CharField()


class RouteChangeShape(serializers.Serializer):
    """Another route answered, or the same one with less or anew."""

    to = RouteShape()
    reason = serializers.CharField(help_text="An error code.")
    discard = serializers.CharField(allow_null=True, help_text="The message that does not stand, or null.")
    omitted = serializers.ListField(child=serializers.CharField(), help_text="What was left out: images, tools.")
    after_calls = serializers.IntegerField(help_text="How many tool calls of the run had begun.")

    def get_fields(self) -> dict[str, Any]:
        # The name is a word of Python.
        return {"from": RouteShape(), **super().get_fields()}


class RunLineShape(serializers.Serializer):
    """How a run ended, who answered and what it cost: the line under an answer."""

    status = serializers.ChoiceField(choices=Run.Status.values)
    finish_reason = serializers.CharField(allow_null=True)
    cancel_reason = serializers.CharField(allow_null=True)
    provider_id = serializers.CharField(allow_null=True)
    model = serializers.CharField(allow_null=True)
    usage = Usage()
    cost = serializers.CharField(allow_null=True)
    currency = serializers.CharField()
    error = Failure(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    tool_calls = CallLineShape(many=True)
    routes = RouteShape(many=True, help_text="Those that the run had, the first to be asked first.")
    route_changes = RouteChangeShape(many=True)


class ThreadShape(serializers.Serializer):
    """A page of a thread: ``next`` are later messages. ``runs`` are those of the page, by run id."""

    results = MessageShape(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    open_run_id = serializers.UUIDField(allow_null=True)
    runs = serializers.DictField(child=RunLineShape())


def thread_json(thread: Thread) -> dict[str, Any]:
    return {
        "results": MessageShape(thread.messages, many=True).data,
        "next": thread.next,
        "previous": thread.previous,
        "open_run_id": thread.open_run_id,
        "runs": {str(run.pk): _line(run, thread.beside.get(run.pk, Beside())) for run in thread.runs},
    }


def _line(run: Run, beside: Beside) -> dict[str, Any]:
    return {
        "status": run.status,
        "finish_reason": run.finish_reason or None,
        "cancel_reason": run.cancel_reason or None,
        "provider_id": run.provider_id or None,
        "model": run.model or None,
        "usage": run.usage or NoUsage().as_json(),
        "cost": cost_text(run.cost),
        "currency": run.currency,
        "error": run.error,
        "finished_at": run.finished_at,
        "tool_calls": [_call(data) for data in beside.calls.values()],
        "routes": run.config.get("routes", []),
        "route_changes": beside.route_changes,
    }


def _call(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "call_id": data["call_id"],
        "summary": data.get("summary", ""),
        "duration_ms": data.get("duration_ms"),
        "for_ui": data.get("for_ui"),
    }

"""The shapes of the contract as serializers, for the description of the API; ``shapes.py`` writes them."""

from typing import TypeAlias

from rest_framework import serializers

from agentcore.errors import BY_CODE
from agentcore.events import EventType
from agentcore.models import Run

Shape: TypeAlias = serializers.Serializer[object]


class ErrorBody(Shape):
    code = serializers.ChoiceField(choices=sorted(BY_CODE))
    message = serializers.CharField(help_text="For a person, in their language.")
    details = serializers.JSONField(help_text="For a program, or null: what is wrong with which field.")
    request_id = serializers.UUIDField(allow_null=True, help_text="The same as the header X-Request-ID.")


class Error(Shape):
    """What every refused request is answered with."""

    error = ErrorBody()


class Failure(Shape):
    """Why a run ended badly."""

    code = serializers.CharField()
    message = serializers.CharField()


class Usage(Shape):
    """Tokens. Input includes cached, output includes reasoning."""

    input_tokens = serializers.IntegerField(min_value=0)
    output_tokens = serializers.IntegerField(min_value=0)
    cached_input_tokens = serializers.IntegerField(min_value=0)
    cache_write_tokens = serializers.IntegerField(min_value=0)
    reasoning_tokens = serializers.IntegerField(min_value=0)
    estimated = serializers.BooleanField(help_text="The upstream reported none.")


class Event(Shape):
    """One event of a run, in the envelope of every surface. docs/reference/events.md has the data of each type."""

    run_id = serializers.UUIDField()
    sequence = serializers.IntegerField(min_value=0, help_text="Counts from 0 without a gap inside a run.")
    type = serializers.ChoiceField(choices=[event.value for event in EventType])
    created_at = serializers.DateTimeField()
    data = serializers.DictField()  # type: ignore[assignment]


class Link(Shape):
    """A page of the site about a run; whether it opens is the page's own decision."""

    label = serializers.CharField()  # type: ignore[assignment]
    url = serializers.CharField()


class RunAnswer(Shape):
    """A run, for its owner."""

    run_id = serializers.UUIDField()
    conversation_id = serializers.UUIDField(allow_null=True)
    agent = serializers.CharField()
    status = serializers.ChoiceField(choices=[status.value for status in Run.Status])
    finish_reason = serializers.CharField(allow_null=True)
    input = serializers.CharField()
    output = serializers.CharField()
    provider_id = serializers.CharField(allow_null=True)
    model = serializers.CharField(allow_null=True)
    requested_provider_id = serializers.CharField(allow_null=True)
    requested_model = serializers.CharField(allow_null=True)
    usage = Usage()
    cost = serializers.CharField(allow_null=True, help_text="A decimal; null when the price is unknown.")
    currency = serializers.CharField()
    citations = serializers.ListField(child=serializers.DictField())
    error = Failure(allow_null=True)
    pending_permissions = serializers.ListField(child=serializers.DictField())
    config = serializers.DictField(help_text="The snapshot at creation, without instruction text.")
    links = Link(many=True)
    last_sequence = serializers.IntegerField(min_value=-1)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class TraceSummary(Shape):
    model_calls = serializers.IntegerField(min_value=0)
    tool_calls = serializers.IntegerField(min_value=0)
    duration_ms = serializers.IntegerField(allow_null=True, min_value=0)
    usage = Usage()
    cost = serializers.CharField(allow_null=True)


class TraceAnswer(Shape):
    """One page of a run's events."""

    run = RunAnswer()
    events = Event(many=True)
    next_after_sequence = serializers.IntegerField(min_value=-1, help_text="Ask for the next page with it.")
    has_more = serializers.BooleanField()
    summary = TraceSummary()


class StandardModel(Shape):
    provider_id = serializers.SlugField()
    model = serializers.CharField()


class AgentChoice(Shape):
    agent = serializers.SlugField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    suggestions = serializers.ListField(child=serializers.CharField())
    default = StandardModel(allow_null=True, help_text="Whom it asks first; null when it has no model yet.")


class ModelChoice(Shape):
    provider_id = serializers.SlugField()
    model = serializers.CharField()
    name = serializers.CharField()
    capabilities = serializers.ListField(child=serializers.CharField())
    context_window = serializers.IntegerField(allow_null=True)
    available = serializers.BooleanField()
    reason = serializers.CharField(allow_null=True, help_text="Why it is not available, for a person.")


class OfferedTool(Shape):
    name = serializers.CharField()
    description = serializers.CharField()
    category = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    effect = serializers.CharField()
    permission = serializers.ChoiceField(choices=["allow", "confirm"])
    parameters = serializers.DictField(help_text="A JSON schema.")


class ChatEvent(Shape):
    """The data of a model event; which fields it has depends on its type, and docs/reference/http.md says how."""

    text = serializers.CharField(required=False, help_text="TextDelta, ReasoningDelta")
    call_id = serializers.CharField(required=False, help_text="ToolCall")
    name = serializers.CharField(required=False, help_text="ToolCall")
    arguments = serializers.DictField(required=False, help_text="ToolCall")
    usage = Usage(required=False, help_text="Usage")
    reason = serializers.ChoiceField(
        choices=["stop", "length", "tool_calls", "content_filter"], required=False, help_text="Finish"
    )
    provider_id = serializers.CharField(required=False, help_text="Finish")
    model = serializers.CharField(required=False, help_text="Finish")
    code = serializers.CharField(required=False, help_text="Error")
    message = serializers.CharField(required=False, help_text="Error")
    retryable = serializers.BooleanField(required=False, help_text="Error: the same may succeed later.")
    partial = serializers.BooleanField(  # type: ignore[assignment]
        required=False, help_text="Error: a part of the answer was sent."
    )


class OnePage(Shape):
    """The shape of every list, of one that has a single page."""

    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


class AgentList(OnePage):
    results = AgentChoice(many=True)


class ModelList(OnePage):
    results = ModelChoice(many=True)


class ToolList(OnePage):
    results = OfferedTool(many=True)

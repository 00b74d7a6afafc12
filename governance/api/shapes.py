"""The shapes of the records outside."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from agentcore.api.components import Usage
from governance.models import AuditEvent, Turn
from governance.pages.withholding import may_read_text, payload_shown
from governance.tallies import COUNTERS, Tally


class TurnShape(serializers.ModelSerializer[Turn]):
    """A turn of the ledger, without text. ``cost`` is null when the price is unknown."""

    user = serializers.CharField(source="username")
    cost = serializers.SerializerMethodField()
    usage = serializers.SerializerMethodField()

    class Meta:
        model = Turn
        fields = (
            *("run_id", "conversation_id", "user", "user_id", "tenant", "agent", "purpose"),
            *("requested_provider_id", "requested_model", "provider_id", "model"),
            *("status", "finish_reason", "cancel_reason", "error_code", "model_calls", "tool_calls"),
            *("usage", "cost", "currency", "started_at", "finished_at", "duration_ms"),
        )
        read_only_fields = fields

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_cost(self, turn: Turn) -> str | None:
        return None if turn.cost is None else f"{turn.cost:f}"

    @extend_schema_field(Usage)
    def get_usage(self, turn: Turn) -> dict[str, Any]:
        return {
            "input_tokens": turn.input_tokens,
            "output_tokens": turn.output_tokens,
            "cached_input_tokens": turn.cached_input_tokens,
            "cache_write_tokens": turn.cache_write_tokens,
            "reasoning_tokens": turn.reasoning_tokens,
            "estimated": turn.usage_estimated,
        }


class TurnListShape(serializers.Serializer[Any]):
    results = TurnShape(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


class AuditEventShape(serializers.ModelSerializer[AuditEvent]):
    """What happened. Of a text that is not the reader's own, ``payload`` has ``{"withheld": length}``.

    ``context`` has the ``turns`` by run and the ``user`` who reads.
    """

    sequence = serializers.IntegerField(source="seq")
    user = serializers.SerializerMethodField()
    agent = serializers.SerializerMethodField()
    payload = serializers.SerializerMethodField()

    class Meta:
        model = AuditEvent
        fields = ("run_id", "sequence", "action", "at", "actor", "user", "agent", "tool", "payload")
        read_only_fields = fields

    def _turn(self, event: AuditEvent) -> Turn | None:
        found: Turn | None = self.context["turns"].get(event.run_id)
        return found

    def get_user(self, event: AuditEvent) -> str:
        turn = self._turn(event)
        return turn.username if turn else ""

    def get_agent(self, event: AuditEvent) -> str:
        turn = self._turn(event)
        return turn.agent if turn else ""

    @extend_schema_field(serializers.DictField())
    def get_payload(self, event: AuditEvent) -> dict[str, Any]:
        return payload_shown(event.payload, may_read=may_read_text(self._turn(event), self.context["user"]))


class AuditListShape(serializers.Serializer[Any]):
    results = AuditEventShape(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


class TallyShape(serializers.Serializer[Any]):
    """What turns of one currency add up to. ``cost`` is null when no price is known."""

    currency = serializers.CharField()
    turns = serializers.IntegerField()
    running = serializers.IntegerField()
    failed = serializers.IntegerField()
    unpriced = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    cached_input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    reasoning_tokens = serializers.IntegerField()
    cost = serializers.CharField(allow_null=True)


class ModelTallyShape(TallyShape):
    provider_id = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)


class UserTallyShape(TallyShape):
    user = serializers.CharField(allow_blank=True)


class PartTallyShape(TallyShape):
    since = serializers.DateField()
    until = serializers.DateField()


class CostShape(serializers.Serializer[Any]):
    """The cost report of the days ``since`` to ``until``, both included, in ``time_zone``.

    Each tally is of one currency; amounts of two are never added up. ``over_time`` is by day, of long spans by month,
    and leaves out where nothing was.
    """

    since = serializers.DateField()
    until = serializers.DateField()
    time_zone = serializers.CharField()
    totals = TallyShape(many=True)
    by_model = ModelTallyShape(many=True)
    by_user = UserTallyShape(many=True)
    over_time = PartTallyShape(many=True)


def tally_json(tally: Tally, **labels: Any) -> dict[str, Any]:
    counters = {name: getattr(tally, name) for name in COUNTERS}
    cost = None if tally.cost is None else f"{tally.cost:f}"
    return {"currency": tally.currency, **counters, "cost": cost, **labels}

"""Reads beyond a filter."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from agentcore.models import RunEvent
from governance.models import AuditEvent, ModelCall, Turn

EVENTS_A_PAGE = 500
_TOTALS = ("turns", "running", "failed", "unpriced", "input", "cached", "output", "reasoning")


@dataclass(frozen=True, kw_only=True)
class LedgerSummary:
    """What the turns of a condition add up to. Costs are by currency, never converted, never added across."""

    turns: int
    running: int
    ended: int
    failed: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    costs: tuple[tuple[str, Decimal], ...]
    unpriced: int


def ledger_summary(condition: Q) -> LedgerSummary:
    """1 query."""
    rows: list[Any] = list(
        Turn.objects.filter(condition)
        .values("currency")
        .annotate(
            turns=Count("pk"),
            running=Count("pk", filter=Q(status=Turn.Status.RUNNING)),
            failed=Count("pk", filter=Q(status=Turn.Status.FAILED)),
            # A turn that called no model has nothing to price, and one that runs has no price yet.
            unpriced=Count("pk", filter=Q(cost=None, model_calls__gt=0) & ~Q(status=Turn.Status.RUNNING)),
            input=Sum("input_tokens"),
            cached=Sum("cached_input_tokens"),
            output=Sum("output_tokens"),
            reasoning=Sum("reasoning_tokens"),
            spent=Sum("cost"),
        )
        # The currency that most turns were paid in comes first.
        .order_by("-turns", "currency")
    )
    totals: dict[str, int] = {name: sum(row[name] or 0 for row in rows) for name in _TOTALS}
    return LedgerSummary(
        turns=totals["turns"],
        running=totals["running"],
        ended=totals["turns"] - totals["running"],
        failed=totals["failed"],
        input_tokens=totals["input"],
        cached_input_tokens=totals["cached"],
        output_tokens=totals["output"],
        reasoning_tokens=totals["reasoning"],
        costs=tuple((row["currency"], row["spent"]) for row in rows if row["spent"] is not None),
        unpriced=totals["unpriced"],
    )


@dataclass(frozen=True, kw_only=True)
class TurnRecord:
    """A turn with everything that is on record about it. ``audit`` is None for who may not see it."""

    turn: Turn
    calls: list[ModelCall]
    events: list[RunEvent]
    more_after: int | None
    audit: list[AuditEvent] | None


def turn_record(run_id: UUID, *, after: int, with_audit: bool) -> TurnRecord | None:
    """4 queries; None when there is no such turn. At most ``EVENTS_A_PAGE`` events after the sequence ``after``."""
    turn = Turn.objects.filter(run_id=run_id).first()
    if turn is None:
        return None
    events = list(_events(run_id).filter(sequence__gt=after)[: EVENTS_A_PAGE + 1])
    has_more = len(events) > EVENTS_A_PAGE
    events = events[:EVENTS_A_PAGE]
    return TurnRecord(
        turn=turn,
        calls=list(ModelCall.objects.filter(run_id=run_id).order_by("step", "attempt")),
        events=events,
        more_after=events[-1].sequence if has_more else None,
        audit=list(AuditEvent.objects.filter(run_id=run_id).order_by("seq")) if with_audit else None,
    )


def _events(run_id: UUID) -> "QuerySet[RunEvent]":
    return RunEvent.objects.filter(run_id=run_id).order_by("sequence")

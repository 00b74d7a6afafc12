"""Reads beyond a filter."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from agentcore.models import RunEvent
from governance.models import AuditEvent, ModelCall, Turn

EVENTS_A_PAGE = 500


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


def turns_of(events: Iterable[AuditEvent]) -> dict[UUID, Turn]:
    """The turns that events are of, by run; one whose time was up is not there. 1 query."""
    return Turn.objects.in_bulk({event.run_id for event in events})


def _events(run_id: UUID) -> "QuerySet[RunEvent]":
    return RunEvent.objects.filter(run_id=run_id).order_by("sequence")

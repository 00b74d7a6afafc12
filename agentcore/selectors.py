"""Reads of the ground beyond a filter."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Max

from agentcore.errors import NotFound
from agentcore.events import Event, EventType
from agentcore.models import Run, RunEvent


def event_of(row: RunEvent) -> Event:
    return Event(row.run_id, row.sequence, EventType(row.type), row.created_at, row.data)


def events_after(run_id: UUID, sequence: int, limit: int) -> list[Event]:
    """At most ``limit`` stored events after ``sequence``, in order. 1 query."""
    rows = RunEvent.objects.filter(run_id=run_id, sequence__gt=sequence).order_by("sequence")[:limit]
    return [event_of(row) for row in rows]


def run_visible(run_id: UUID, user: Any) -> Run:
    """The run, when its text is ``user``'s to read. 1 query.

    Raises:
        NotFound: unknown, or somebody else's; staff are no exception.
    """
    run = Run.objects.visible_to(user).filter(id=run_id).first()
    if run is None:
        raise NotFound()
    return run


def run_is_over(run_id: UUID) -> bool:
    """Whether the run has ended, or is gone. 1 query."""
    return not Run.objects.open().filter(id=run_id).exists()


def last_sequence(run: Run) -> int:
    """The newest stored sequence. 1 query while the run is open, else none."""
    if not run.is_open:
        return run.last_sequence
    newest: int | None = run.events.aggregate(newest=Max("sequence"))["newest"]
    return -1 if newest is None else newest


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One page of a run's events. ``after`` is the last sequence of the page."""

    run: Run
    events: list[Event]
    after: int
    has_more: bool
    tool_calls: int


def trace(run: Run, *, after: int, limit: int) -> Trace:
    """A page of the trace. 2 queries."""
    events = events_after(run.id, after, limit + 1)
    page = events[:limit]
    return Trace(
        run=run,
        events=page,
        after=page[-1].sequence if page else after,
        has_more=len(events) > limit,
        tool_calls=run.tool_calls.count(),
    )

"""Records that are owed: ended runs whose observers have not kept the end yet."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from agentcore.models import Run
from agentcore.observers import RunEnded
from agentcore.services.endings import ended_observation
from agentcore.services.leases import owner_is_dead

BATCH = 100
# A run that ended a moment ago is being delivered by the process that ran it.
PATIENCE = timedelta(seconds=5)


@dataclass(frozen=True)
class Owed:
    run_id: UUID
    observation: RunEnded


def record_of(run: Run) -> Owed:
    """The record that an ended run owes. 1 query."""
    return Owed(run.id, ended_observation(run, tool_calls=run.tool_calls.count()))


def records_owed() -> list[Owed]:
    """At most ``BATCH`` records that nobody delivers any more, oldest first. 1 query."""
    now = timezone.now()
    owed = Run.objects.owed().annotate(calls=Count("tool_calls")).order_by("finished_at")[:BATCH]
    late = [run for run in owed if _is_late(run, now) or owner_is_dead(run.owner)]
    return [Owed(run.id, ended_observation(run, tool_calls=run.calls)) for run in late]  # type: ignore[attr-defined]


def _is_late(run: Run, now: datetime) -> bool:
    return run.finished_at is None or run.finished_at < now - PATIENCE

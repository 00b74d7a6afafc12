"""Records that are owed: ended runs whose observers have not kept the end yet."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from agentcore.models import Run
from agentcore.observers import RunEnded
from agentcore.services.endings import ended_observation

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
    """At most ``BATCH`` records that nobody delivers any more, oldest first."""
    late = Run.objects.owed().filter(finished_at__lt=timezone.now() - PATIENCE)
    return [record_of(run) for run in late.order_by("finished_at")[:BATCH]]

"""Retention: deleting the records whose time is up, a batch at a time, so that nobody waits long for a lock."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agentcore.models import Run, RunEvent
from governance.days import day_of
from governance.models import AuditEvent, ModelCall, Turn
from governance.services.rollups import days_forget

TURNS_A_BATCH, EVENTS_A_BATCH = 500, 2_000


@dataclass(frozen=True, kw_only=True)
class Trimmed:
    """How many rows were deleted, or would be."""

    turns: int
    model_calls: int
    audit_events: int
    run_events: int


def records_trim(*, days: int, dry_run: bool = False) -> Trimmed:
    """Delete what began more than ``days`` days ago and has ended: turns, their calls and audit, the events of runs.

    Never a run, a conversation or a message. It may be interrupted and repeated.
    """
    before = timezone.now() - timedelta(days=days)
    if dry_run:
        return _counted(before)
    run_events = _run_events_delete(before)
    found = [0, 0, 0]
    while batch := list(_turns(before).values_list("pk", flat=True)[:TURNS_A_BATCH]):
        found = [sum(pair) for pair in zip(found, _turns_delete(batch), strict=True)]
    if found[0]:
        days_forget(day_of(before))
    return Trimmed(turns=found[0], model_calls=found[1], audit_events=found[2], run_events=run_events)


def _turns(before: datetime) -> "QuerySet[Turn]":
    """A turn that has not ended is still being written, whatever its age."""
    return Turn.objects.filter(started_at__lt=before).exclude(status=Turn.Status.RUNNING).order_by("started_at")


def _run_events(before: datetime) -> "QuerySet[RunEvent]":
    ended = Run.objects.exclude(status__in=Run.OPEN).filter(created_at__lt=before)
    return RunEvent.objects.filter(run_id__in=ended.values("id")).order_by()


def _counted(before: datetime) -> Trimmed:
    of_turns = {"run_id__in": _turns(before).order_by().values("run_id")}
    return Trimmed(
        turns=_turns(before).count(),
        model_calls=ModelCall.objects.filter(**of_turns).count(),
        audit_events=AuditEvent.objects.filter(**of_turns).count(),
        run_events=_run_events(before).count(),
    )


@transaction.atomic
def _turns_delete(batch: list[UUID]) -> tuple[int, int, int]:
    """Turns with all that hangs on them, so that none is left without its turn."""
    calls = ModelCall.objects.filter(run_id__in=batch).delete()[0]
    events = AuditEvent.objects.filter(run_id__in=batch).delete()[0]
    return Turn.objects.filter(pk__in=batch).delete()[0], calls, events


def _run_events_delete(before: datetime) -> int:
    deleted = 0
    while batch := list(_run_events(before).values_list("pk", flat=True)[:EVENTS_A_BATCH]):
        deleted += RunEvent.objects.filter(pk__in=batch).delete()[0]
    return deleted

"""The event log: appended in one statement for all runs of a batch."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction

from agentcore.constraints import constraint_of
from agentcore.events import Event
from agentcore.models import RunEvent
from agentcore.services.leases import LeaseLost

Write = Callable[[], None]

EVENT_ONCE = "run_event_sequence_once"


@dataclass(frozen=True)
class RunBatch:
    """What is committed for one run in one transaction: its events, and the rows that go with them."""

    run_id: UUID
    events: list[Event]
    writes: list[Write]


def event_rows(events: list[Event]) -> list[RunEvent]:
    return [
        RunEvent(
            run_id=event.run_id,
            sequence=event.sequence,
            type=event.type.value,
            data=event.data,
            created_at=event.created_at,
        )
        for event in events
    ]


def batches_append(batches: list[RunBatch]) -> None:
    """Store the batches, each run's events with its rows, in one transaction.

    The unique sequence fences: a process that lost a run and still writes for it collides with the new owner's
    first event, and its whole batch for that run is refused.

    Raises:
        LeaseLost: a run has another owner by now; of several batches it may be any. Nothing was stored.
    """
    try:
        with transaction.atomic():
            RunEvent.objects.bulk_create(event_rows([event for batch in batches for event in batch.events]))
            for batch in batches:
                for write in batch.writes:
                    write()
    except IntegrityError as error:
        if constraint_of(error) == EVENT_ONCE:
            raise LeaseLost(batches[0].run_id) from error
        raise

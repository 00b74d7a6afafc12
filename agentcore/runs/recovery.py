"""Recovery: runs whose owner is gone are ended, and records that are owed are delivered."""

import logging
from collections.abc import Container
from dataclasses import dataclass
from uuid import UUID

from agentcore.bridge import aorphans, arecord_of, arecords_owed, arun_abandon, arun_recorded
from agentcore.models import Run
from agentcore.runs.dispatcher import Dispatcher, observers
from agentcore.services.records import Owed

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recovered:
    """How many runs were ended and how many records delivered."""

    closed: int
    delivered: int


async def recover(working: Container[UUID] = ()) -> Recovered:
    """End the orphans of dead owners and deliver what is owed. Safe to run anywhere, any number of times.

    ``working`` are the runs of this process: a lease that ran out while it stood still is renewed, not taken away.
    """
    closed = await close_orphans(working)
    fresh = [await _deliver(await arecord_of(run)) for run in closed]
    late = [await _deliver(owed) for owed in await arecords_owed()]
    return Recovered(closed=len(closed), delivered=sum(fresh) + sum(late))


async def close_orphans(working: Container[UUID] = ()) -> list[Run]:
    """End the orphans of dead owners; their records are owed from then on."""
    closed = [await _closed(orphan) for orphan in await aorphans() if orphan.id not in working]
    return [run for run in closed if run is not None]


async def _closed(orphan: Run) -> Run | None:
    try:
        return await arun_abandon(orphan)
    except Exception as error:
        # One run that cannot be ended must not hold up the others; it is tried again with the next recovery.
        logger.error("Run %s could not be recovered: %s", orphan.id, type(error).__name__, exc_info=error)
        return None


async def _deliver(owed: Owed) -> bool:
    kept = await Dispatcher(owed.run_id, observers()).end(owed.observation)
    if kept:
        await arun_recorded(owed.run_id)
    return kept

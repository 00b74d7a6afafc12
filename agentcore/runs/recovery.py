"""Recovery: runs whose owner is gone are ended, and records that are owed are delivered."""

from dataclasses import dataclass

from agentcore.bridge import aorphans, arecord_of, arecords_owed, arun_abandon, arun_recorded
from agentcore.runs.dispatcher import Dispatcher, observers
from agentcore.services.records import Owed


@dataclass(frozen=True)
class Recovered:
    """How many runs were ended and how many records delivered."""

    closed: int
    delivered: int


async def recover() -> Recovered:
    """End the orphans of dead owners and deliver what is owed. Safe to run anywhere, any number of times."""
    closed = [run for run in [await arun_abandon(orphan) for orphan in await aorphans()] if run is not None]
    fresh = [await _deliver(await arecord_of(run)) for run in closed]
    late = [await _deliver(owed) for owed in await arecords_owed()]
    return Recovered(closed=len(closed), delivered=sum(fresh) + sum(late))


async def _deliver(owed: Owed) -> bool:
    kept = await Dispatcher(owed.run_id, observers()).end(owed.observation)
    if kept:
        await arun_recorded(owed.run_id)
    return kept

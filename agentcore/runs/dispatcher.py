"""The one dispatcher of records: observers are told after the reply's own path, and never hurt the answer."""

import asyncio
import logging
from collections.abc import Sequence
from uuid import UUID

from agentcore.chat import Route
from agentcore.conf import cleared_with_settings, loaded, steward
from agentcore.errors import AuditUnavailable
from agentcore.observers import ModelCallStarted, Observation, Observer, RunEnded, ToolCallStarted

logger = logging.getLogger(__name__)

# How long observations gather before the observers that nobody waits for are told.
GATHER_S = 0.1
# An observer that takes longer has failed: it must hold up neither an answer nor a recovery for ever.
PATIENCE_S = 30.0

_observers: list[Observer] = []
cleared_with_settings(_observers.clear)


def observers() -> list[Observer]:
    """The site's observers, built once a process."""
    if not _observers:
        _observers.extend(kind() for kind in loaded(steward().OBSERVERS))
    return _observers


class ObserverQueue:
    """What one observer has not been told yet of one run: in order, one batch at a time."""

    def __init__(self, run_id: UUID, observer: Observer) -> None:
        self.run_id, self._observer = run_id, observer
        self._waiting: list[Observation] = []
        self._turn = asyncio.Lock()
        self.dropped = 0

    def add(self, observation: Observation) -> None:
        self._waiting.append(observation)

    async def deliver(self) -> bool:
        """Tell the observer everything that waits; False when it failed, and then nothing is told twice.

        A caller that is cancelled meanwhile undoes nothing: what was taken off the list is told.
        """
        return await asyncio.shield(self._deliver())

    async def _deliver(self) -> bool:
        async with self._turn:
            batch, self._waiting = self._waiting, []
            if not batch:
                return True
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await self._observer.observe(self.run_id, batch)
            except (asyncio.CancelledError, GeneratorExit):
                raise
            except BaseException as error:
                # A record never hurts the answer, and an observer's SystemExit is no reason to end the process. The
                # end of the run is owed and will be delivered again.
                self.dropped += len(batch)
                name = type(self._observer).__name__
                logger.error("%s failed on run %s: %s", name, self.run_id, type(error).__name__, exc_info=error)
                return False
            return True


class Dispatcher:
    """Tells all observers of one run.

    ``asked`` is the route that was asked last, whether it answered or not; ``attempts`` counts how often one was.
    """

    asked: Route | None = None
    attempts = 0

    def __init__(self, run_id: UUID, observing: Sequence[Observer]) -> None:
        self._queues = {observer: ObserverQueue(run_id, observer) for observer in observing}
        self._gathering: asyncio.Task[None] | None = None

    async def observe(self, observation: Observation) -> None:
        """Queue an observation; wait for the observers that must have kept it before the next thing happens.

        Raises:
            AuditUnavailable: with ``AUDIT_MODE="required"``, when a tool with an effect has no record.
        """
        if isinstance(observation, ModelCallStarted):
            self.asked, self.attempts = observation.route, self.attempts + 1
        for queue in self._queues.values():
            queue.add(observation)
        required = _is_required(observation)
        awaited = [
            queue
            for observer, queue in self._queues.items()
            if required or type(observation) in getattr(observer, "awaited", ())
        ]
        kept = [await queue.deliver() for queue in awaited]
        if required and not all(kept):
            raise AuditUnavailable()
        if len(awaited) < len(self._queues) and self._gathering is None:
            self._gathering = asyncio.create_task(self._deliver_later())

    async def end(self, observation: RunEnded) -> bool:
        """Tell everybody that the run ended; True when all have kept it."""
        if self._gathering is not None:
            self._gathering.cancel()
        for queue in self._queues.values():
            queue.add(observation)
        kept = [await queue.deliver() for queue in self._queues.values()]
        for observer, queue in self._queues.items():
            if queue.dropped:
                name = type(observer).__name__
                logger.error("%s has no record of %d observations of run %s.", name, queue.dropped, queue.run_id)
        return all(kept)

    async def _deliver_later(self) -> None:
        await asyncio.sleep(GATHER_S)
        self._gathering = None
        for queue in self._queues.values():
            await queue.deliver()


def _is_required(observation: Observation) -> bool:
    has_effect = isinstance(observation, ToolCallStarted) and observation.effect != "read"
    return has_effect and steward().AUDIT_MODE == "required"

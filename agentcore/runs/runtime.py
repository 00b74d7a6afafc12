"""What a process keeps to execute and show runs: the recorder, the live runs, the engine, the timers."""

import asyncio
import logging
from collections import deque
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from agentcore.bridge import abatches_append, acancels_requested, aleases_renew
from agentcore.conf import steward
from agentcore.events import Event
from agentcore.models import Run
from agentcore.providers.connections import close_connections
from agentcore.runs.engine import InlineEngine
from agentcore.runs.recorder import LiveRun, Recorder
from agentcore.runs.recovery import recover
from agentcore.services.leases import own_owner
from agentcore.services.plans import Plan

logger = logging.getLogger(__name__)

TICK_S = 1.0


class Runtime:
    """One for each event loop; ``runtime()`` finds it."""

    def __init__(self) -> None:
        self.live: dict[UUID, LiveRun] = {}
        # The users whose runs are being opened: they count before they are jobs.
        self.opening: list[Any] = []
        self.recorder = Recorder(abatches_append, coalesce_s=steward().EVENT_COALESCE_MS / 1000)
        self.engine = InlineEngine(self.recorder, self._forget)
        self.owner = own_owner()
        self._timers: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the timers, once: leases, stops that other processes asked for, recovery."""
        if self._timers is None:
            self._timers = asyncio.get_running_loop().create_task(self._tick())

    def execute(self, run: Run, plan: Plan, started: Event) -> None:
        """Show ``run`` from its first event on, and execute it."""
        live = LiveRun(run.id, deque([started], maxlen=steward().EVENT_BUFFER), next_sequence=started.sequence + 1)
        self.live[run.id] = live
        self.engine.start(run, plan, live)

    async def close(self) -> None:
        """Wait for the runs of this process, then end its timers and its upstream connections."""
        await self.engine.drain()
        if self._timers is not None:
            self._timers.cancel()
            await asyncio.gather(self._timers, return_exceptions=True)
        await self.recorder.close()
        await close_connections()

    def _forget(self, run_id: UUID) -> None:
        live = self.live.pop(run_id, None)
        if live is not None:
            live.wake()

    async def _tick(self) -> None:
        ticks_a_renewal = max(1, int(steward().LEASE_SECONDS / 3 / TICK_S))
        ticks_a_recovery = max(1, int(steward().LEASE_SECONDS / 2 / TICK_S))
        tick = 0
        while True:
            try:
                await self._beat(renew=tick % ticks_a_renewal == 0, sweep=tick % ticks_a_recovery == 0)
            except Exception:
                # A database that is away for a moment must not end the heartbeat for ever.
                logger.exception("The heartbeat failed.")
            tick += 1
            await asyncio.sleep(TICK_S)

    async def _beat(self, *, renew: bool, sweep: bool) -> None:
        if self.engine.jobs:
            if renew:
                await aleases_renew(list(self.engine.jobs), owner=self.owner)
            for run_id, reason in await acancels_requested(owner=self.owner):
                self.engine.stop(run_id, reason)
        if sweep:
            await recover()


_runtimes: "WeakKeyDictionary[asyncio.AbstractEventLoop, Runtime]" = WeakKeyDictionary()


def runtime() -> Runtime:
    """The runtime of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _runtimes:
        _runtimes[loop] = Runtime()
    return _runtimes[loop]

"""What a process keeps to execute and show runs: the recorder, the live runs, the engine, the timers."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from agentcore.bridge import abatches_append, acancels_requested, aleases_renew
from agentcore.clock import CLOCK, Clock
from agentcore.conf import steward
from agentcore.events import Event
from agentcore.models import Run
from agentcore.providers.connections import close_connections
from agentcore.runs.assembly import assemble
from agentcore.runs.bus import Bus
from agentcore.runs.engine import Assemble, InlineEngine
from agentcore.runs.recorder import LiveRun, Recorder
from agentcore.runs.recovery import recover
from agentcore.services.leases import own_owner
from agentcore.services.plans import Plan

logger = logging.getLogger(__name__)

# How long a stop that another process was asked for takes at most.
STOPS_S = 1.0


@dataclass(frozen=True)
class Opening:
    """A run that is being opened: whose it is, and the send that it is for."""

    user_id: Any
    send_id: str | None


class Runtime:
    """One for each event loop; ``runtime()`` finds it."""

    def __init__(self, *, clock: Clock = CLOCK) -> None:
        self.live: dict[UUID, LiveRun] = {}
        # Runs that are being opened: they count before they are jobs.
        self.opening: list[Opening] = []
        self.recorder = Recorder(abatches_append, coalesce_s=steward().EVENT_COALESCE_MS / 1000, clock=clock)
        self.bus = Bus(clock=clock)
        self.engine = InlineEngine(self.recorder, self._forget, clock=clock)
        self.owner = own_owner()
        self._clock = clock
        self._timers: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start the timers, once. Each is a task of its own, so that a slow recovery costs no run its lease."""
        if self._timers:
            return
        lease_s = steward().LEASE_SECONDS
        timers = ((lease_s / 3, self.renew_leases), (STOPS_S, self.carry_stops), (lease_s / 2, self.recover))
        loop = asyncio.get_running_loop()
        # A fresh context: the first request starts them, and they inherit nothing of it.
        self._timers = [loop.create_task(self._every(period, work), context=Context()) for period, work in timers]

    async def renew_leases(self) -> None:
        """Extend the leases of the runs that this process works on."""
        if self.engine.jobs:
            await aleases_renew(list(self.engine.jobs), owner=self.owner)

    async def carry_stops(self) -> None:
        """Stop the runs of this process that others were asked to stop."""
        if self.engine.jobs:
            for run_id, reason in await acancels_requested(owner=self.owner):
                self.engine.stop(run_id, reason)

    async def recover(self) -> None:
        """End what dead processes left. What this one works on is its own, however late its renewal."""
        await recover(self.engine.jobs)

    def execute(self, run: Run, plan: Plan, started: Event, answering: Assemble = assemble) -> None:
        """Show ``run`` from its first event on, and have the agent of ``answering`` execute it."""
        live = LiveRun(run.id, deque([started], maxlen=steward().EVENT_BUFFER), next_sequence=started.sequence + 1)
        live.announce = partial(self.bus.announce, run.id)
        self.live[run.id] = live
        self.engine.start(run, plan, live, answering)

    async def close(self) -> None:
        """Wait for the runs of this process, however long they take, then end everything else."""
        await self.engine.drain()
        await self._end()

    async def shut_down(self) -> None:
        """Stop the runs of this process and wait for them a little, then end everything else."""
        await self.engine.shut_down()
        await self._end()

    async def _end(self) -> None:
        for timer in self._timers:
            timer.cancel()
        await asyncio.gather(*self._timers, return_exceptions=True)
        await self.recorder.close()
        await self.bus.close()
        await close_connections()

    def _forget(self, run_id: UUID) -> None:
        live = self.live.pop(run_id, None)
        if live is not None:
            live.wake()

    async def _every(self, period_s: float, work: Callable[[], Awaitable[object]]) -> None:
        """Do ``work`` now, and again ``period_s`` after each time it ended: never twice at once."""
        while True:
            try:
                await work()
            except Exception:
                # A database that is away for a moment must not end a timer for ever.
                logger.exception("A timer failed; it goes on.")
            await self._clock.sleep(period_s)


_runtimes: "WeakKeyDictionary[asyncio.AbstractEventLoop, Runtime]" = WeakKeyDictionary()


def runtime() -> Runtime:
    """The runtime of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _runtimes:
        _runtimes[loop] = Runtime()
    return _runtimes[loop]

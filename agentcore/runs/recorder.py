"""Store, then show: every event of every run of this process goes through one recorder.

Deltas of a message are merged for ``EVENT_COALESCE_MS``, its text and its reasoning each on its own; everything else
is written at once, and so is the first delta of either. Each run is due on its own, and runs that are due together
share a transaction. While one batch is being committed the next one gathers, so load makes batches larger instead of
making the database slower. An event reaches a reader only after its commit.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias
from uuid import UUID

from django.db import InterfaceError, OperationalError

from agentcore.clock import CLOCK, Clock
from agentcore.events import DELTAS, Event, EventType
from agentcore.services.events import RunBatch, Write

logger = logging.getLogger(__name__)

MAX_COALESCE_S = 0.2
RETRIES = 3
# A lock, a connection that broke: the database may take the same batch a moment later.
TRANSIENT = (OperationalError, InterfaceError)


DeltaKey: TypeAlias = tuple[EventType, str]


class RecorderClosed(Exception):
    """The process ends: nothing more is stored by it."""


@dataclass
class Pending:
    """An event that is not written yet; the texts of a delta are joined when it is."""

    type: EventType
    data: dict[str, Any]
    created_at: datetime
    texts: list[str] | None = None

    def settled_data(self) -> dict[str, Any]:
        return self.data if self.texts is None else self.data | {"text": "".join(self.texts)}


@dataclass(eq=False)
class LiveRun:
    """A run that this process executes: the newest committed events, and what waits to be committed.

    ``events`` holds at most ``EVENT_BUFFER`` events; a reader that is further behind reads the database.
    """

    run_id: UUID
    events: deque[Event]
    next_sequence: int = 0
    pending: list[Pending] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    # Messages that began, and their deltas to which more may be joined: those since the last event that is none.
    begun: set[DeltaKey] = field(default_factory=set)
    open_deltas: dict[DeltaKey, list[str]] = field(default_factory=dict)
    # When what waits must be committed, on the recorder's clock.
    due_s: float = 0.0
    failure: Exception | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    on_failure: Callable[[], None] = lambda: None
    # Wakes the readers in other processes.
    announce: Callable[[], None] = lambda: None

    def since(self, sequence: int) -> list[Event] | None:
        """The committed events after ``sequence``, or None when the buffer no longer reaches back that far."""
        # A reader may ask for what comes after any number, also one that no counter of Python's holds.
        skipped = min(sequence + 1 - self.events[0].sequence, len(self.events))
        return None if skipped < 0 else list(islice(self.events, skipped, None))

    def wake(self) -> None:
        """Wake every reader that waits now."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()
        self.announce()


class Recorder:
    """Gathers what runs emit, commits it in groups, then wakes the readers."""

    def __init__(
        self,
        append: Callable[[list[RunBatch]], Awaitable[None]],
        *,
        coalesce_s: float,
        clock: Clock = CLOCK,
    ) -> None:
        self._append, self._coalesce_s, self._clock = append, coalesce_s, clock
        # The runs that have something to commit, and what is being committed.
        self._dirty: dict[UUID, LiveRun] = {}
        self._in_flight: list[_Group] = []
        self._sooner = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._last_commit_s = 0.0

    def emit(self, live: LiveRun, type: EventType, data: dict[str, Any]) -> None:
        """Take one event. Never waits; deltas of one message are merged until the next commit.

        A run that lost its journal writes nothing more: what it says now would have a hole before it.
        """
        if live.failure is not None:
            return
        if type in DELTAS:
            # The first delta of a message is never held back.
            in_s = 0.0 if self._add_delta(live, type, data) else self._coalescing_s()
        else:
            live.pending.append(Pending(type, data, self._clock.now()))
            live.open_deltas.clear()
            in_s = 0.0
        self._schedule(live, in_s)

    async def commit(self, live: LiveRun, *writes: Write) -> None:
        """Return once everything that ``live`` emitted is stored, with ``writes`` in the same transaction.

        Raises:
            Exception: what the database said; nothing of this batch was stored.
        """
        if live.failure is not None:
            raise live.failure
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        live.writes.extend(writes)
        live.waiting.append(done)
        self._schedule(live, 0.0)
        await done

    async def close(self) -> None:
        """End the work; whoever still waits is told."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def _add_delta(self, live: LiveRun, type: EventType, data: dict[str, Any]) -> bool:
        """Merge a delta into what waits; True when it is the first of its message."""
        key = type, data["message_id"]
        if key in live.open_deltas:
            live.open_deltas[key].append(data["text"])
        else:
            live.open_deltas[key] = [data["text"]]
            live.pending.append(Pending(type, data, self._clock.now(), live.open_deltas[key]))
        is_first = key not in live.begun
        live.begun.add(key)
        return is_first

    def _coalescing_s(self) -> float:
        # A commit that takes long is a sign of load: larger, rarer batches are the cure.
        return max(self._coalesce_s, min(MAX_COALESCE_S, 2 * self._last_commit_s))

    def _schedule(self, live: LiveRun, in_s: float) -> None:
        """Have what waits of ``live`` committed in ``in_s`` seconds, unless it is due before that."""
        due_s = self._clock.monotonic() + in_s
        if live.run_id in self._dirty and live.due_s <= due_s:
            return
        live.due_s = due_s
        self._dirty[live.run_id] = live
        self._sooner.set()
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work(), context=Context())

    async def _work(self) -> None:
        while True:
            try:
                await self._commit(await self._due())
            except asyncio.CancelledError:
                self._lose_all(RecorderClosed())
                raise
            except Exception as error:
                # Nobody may wait for ever for a fault of ours, and what other runs say next is still to be stored.
                logger.error("The recorder failed: %s", type(error).__name__, exc_info=error)
                self._lose_all(error)

    async def _due(self) -> list[LiveRun]:
        """The runs whose time has come, taken off the list; waits until there is one."""
        while True:
            self._sooner.clear()
            now_s = self._clock.monotonic()
            due = [live for live in self._dirty.values() if live.due_s <= now_s]
            if due:
                for live in due:
                    del self._dirty[live.run_id]
                return due
            await self._wait(min((live.due_s - now_s for live in self._dirty.values()), default=None))

    async def _wait(self, wait_s: float | None) -> None:
        """Until ``wait_s`` have passed, or a run is due sooner than any was."""
        alarm = None if wait_s is None else asyncio.create_task(self._ring(wait_s))
        try:
            await self._sooner.wait()
        finally:
            if alarm is not None:
                alarm.cancel()

    async def _ring(self, in_s: float) -> None:
        await self._clock.sleep(in_s)
        self._sooner.set()

    async def _commit(self, due: list[LiveRun]) -> None:
        self._in_flight = [_Group.take(live) for live in due]
        for group in self._in_flight:
            # What gathered behind a batch that was lost has a hole before it.
            if group.live.failure is not None:
                group.lost(group.live.failure)
        began_s = self._clock.monotonic()
        await self._write([group for group in self._in_flight if group.live.failure is None])
        self._in_flight = []
        self._last_commit_s = self._clock.monotonic() - began_s

    async def _write(self, groups: list["_Group"]) -> None:
        try:
            await self._append_patiently(groups)
        except Exception as error:
            if len(groups) == 1:
                groups[0].lost(error)
                return
            # One run's fault must not cost another its events.
            for group in groups:
                await self._write([group])
            return
        for group in groups:
            group.stored()

    async def _append_patiently(self, groups: list["_Group"]) -> None:
        batches = [group.batch for group in groups]
        for attempt in range(RETRIES):
            try:
                await self._append(batches)
            except TRANSIENT:
                await self._clock.sleep(0.1 * 2**attempt)
            else:
                return
        await self._append(batches)

    def _lose_all(self, error: Exception) -> None:
        lost = [*self._in_flight, *(_Group.take(live) for live in self._dirty.values())]
        self._in_flight, self._dirty = [], {}
        for group in lost:
            group.lost(error)


@dataclass(frozen=True)
class _Group:
    """What was taken from one run for one commit, and who waits for it."""

    live: LiveRun
    first_sequence: int
    pending: list[Pending]
    writes: list[Write]
    waiting: list[asyncio.Future[None]]

    @classmethod
    def take(cls, live: LiveRun) -> "_Group":
        group = cls(live, live.next_sequence, live.pending, live.writes, live.waiting)
        live.next_sequence += len(live.pending)
        live.pending, live.writes, live.waiting, live.open_deltas = [], [], [], {}
        return group

    @cached_property
    def batch(self) -> RunBatch:
        run_id, writes = self.live.run_id, self.writes
        numbered = enumerate(self.pending, self.first_sequence)
        events = [Event(run_id, number, item.type, item.created_at, item.settled_data()) for number, item in numbered]
        return RunBatch(run_id, events, writes)

    def stored(self) -> None:
        self.live.events.extend(self.batch.events)
        self.live.wake()
        for done in self.waiting:
            if not done.done():
                done.set_result(None)

    def lost(self, error: Exception) -> None:
        is_news, self.live.failure = self.live.failure is None, error
        for done in self.waiting:
            if not done.done():
                done.set_exception(error)
        # Once: whoever was told ends the run, and must not be disturbed at that.
        if is_news and not self.waiting:
            self.live.on_failure()

"""Store, then show: every event of every run of this process goes through one recorder.

Text deltas are merged for ``EVENT_COALESCE_MS``; everything else is written at once, and so is the first delta of a
message. While one batch is being committed the next one gathers, so load makes batches larger instead of making the
database slower. An event reaches a reader only after its commit.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from agentcore.clock import CLOCK, Clock
from agentcore.events import DELTAS, Event, EventType
from agentcore.services.events import RunBatch, Write

MAX_COALESCE_S = 0.2
RETRIES = 3


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
    open_delta: str | None = None
    failure: Exception | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    on_failure: Callable[[], None] = lambda: None

    def since(self, sequence: int) -> list[Event] | None:
        """The committed events after ``sequence``, or None when the buffer no longer reaches back that far."""
        skipped = sequence + 1 - self.events[0].sequence
        return None if skipped < 0 else list(islice(self.events, skipped, None))

    def wake(self) -> None:
        """Wake every reader that waits now."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


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
        self._dirty: dict[UUID, LiveRun] = {}
        self._urgent = asyncio.Event()
        self._any = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._last_commit_s = 0.0

    def emit(self, live: LiveRun, type: EventType, data: dict[str, Any]) -> None:
        """Take one event. Never waits; deltas of one message are merged until the next commit.

        A run that lost its journal writes nothing more: what it says now would have a hole before it.
        """
        if live.failure is not None:
            return
        if type in DELTAS:
            self._emit_delta(live, type, data)
        else:
            live.pending.append(Pending(type, data, self._clock.now()))
            live.open_delta = None
            self._urgent.set()
        self._mark(live)

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
        self._urgent.set()
        self._mark(live)
        await done

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def _emit_delta(self, live: LiveRun, type: EventType, data: dict[str, Any]) -> None:
        last = live.pending[-1] if live.pending else None
        if last is not None and last.texts is not None and last.type is type and _same_message(last, data):
            last.texts.append(data["text"])
            return
        live.pending.append(Pending(type, data, self._clock.now(), [data["text"]]))
        key = f"{type} {data['message_id']}"
        if live.open_delta != key:
            # The first delta of a message is never held back.
            live.open_delta = key
            self._urgent.set()

    def _mark(self, live: LiveRun) -> None:
        self._dirty[live.run_id] = live
        self._any.set()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while True:
            await self._any.wait()
            await self._until_due()
            self._any.clear()
            self._urgent.clear()
            taken, self._dirty = list(self._dirty.values()), {}
            began = self._clock.monotonic()
            await self._write([_Group.take(live) for live in taken])
            self._last_commit_s = self._clock.monotonic() - began

    async def _until_due(self) -> None:
        if self._urgent.is_set():
            return
        # A commit that takes long is a sign of load: larger, rarer batches are the cure.
        coalesce_s = max(self._coalesce_s, min(MAX_COALESCE_S, 2 * self._last_commit_s))
        try:
            async with asyncio.timeout(coalesce_s):
                await self._urgent.wait()
        except TimeoutError:
            return

    async def _write(self, groups: list["_Group"]) -> None:
        try:
            await self._append([group.batch for group in groups])
        except Exception as error:
            if len(groups) == 1:
                await self._write_again(groups[0], error)
                return
            # One run's fault must not cost another its events.
            for group in groups:
                await self._write([group])
            return
        for group in groups:
            group.stored()

    async def _write_again(self, group: "_Group", error: Exception) -> None:
        for attempt in range(RETRIES):
            if not is_transient(error):
                break
            await self._clock.sleep(0.1 * 2**attempt)
            try:
                await self._append([group.batch])
            except Exception as again:
                error = again
            else:
                group.stored()
                return
        group.lost(error)


def is_transient(error: Exception) -> bool:
    """Whether the database may take the same batch a moment later: a lock, a connection that broke."""
    return type(error).__name__ in {"OperationalError", "InterfaceError"}


def _same_message(pending: Pending, data: dict[str, Any]) -> bool:
    return bool(pending.data["message_id"] == data["message_id"])


@dataclass(frozen=True)
class _Group:
    """What was taken from one run for one commit, and who waits for it."""

    live: LiveRun
    batch: RunBatch
    waiting: list[asyncio.Future[None]]

    @classmethod
    def take(cls, live: LiveRun) -> "_Group":
        pending, live.pending = live.pending, []
        writes, live.writes = live.writes, []
        waiting, live.waiting = live.waiting, []
        events = [
            Event(live.run_id, live.next_sequence + index, item.type, item.created_at, item.settled_data())
            for index, item in enumerate(pending)
        ]
        live.next_sequence += len(events)
        return cls(live, RunBatch(live.run_id, events, writes), waiting)

    def stored(self) -> None:
        self.live.events.extend(self.batch.events)
        self.live.wake()
        for done in self.waiting:
            if not done.done():
                done.set_result(None)

    def lost(self, error: Exception) -> None:
        self.live.failure = error
        for done in self.waiting:
            if not done.done():
                done.set_exception(error)
        if not self.waiting:
            self.live.on_failure()

"""The bus between processes: a message wakes who reads a run that another process executes, and carries nothing."""

import asyncio
import logging
from collections.abc import Coroutine
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from channels.layers import InMemoryChannelLayer, get_channel_layer

from agentcore.clock import CLOCK, Clock

logger = logging.getLogger(__name__)

# A run is announced at most this often; what comes meanwhile is announced together.
EVERY_S = 0.1
# Who cannot join in this time reads by the clock.
JOIN_S = 1.0


@dataclass(eq=False)
class Watch:
    """A reader of a run of another process; ``changed`` is set by the next wake-up."""

    run_id: UUID
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


class Bus:
    """One for each runtime. A wake-up that is lost is a delay: readers look at the database by the clock as well."""

    def __init__(self, *, clock: Clock = CLOCK) -> None:
        self._clock = clock
        self._watches: dict[UUID, set[Watch]] = {}
        self._announcing: dict[UUID, asyncio.Task[None]] = {}
        self._again: set[UUID] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._channel = ""
        self._is_known_broken = False

    def announce(self, run_id: UUID) -> None:
        """Wake the readers of ``run_id`` in other processes. Never waits."""
        if _layer() is None:
            return
        if run_id in self._announcing:
            self._again.add(run_id)
        else:
            self._announcing[run_id] = _start(self._announce(run_id))

    async def join(self, watch: Watch) -> None:
        """Have ``watch`` woken from now on."""
        layer = _layer()
        if layer is None:
            return
        self._watches.setdefault(watch.run_id, set()).add(watch)
        try:
            async with asyncio.timeout(JOIN_S):
                if self._listening is None:
                    self._channel = await layer.new_channel()
                    self._listening = _start(self._listen(layer))
                await layer.group_add(_group_of(watch.run_id), self._channel)
        except Exception as error:
            self._failed(error)

    def leave(self, watch: Watch) -> None:
        watches = self._watches.get(watch.run_id, set())
        watches.discard(watch)
        if not watches and self._watches.pop(watch.run_id, None) is not None:
            self._leaving.add(task := _start(self._discard(watch.run_id)))
            task.add_done_callback(self._leaving.discard)

    async def close(self) -> None:
        tasks = [*self._announcing.values(), *self._leaving, *([self._listening] if self._listening else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _announce(self, run_id: UUID) -> None:
        try:
            is_due = True
            while is_due:
                self._again.discard(run_id)
                await _layer().group_send(_group_of(run_id), {"type": "run.changed", "run_id": str(run_id)})
                await self._clock.sleep(EVERY_S)
                is_due = run_id in self._again
        except Exception as error:
            self._failed(error)
        finally:
            self._again.discard(run_id)
            del self._announcing[run_id]

    async def _listen(self, layer: Any) -> None:
        while True:
            try:
                message = await layer.receive(self._channel)
            except Exception as error:
                self._failed(error)
                await self._clock.sleep(JOIN_S)
                continue
            for watch in self._watches.get(UUID(message["run_id"]), ()):
                watch.wake()

    async def _discard(self, run_id: UUID) -> None:
        try:
            await _layer().group_discard(_group_of(run_id), self._channel)
        except Exception as error:
            # The membership expires by itself.
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        if not self._is_known_broken:
            self._is_known_broken = True
            logger.error("The channel layer wakes nobody: %s", type(error).__name__, exc_info=error)


def _layer() -> Any:
    """The site's channel layer, or None when it reaches no other process."""
    layer = get_channel_layer()
    return None if type(layer) is InMemoryChannelLayer else layer


def _group_of(run_id: UUID) -> str:
    return f"steward.run.{run_id.hex}"


def _start(work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
    return asyncio.get_running_loop().create_task(work, context=Context())

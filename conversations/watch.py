"""The watch: closes the sockets of this process whose login has ended, within seconds and without a command."""

import asyncio
import logging
from typing import Protocol

from agentcore.clock import CLOCK, Clock
from conversations.bridge import alogins_ended

logger = logging.getLogger(__name__)

# The contract gives 5 seconds; the rest is for the check itself.
EVERY_S = 3.5


class Watched(Protocol):
    """A socket."""

    login: str

    async def login_ended(self) -> None: ...


class Watch:
    """One task for all sockets of an event loop; it lives while there are any."""

    def __init__(self, clock: Clock = CLOCK) -> None:
        self._clock = clock
        self._sockets: set[Watched] = set()
        self._task: asyncio.Task[None] | None = None

    def add(self, socket: Watched) -> None:
        self._sockets.add(socket)
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._task = loop.create_task(self._look_again_and_again())

    def remove(self, socket: Watched) -> None:
        self._sockets.discard(socket)
        if not self._sockets and self._task is not None:
            self._task.cancel()
            self._task = None

    async def look(self) -> None:
        """Check every login once, and close the sockets of those that have ended."""
        ended = await alogins_ended({socket.login for socket in self._sockets})
        for socket in [socket for socket in self._sockets if socket.login in ended]:
            await socket.login_ended()

    async def _look_again_and_again(self) -> None:
        while True:
            await self._clock.sleep(EVERY_S)
            try:
                await self.look()
            except Exception:
                # A database that is away for a moment must not end the watch for ever.
                logger.exception("The logins of open sockets could not be checked.")


WATCH = Watch()

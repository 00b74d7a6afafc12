"""Patience: how long one call may wait, as a context manager around it."""

import asyncio
from types import TracebackType
from typing import Self

from agentcore.errors import ProviderTimeout
from agentcore.providers.spec import Timeouts


class Patience:
    """First for the first token, then for each next byte, and for the whole call.

    ``progressed`` is called for each chunk and is cheap: the timer is only moved when that makes a difference.

    Raises (on leaving):
        ProviderTimeout: it ran out. ``details`` tells which limit it was.
    """

    def __init__(self, timeouts: Timeouts, total_s: float | None) -> None:
        limits = [limit for limit in (timeouts.total_s, total_s) if limit is not None]
        self._timeouts, self._total_s = timeouts, min(limits, default=None)
        self._timer = asyncio.timeout(None)
        self._loop = asyncio.get_running_loop()
        self._ends_at = float("inf")
        self._moved_at = 0.0
        self._limit = "first_token"

    async def __aenter__(self) -> Self:
        now = self._loop.time()
        if self._total_s is not None:
            self._ends_at = now + self._total_s
        await self._timer.__aenter__()
        self._move(now, self._timeouts.first_token_s)
        return self

    def progressed(self) -> None:
        now = self._loop.time()
        if self._limit == "idle" and now - self._moved_at < self._timeouts.idle_s / 20:
            return
        self._limit = "idle"
        self._move(now, self._timeouts.idle_s)

    def _move(self, now: float, seconds: float) -> None:
        self._moved_at = now
        self._timer.reschedule(min(now + seconds, self._ends_at))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self._timer.__aexit__(kind, error, traceback)
        except TimeoutError:
            ran_out = True
        else:
            ran_out = False
        if ran_out:
            whole = self._loop.time() >= self._ends_at
            raise ProviderTimeout(details={"limit": "total" if whole else self._limit})

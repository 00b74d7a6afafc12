"""Time, as something that a test can replace."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What the kernel needs of time. ``agentcore.testing.ManualClock`` is the fake."""

    def now(self) -> datetime:
        """The wall clock, aware, in UTC: for what is stored."""

    def monotonic(self) -> float:
        """Seconds that never go backwards: for durations and deadlines."""

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


CLOCK: Clock = SystemClock()

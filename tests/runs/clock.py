"""A clock whose sleepers sleep until the test lets the time pass."""

import asyncio

from agentcore.testing import ManualClock


class SteppedClock(ManualClock):
    """Sleeping takes the time that ``passes``; it never moves by itself."""

    def __init__(self) -> None:
        super().__init__()
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        sleeper = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.monotonic() + seconds, sleeper))
        await sleeper

    async def passes(self, seconds: float, *, step_s: float = 0.005) -> None:
        """Let ``seconds`` pass in small steps, and everybody who woke do what they can."""
        for _ in range(round(seconds / step_s)):
            self.advance(step_s)
            due = [sleeper for until_s, sleeper in self._sleepers if until_s <= self.monotonic() + 1e-9]
            self._sleepers = [item for item in self._sleepers if item[1] not in due and not item[1].done()]
            for sleeper in due:
                sleeper.done() or sleeper.set_result(None)
            await settled()


async def settled() -> None:
    """Let every task do what it can without time passing."""
    for _ in range(10):
        await asyncio.sleep(0)

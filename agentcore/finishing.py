"""Finishing: work that comes to its own end although the task that waits for it is stopped."""

import asyncio
from collections.abc import Coroutine
from typing import Any

# The event loop itself holds a task only weakly.
_going_on: set[asyncio.Task[None]] = set()


async def finished(
    work: Coroutine[Any, Any, None], *, grace_s: float | None = None, stop: asyncio.CancelledError | None = None
) -> None:
    """Wait until ``work`` has come to its own end, however often this task is stopped meanwhile; then stop.

    ``stop`` is one that came before. After a stop it waits ``grace_s`` at most, and ``work`` goes on behind it.

    Raises:
        Exception: what ``work`` raised, when nothing stopped this task.
    """
    task = asyncio.ensure_future(work)
    _going_on.add(task)
    task.add_done_callback(_going_on.discard)
    while not task.done():
        try:
            _, unfinished = await asyncio.wait({task}, timeout=None if stop is None else grace_s)
        except asyncio.CancelledError as error:
            stop = error
        else:
            if unfinished:
                break
    if stop is not None:
        raise stop
    task.result()

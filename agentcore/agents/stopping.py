"""The three ways to stop, as three types that are never mixed.

A *reply instead* is a run layer that returns a response without ``call_next``: the run ends normally with that text.
A *termination* is ``Termination``, raised by a tool or a function layer: this call's result stands, the remaining
calls are settled as cancelled, and the model is not called again. A *cancellation* is ``asyncio.CancelledError``,
because the person pressed stop: it alone propagates through every layer.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from agentcore.tools import ToolResult


class Termination(Exception):
    """Ends the tool loop with ``result`` as this call's result; ``reply`` is what the person reads, if anything."""

    def __init__(self, result: ToolResult, *, reply: str = "") -> None:
        super().__init__(reply)
        self.result = result
        self.reply = reply


async def finished(work: Coroutine[Any, Any, None]) -> None:
    """Wait until ``work`` has come to its own end, however often this task is stopped meanwhile; then stop."""
    task = asyncio.ensure_future(work)
    stop: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            stop = error
    task.result()
    if stop is not None:
        raise stop

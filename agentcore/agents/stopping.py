"""The three ways to stop, as three types that are never mixed.

A *reply instead* is a run layer that returns a response without ``call_next``: the run ends normally with that text.
A *termination* is ``Termination``, raised by a tool or a function layer: this call's result stands, the remaining
calls are settled as cancelled, and the model is not called again. A *cancellation* is ``asyncio.CancelledError``,
because the person pressed stop: it alone propagates through every layer.
"""

from agentcore.tools import ToolResult


class Termination(Exception):
    """Ends the tool loop with ``result`` as this call's result; ``reply`` is what the person reads, if anything."""

    def __init__(self, result: ToolResult, *, reply: str = "") -> None:
        super().__init__(reply)
        self.result = result
        self.reply = reply

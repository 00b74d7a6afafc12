"""One shape of layer for runs, model calls and tool calls: ``async def layer(call, call_next) -> result``."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

Call = TypeVar("Call")
Result = TypeVar("Result")

Handler = Callable[[Call], Awaitable[Result]]
# A layer may change the call, answer without ``call_next``, look at the result, or raise. It never swallows
# ``asyncio.CancelledError``.
Layer = Callable[..., Awaitable[Any]]


def compose(layers: Sequence[Layer], handler: Handler[Call, Result]) -> Handler[Call, Result]:
    """Nest ``layers`` around ``handler``; the first is outermost."""
    for layer in reversed(layers):
        handler = partial(layer, call_next=handler)
    return handler

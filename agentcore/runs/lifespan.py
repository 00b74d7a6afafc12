"""The start of a process: its timers begin with the first connection, since Daphne knows no lifespan."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from agentcore.runs.runtime import runtime

Application = Callable[[Any, Any, Any], Awaitable[None]]


def with_timers(application: Application) -> Application:
    """``application``, with the runtime of its event loop started before the first scope is served."""

    @wraps(application)
    async def served(scope: Any, receive: Any, send: Any) -> None:
        runtime().start()
        await application(scope, receive, send)

    return served

"""The life of a process that serves runs. Daphne knows no lifespan: it begins with the first connection, and ends
before the reactor does.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any
from weakref import WeakSet

from twisted.internet.defer import Deferred

from agentcore.runs.runtime import Runtime, runtime

Application = Callable[[Any, Any, Any], Awaitable[None]]

_drained: "WeakSet[Runtime]" = WeakSet()


def with_timers(application: Application) -> Application:
    """``application``, with the runtime of its event loop started before the first scope is served.

    A stop of Daphne ends the runs that are under way, and waits for them a little.
    """

    @wraps(application)
    async def served(scope: Any, receive: Any, send: Any) -> None:
        process = runtime()
        process.start()
        _drain_before_shutdown(process)
        await application(scope, receive, send)

    return served


def _drain_before_shutdown(process: Runtime) -> None:
    # Never imported here: under another server that would install a reactor.
    reactor: Any = sys.modules.get("twisted.internet.reactor")
    if process in _drained or not getattr(reactor, "running", False):
        return
    _drained.add(process)
    reactor.addSystemEventTrigger("before", "shutdown", _drain, process)


def _drain(process: Runtime) -> "Deferred[None]":
    return Deferred.fromFuture(asyncio.ensure_future(process.shut_down()))

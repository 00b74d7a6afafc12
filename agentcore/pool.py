"""The border between async code and the database: bounded threads of our own, one line a crossing.

``asgiref`` gives each request context a thread and a connection of its own; a thousand runs would open a thousand.
Here every crossing goes through a small pool. On SQLite all writes go through one thread, so that they queue here,
in order, instead of in the file's lock.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial, wraps
from threading import Barrier, Semaphore, Thread, current_thread
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connection, connections
from django.utils import translation
from django.utils.translation import get_language

P = ParamSpec("P")
R = TypeVar("R")

logger = logging.getLogger(__name__)

READERS, ERRANDS = 8, 2


class Pool:
    """Threads that hold database connections."""

    def __init__(self, threads: int, name: str) -> None:
        self._threads, self._name = threads, name
        self._executor: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[[], R]) -> "Future[R]":
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._threads, thread_name_prefix=self._name)
        return self._executor.submit(_with_fresh_connections, work)

    def close(self) -> None:
        """End the threads and their connections; the next crossing starts new ones."""
        if self._executor is None:
            return
        executor, self._executor = self._executor, None
        # All threads meet before any goes on, so that each of them closes its own and none closes twice.
        meeting = Barrier(self._threads)
        for closing in [executor.submit(_close_own_connections, meeting) for _ in range(self._threads)]:
            closing.result()
        executor.shutdown(wait=True)


def _in_language(language: str | None, work: Callable[[], R]) -> R:
    """A thread has no language of its own: what it says to a person is said in that of its caller."""
    with translation.override(language):
        return work()


def _with_fresh_connections(work: Callable[[], R]) -> R:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()


def _close_own_connections(meeting: Barrier) -> None:
    connections.close_all()
    meeting.wait()


class Errands:
    """Work that nobody waits for, a few at a time. The end of the process does not wait for it either."""

    def __init__(self, at_once: int) -> None:
        self._turns, self._threads = Semaphore(at_once), set[Thread]()

    def submit(self, work: Callable[[], object]) -> None:
        thread = Thread(target=self._carried_out, args=(work,), name="steward-errand", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _carried_out(self, work: Callable[[], object]) -> None:
        try:
            with self._turns:
                _with_fresh_connections(work)
        finally:
            connections.close_all()
            self._threads.discard(current_thread())

    def close(self) -> None:
        """Wait for what is under way."""
        for thread in list(self._threads):
            thread.join()


_readers = Pool(READERS, "steward-db")
_writer = Pool(1, "steward-writer")
_errands = Errands(ERRANDS)


def _crossing(pool: Callable[[], Pool], function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    @wraps(function)
    async def crossed(*args: P.args, **kwargs: P.kwargs) -> R:
        work = partial(_in_language, get_language(), partial(function, *args, **kwargs))
        return await asyncio.wrap_future(pool().submit(work))

    return crossed


def in_pool(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """``function``, which reads the database, as a coroutine function."""
    return _crossing(lambda: _readers, function)


def _carried_out(crossing: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """``crossing``, which goes on when its caller is cancelled."""

    @wraps(crossing)
    async def shielded(*args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.shield(crossing(*args, **kwargs))

    return shielded


def in_writer(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """``function``, which writes one whole unit, as a coroutine function.

    A cancelled caller does not undo the write: what was submitted is carried out.
    """
    return _carried_out(_crossing(lambda: _writer if connection.vendor == "sqlite" else _readers, function))


def in_background(work: Callable[[], object]) -> None:
    """Have ``work`` done soon, on another thread, for nobody who waits. What it raises is logged.

    A process that ends leaves it where it is: a provider that hangs must not keep it.
    """
    _errands.submit(partial(_in_language, get_language(), partial(_logged, work)))


def _logged(work: Callable[[], object]) -> None:
    try:
        work()
    except Exception:
        # Nobody looks at the future of an errand.
        logger.exception("An errand in the background failed.")


def close_pools() -> None:
    """End all threads: at shutdown, and between a test database and the next."""
    _readers.close()
    _writer.close()
    _errands.close()

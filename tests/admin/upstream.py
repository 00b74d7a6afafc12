"""A fake upstream for synchronous tests: it serves from a thread of its own."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.fake_upstream import Answer, FakeUpstream, Received


@contextmanager
def served(answers: Callable[[Received], Answer]) -> Iterator[FakeUpstream]:
    """The upstream, until the block ends."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    upstream = FakeUpstream(answers, strict=False)
    try:
        asyncio.run_coroutine_threadsafe(upstream.__aenter__(), loop).result(10)
        yield upstream
    finally:
        asyncio.run_coroutine_threadsafe(upstream.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def replied(payload: Any, status: int = 200) -> Answer:
    """A JSON answer; ``payload`` may be bytes of anything else."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return Answer(status=status, headers={"content-type": "application/json"}, writes=[body])

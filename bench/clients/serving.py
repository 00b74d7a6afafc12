"""The process of a client: for each question on its input it asks a model, and says what it made of the answer."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench.clients.yielded import Yielded

GIVE_UP_S = 10


@dataclass(frozen=True)
class Question:
    """``address`` is without a path. ``stream`` says whether the answer is asked for as a stream."""

    api: str
    address: str
    stream: bool


Ask = Callable[[Question], Awaitable[Yielded]]


async def _answer(ask: Ask, question: Question) -> Yielded:
    try:
        async with asyncio.timeout(GIVE_UP_S):
            return await ask(question)
    except Exception as error:  # A client's error is an outcome, whatever its type.
        return Yielded(error=f"{type(error).__name__}: {error}"[:300])


async def _serve(ask: Ask) -> None:
    # What a library prints must not be taken for an answer of ours.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        while line := sys.stdin.readline():
            print(json.dumps(await _answer(ask, Question(**json.loads(line)))), file=out, flush=True)


def serve(ask: Ask) -> None:
    asyncio.run(_serve(ask))

"""The process of a subject: for each address on its input it reads one answer, and says what that took it.

The processor time is that of the whole process, its threads included, as the system counts it.
"""

import asyncio
import json
import os
import resource
import sys
from collections.abc import Awaitable, Callable

# Reads the answer at an address; the number of characters of its text.
Read = Callable[[str], Awaitable[int]]


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def _serve(read: Read) -> None:
    # What a library prints must not be taken for an answer of ours.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        while address := sys.stdin.readline().strip():
            began = _cpu_s()
            characters = await read(address)
            print(json.dumps({"cpu_s": _cpu_s() - began, "characters": characters}), file=out, flush=True)


def serve(read: Read) -> None:
    asyncio.run(_serve(read))

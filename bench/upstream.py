"""The fake upstream of the benchmarks: a process that answers at once, each event in a chunk of its own.

It prints its port and lives until its input ends. The first part of a path is the number of deltas, its end tells
the wire: ``POST /2000/v1/chat/completions``.
"""

import asyncio
import sys
from functools import cache

from bench.answers import ANSWERS

WIRES = {
    "/chat/completions": "openai_chat",
    "/responses": "openai_responses",
    "/messages": "anthropic",
    "/api/chat": "ollama",
}
TYPES = {"ollama": "application/x-ndjson"}


@cache
def response(wire: str, deltas: int) -> bytes:
    """The whole response, made once: so that the upstream is never what a subject waits for."""
    _texts, events = ANSWERS[wire](deltas)
    content_type = TYPES.get(wire, "text/event-stream")
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
    return head.encode() + b"".join(b"%x\r\n%s\r\n" % (len(event), event) for event in events) + b"0\r\n\r\n"


def asked(path: str) -> tuple[str, int]:
    """The wire and the number of deltas that a path names."""
    wire = next(wire for ending, wire in WIRES.items() if path.endswith(ending))
    return wire, int(path.split("/")[1])


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            lengths = [line.partition(":")[2] for line in head.split("\r\n") if line.startswith("content-length:")]
            await reader.readexactly(int(lengths[0]))
            writer.write(response(*asked(head.split(" ")[1].partition("?")[0])))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())

"""A scriptable HTTP upstream on loopback: it answers each request with given byte writes.

    async with FakeUpstream([Answer(writes=[b"data: [DONE]\\n\\n"])]) as upstream:
        spec = ProviderSpec(provider_id="fake", provider_type="openai_chat", base_url=upstream.base_url)

Each connection serves one request after another, so that keep-alive can be seen (``connections``). After the last
answer the last one comes again.
"""

import asyncio
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Answer:
    """``writes`` go out one after the other; ``end`` is ``close`` (chunked and clean), ``reset`` or ``hang``.

    ``pause_s`` passes before each write. A ``refusal`` drops the connection before any answer.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    writes: Sequence[bytes] = ()
    end: str = "close"
    pause_s: float = 0
    refusal: bool = False


@dataclass(frozen=True)
class Received:
    """A request as it came: its line, its headers in lower case, its body."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> bytes:
    """One event of an OpenAI chat stream."""
    choices = [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    return b"data: " + json.dumps({"choices": choices} | fields).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def said(*texts: str, finish: str = "stop", **fields: Any) -> Answer:
    """A whole streamed answer of those text deltas."""
    return Answer(writes=[*(chunk({"content": text}) for text in texts), chunk(finish=finish, **fields), DONE])


def called(*calls: tuple[str, str, str]) -> Answer:
    """A whole streamed answer of tool calls, each ``(id, name, arguments)``."""
    fragments = [
        {"index": number, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (call_id, name, arguments) in enumerate(calls)
    ]
    return Answer(writes=[chunk({"tool_calls": fragments}), chunk(finish="tool_calls"), DONE])


def unpaired(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a strict server would refuse in a history, a sentence each: calls without result, results without call."""
    found: list[str] = []
    owed: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            known = message["tool_call_id"] in owed
            found += [] if known else [f"a result for {message['tool_call_id']} that nobody called"]
            owed = [call_id for call_id in owed if call_id != message["tool_call_id"]]
            continue
        found += [f"no result for {call_id}" for call_id in owed]
        owed = [call["id"] for call in message.get("tool_calls") or ()]
        found += [f"the id {call_id} twice" for call_id in {*owed} if owed.count(call_id) > 1]
    return found + [f"no result for {call_id}" for call_id in owed]


class FakeUpstream:
    """The server. ``requests`` are what came; ``aborted`` counts clients that left in the middle of an answer,
    and ``left`` is set when one did.

    ``answers`` may be a function of the request, for an upstream that decides. With ``strict``, a request whose
    messages are not paired is refused with 400, as hosted models do.
    """

    def __init__(self, answers: Sequence[Answer] | Callable[[Received], Answer], *, strict: bool = True) -> None:
        self._answers, self._strict = answers, strict
        self.requests: list[Received] = []
        self.connections = 0
        self.aborted = 0
        self.left = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _received(reader)) is not None:
                self.requests.append(request)
                if not await self._answer(self._answer_to(request), reader, writer):
                    return
        except ConnectionError:
            self.aborted += 1
            self.left.set()
        finally:
            writer.close()

    def _answer_to(self, request: Received) -> Answer:
        if self._strict and (faults := unpaired(request.json.get("messages", ()))):
            error = {"error": {"message": "; ".join(faults), "type": "invalid_request_error"}}
            return Answer(status=400, headers={"content-type": "application/json"}, writes=[json.dumps(error).encode()])
        if callable(self._answers):
            return self._answers(request)
        return self._answers[min(len(self.requests), len(self._answers)) - 1]

    async def _answer(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Write it; True when the connection may serve another request."""
        if answer.refusal:
            _reset(writer)
            return False
        writer.write(f"HTTP/1.1 {answer.status} Whatever\r\n".encode())
        for name, value in {**answer.headers, "transfer-encoding": "chunked"}.items():
            writer.write(f"{name}: {value}\r\n".encode())
        writer.write(b"\r\n")
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            for data in answer.writes:
                await self._write(data, answer.pause_s, leaving, writer)
            if answer.end == "hang":
                await leaving
                raise ConnectionResetError
        finally:
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
        if answer.end == "reset":
            await asyncio.sleep(0.01)  # what was written must leave before the reset overtakes it
            _reset(writer)
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _write(
        self, data: bytes, pause_s: float, leaving: "asyncio.Future[bytes]", writer: asyncio.StreamWriter
    ) -> None:
        if pause_s:
            await asyncio.wait({leaving}, timeout=pause_s)
        else:
            await asyncio.sleep(0)
        if leaving.done():
            raise ConnectionResetError
        if data:
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST, as a machine that dies does."""
    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _received(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    line, *rest = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, value in (item.split(":", 1) for item in rest)}
    return Received(line, headers, await reader.readexactly(int(headers.get("content-length", "0"))))

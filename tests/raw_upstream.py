"""An upstream that says exactly these bytes, HTTP or not, and closes: for what a real server never says."""

import asyncio
from types import TracebackType
from typing import Self


class RawUpstream:
    """Answers each connection with ``said`` as soon as something was asked. ``asked`` is what came, as it came."""

    def __init__(self, *said: bytes) -> None:
        self._said = said
        self.asked = b""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.asked += await reader.read(65536)
            for said in self._said:
                writer.write(said)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

"""The wire: what was sent to a socket and is not taken by its reader yet.

Daphne accepts everything that is sent and keeps it in memory until the reader takes it, so a slow reader would cost
without bound. Its transport tells when more than 64 KiB wait; other servers make ``send`` itself wait, and need none
of this.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

# Above the contract's 10 MB, which is to be refused with an error and not by dropping the socket.
LARGEST_MESSAGE = 16 * 1024 * 1024
# How long a closing handshake may take, when what waits before it must be read first.
CLOSING_S = 10


class Wire:
    """The transport under a socket, a push producer of Twisted."""

    def __init__(self, send: Callable[..., Any]) -> None:
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._protocol = _protocol_of(send)
        if self._protocol is not None:
            self._take_over(self._protocol)

    @property
    def is_full(self) -> bool:
        return not self._has_room.is_set()

    async def room(self) -> None:
        """Wait until the reader has taken what was sent."""
        await self._has_room.wait()

    def release(self) -> None:
        """Stop holding back: the socket is closed, or about to be."""
        self._has_room.set()
        if self._protocol is not None:
            self._protocol.transport.unregisterProducer()
            self._protocol = None

    def _take_over(self, protocol: Any) -> None:
        protocol.maxMessagePayloadSize = protocol.maxFramePayloadSize = LARGEST_MESSAGE
        protocol.closeHandshakeTimeout = CLOSING_S
        # The HTTP channel that began the connection is registered until now, and it has nothing more to produce.
        protocol.transport.unregisterProducer()
        protocol.transport.registerProducer(self, True)

    def pauseProducing(self) -> None:
        self._has_room.clear()

    def resumeProducing(self) -> None:
        self._has_room.set()

    def stopProducing(self) -> None:
        self._has_room.set()


def _protocol_of(send: Callable[..., Any]) -> Any | None:
    """Daphne's protocol, when ``send`` is Daphne's."""
    protocol = send.args[0] if isinstance(send, partial) and send.args else None
    return protocol if hasattr(protocol, "transport") else None

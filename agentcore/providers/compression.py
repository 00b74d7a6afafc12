"""Bodies that come compressed, unpacked piece by piece: what a small one unpacks to never stands in memory at once."""

import zlib
from collections.abc import AsyncIterator, Iterator

import httpx

from agentcore.errors import ProviderBadResponse

PIECE_BYTES = 64 * 1024
# Tells gzip from zlib by itself.
_EITHER = zlib.MAX_WBITS | 32
_KNOWN = frozenset({"gzip", "x-gzip", "deflate"})


def body_chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it was before it was compressed; each chunk is read before the next one is unpacked.

    Raises:
        ProviderBadResponse: it is compressed otherwise than we know, or not as it says.
    """
    named = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")]
    encodings = [name for name in named if name not in {"", "identity"}]
    if not encodings:
        return response.aiter_raw()
    if len(encodings) > 1 or encodings[0] not in _KNOWN:
        raise ProviderBadResponse()
    return _unpacked(response)


async def _unpacked(response: httpx.Response) -> AsyncIterator[bytes]:
    unpacker = Unpacker()
    async for chunk in response.aiter_raw():
        for piece in unpacker.feed(chunk):
            yield piece


class Unpacker:
    """Feed it bytes cut anywhere."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_EITHER)
        self._members = 0
        self._is_over = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """What ``chunk`` unpacks to, in pieces of at most 64 KiB.

        Raises:
            ProviderBadResponse: it is not compressed. What follows a whole member and is none is left out.
        """
        piece = b""
        # A full piece may leave more behind that needs no further input.
        while not self._is_over and (chunk or len(piece) == PIECE_BYTES):
            if self._member.eof:
                # Some servers close one member and begin the next with every flush.
                self._member, self._members = zlib.decompressobj(_EITHER), self._members + 1
            piece = self._piece(chunk)
            chunk = self._member.unconsumed_tail or self._member.unused_data
            if piece:
                yield piece

    def _piece(self, chunk: bytes) -> bytes:
        try:
            return self._member.decompress(chunk, PIECE_BYTES)
        except zlib.error:
            if not self._members:
                raise ProviderBadResponse() from None
            self._is_over = True
            return b""

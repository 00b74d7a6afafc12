"""The body of an answer, read as it arrives: a stream of events or one JSON value, whatever its headers call it."""

import json
from collections.abc import Callable

from agentcore.chat import ModelEvent
from agentcore.errors import ProviderBadResponse
from agentcore.messages import Usage
from agentcore.providers.dialects import Decoder, Splitter
from agentcore.providers.sse import BOM, SseEvent, SseSplitter

MAX_BODY_BYTES = 32 * 1024 * 1024


class AnswerReader:
    """Feed it bytes cut anywhere. What a chunk completes is emitted at once, also what precedes an error in it."""

    def __init__(self, decoder: Decoder, emit: Callable[[ModelEvent], None], splitter: Splitter | None = None) -> None:
        self._decoder, self._emit = decoder, emit
        self._splitter = splitter or SseSplitter()
        self._read_bytes = 0
        # None until the first byte that tells.
        self._is_stream: bool | None = None
        # Something of the answer itself came, more than comments that keep the connection.
        self.began = False
        # What came before the kind of body was known, and then the body that is one JSON value.
        self._body = bytearray()

    def feed(self, chunk: bytes) -> bool:
        """Whether the answer goes on after ``chunk``.

        Raises:
            ProviderError: the upstream reports an error, or its answer cannot be understood or has no end.
        """
        self._read_bytes += len(chunk)
        if self._read_bytes > MAX_BODY_BYTES:
            raise ProviderBadResponse()
        if self._is_stream is None:
            chunk = self._told_kind(chunk)
        if self._is_stream:
            self._decode(self._splitter.feed(chunk))
        else:
            self._keep(chunk)
        return not self._decoder.done

    def usage(self) -> Usage | None:
        """What the upstream reported so far."""
        return self._decoder.usage()

    def end(self) -> list[ModelEvent]:
        """The last events, not emitted: calls, and the finish.

        Raises:
            ProviderError: the answer is not whole.
        """
        if self._is_stream:
            self._decode_last()
        elif self._body.strip():
            self._decode_whole()
        return self._decoder.end()

    def _told_kind(self, chunk: bytes) -> bytes:
        """Find out the kind of body; the bytes that are still to be read, with those that waited for it."""
        self._keep(chunk)
        if BOM.startswith(self._body):
            return b""
        start = self._body.removeprefix(BOM).lstrip()[:1]
        if start:
            self._is_stream = start not in b"{["
        if not self._is_stream:
            return b""
        chunk, self._body = bytes(self._body), bytearray()
        return chunk

    def _keep(self, chunk: bytes) -> None:
        self._body += chunk

    def _decode(self, events: list[SseEvent]) -> None:
        for event in events:
            self.began = True
            for model_event in self._decoder.feed(event):
                self._emit(model_event)
            if self._decoder.done:
                return

    def _decode_last(self) -> None:
        """Decode what an end without a blank line left. A rest that is no event was cut off, and is no answer."""
        if self._decoder.done:
            return
        try:
            self._decode(self._splitter.end())
        except ProviderBadResponse:
            return

    def _decode_whole(self) -> None:
        try:
            payload = json.loads(self._body.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            payload = ProviderBadResponse
        if payload is ProviderBadResponse:
            raise ProviderBadResponse()
        for event in self._decoder.whole(payload):
            self._emit(event)

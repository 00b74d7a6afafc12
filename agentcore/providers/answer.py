"""The body of an answer, read as it arrives: a stream of events or one JSON value, whatever its headers call it."""

from collections.abc import Callable, Iterable

from django.utils.translation import gettext as _

from agentcore.chat import ModelEvent
from agentcore.errors import ProviderBadResponse
from agentcore.messages import Usage
from agentcore.providers.dialects import Decoder, Splitter
from agentcore.providers.lines import BOM, check_size
from agentcore.providers.sse import SseEvent, SseSplitter
from agentcore.providers.wire_json import read_json

MAX_BODY_BYTES = 32 * 1024 * 1024


class AnswerReader:
    """Feed it bytes cut anywhere. What a chunk completes is emitted at once, also what precedes an error in it.

    ``splitter`` is the dialect's; a body that it does not take is read as events, or as one JSON value.
    """

    def __init__(self, decoder: Decoder, emit: Callable[[ModelEvent], None], splitter: Splitter | None = None) -> None:
        self._decoder, self._emit = decoder, emit
        self._usual = splitter or SseSplitter()
        # What reads the body; None until the first byte that tells, and for a body that is one JSON value.
        self._splitter: Splitter | None = None
        self._is_value = False
        self._read_bytes = 0
        # Something of the answer itself came, more than comments that keep the connection.
        self.began = False
        # A mark that may have begun, and then the body that is one JSON value.
        self._body = bytearray()

    def feed(self, chunk: bytes) -> bool:
        """Whether the answer goes on after ``chunk``.

        Raises:
            ProviderError: the upstream reports an error, or its answer cannot be understood or has no end.
        """
        self._read_bytes += len(chunk)
        if self._read_bytes > MAX_BODY_BYTES:
            raise ProviderBadResponse()
        if self._splitter is None:
            chunk = self._told_kind(chunk)
        if self._splitter is not None:
            self._decode(self._splitter.feed(chunk))
        return not self._decoder.done

    def usage(self) -> Usage | None:
        """What the upstream reported so far."""
        return self._decoder.usage()

    def end(self) -> list[ModelEvent]:
        """The last events, not emitted: calls, and the finish.

        Raises:
            ProviderError: the answer is not whole.
        """
        if self._splitter is not None:
            self._decode_last(self._splitter)
        elif self._is_value:
            self._decode_whole()
        return self._decoder.end()

    def _told_kind(self, chunk: bytes) -> bytes:
        """Find out the kind of body; what is to be read as a stream, without the blanks before it."""
        if self._is_value:
            self._keep(chunk)
            return b""
        begun = bytes(self._body + chunk).lstrip()
        told = begun.removeprefix(BOM).lstrip()
        if BOM.startswith(begun) or not told:
            self._body = bytearray(begun[: len(BOM)])
            return b""
        self._splitter = self._taking(told[:1])
        self._body.clear()
        if self._splitter is None:
            self._is_value = True
            self._keep(told)
        return told

    def _keep(self, piece: bytes) -> None:
        check_size(len(self._body) + len(piece))
        self._body += piece

    def _taking(self, start: bytes) -> Splitter | None:
        if start == b"<":
            raise ProviderBadResponse(_("The provider answered with a web page. Check its base URL."))
        return next((splitter for splitter in (self._usual, SseSplitter()) if splitter.takes(start)), None)

    def _decode(self, events: Iterable[SseEvent]) -> None:
        for event in events:
            self.began = True
            for model_event in self._decoder.feed(event):
                self._emit(model_event)
            if self._decoder.done:
                return

    def _decode_last(self, splitter: Splitter) -> None:
        """Decode what an end without a blank line left. A rest that is no event was cut off, and is no answer."""
        if self._decoder.done:
            return
        try:
            self._decode(splitter.end())
        except ProviderBadResponse:
            return

    def _decode_whole(self) -> None:
        try:
            payload = read_json(bytes(self._body))
        except ValueError:
            payload = ProviderBadResponse
        if payload is ProviderBadResponse:
            raise ProviderBadResponse()
        for event in self._decoder.whole(payload):
            self._emit(event)

"""Server-sent events, split from bytes.

Only CR, LF and CRLF end a line, wherever the network cut; lines are decoded by who reads the event, never before
they are whole. Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from dataclasses import dataclass

from agentcore.errors import ProviderBadResponse

MAX_LINE_BYTES = 8 * 1024 * 1024
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SseEvent:
    """``name`` is empty for the default type; ``data`` is never empty, its lines are joined by LF."""

    name: str
    data: bytes


class SseSplitter:
    """Feed it bytes cut anywhere; the events are the same."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._open_bytes = 0
        self._after_cr = False
        self._first = True
        self._name = ""
        self._data: list[bytes] = []
        self._data_bytes = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that ``chunk`` completes.

        Raises:
            ProviderBadResponse: a line or an event is larger than 8 MiB.
        """
        chunk = self._with_lf_only(chunk)
        end = chunk.find(b"\n")
        if end < 0:
            self._keep_open(chunk)
            return []
        self._keep_open(chunk[:end])
        events: list[SseEvent] = []
        self._line(self._taken_line(), events)
        start = end + 1
        while (end := chunk.find(b"\n", start)) >= 0:
            self._line(chunk[start:end], events)
            start = end + 1
        self._keep_open(chunk[start:])
        return events

    def end(self) -> list[SseEvent]:
        """The event that the end of the body leaves: many servers leave out the last blank line."""
        events: list[SseEvent] = []
        self._line(self._taken_line(), events)
        self._dispatch(events)
        return events

    def _with_lf_only(self, chunk: bytes) -> bytes:
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk.startswith(b"\n"):
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return chunk

    def _keep_open(self, piece: bytes) -> None:
        if piece:
            self._open_bytes += len(piece)
            _check_size(self._open_bytes)
            self._open.append(piece)

    def _taken_line(self) -> bytes:
        line = self._open[0] if len(self._open) == 1 else b"".join(self._open)
        self._open, self._open_bytes = [], 0
        return line

    def _line(self, line: bytes, events: list[SseEvent]) -> None:
        if self._first:
            self._first = False
            line = line.removeprefix(BOM)
        if not line:
            self._dispatch(events)
        elif line.startswith(b"data:"):
            self._add_data(line[6:] if line[5:6] == b" " else line[5:])
        elif line == b"data":
            self._add_data(b"")
        elif line.startswith(b"event:"):
            self._name = line[6:].strip().decode("utf-8", "replace")

    def _add_data(self, value: bytes) -> None:
        self._data_bytes += len(value)
        _check_size(self._data_bytes)
        self._data.append(value)

    def _dispatch(self, events: list[SseEvent]) -> None:
        if self._data:
            data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
            if data:
                events.append(SseEvent(self._name, data))
            self._data, self._data_bytes = [], 0
        self._name = ""


def _check_size(size_bytes: int) -> None:
    if size_bytes > MAX_LINE_BYTES:
        raise ProviderBadResponse()

"""Server-sent events, split from bytes.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from collections.abc import Iterator
from typing import NamedTuple

from agentcore.providers.lines import Lines, check_size


class SseEvent(NamedTuple):
    """``name`` is empty for the default type; ``data`` is never empty, its lines are joined by LF."""

    name: str
    data: bytes


class SseSplitter:
    """Feed it bytes cut anywhere; the events are the same."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._name = ""
        self._data: list[bytes] = []
        self._data_bytes = 0

    def takes(self, start: bytes) -> bool:
        return start not in b"{[<"

    def feed(self, chunk: bytes) -> Iterator[SseEvent]:
        """The events that ``chunk`` completes. Read them all before the next chunk.

        Raises:
            ProviderBadResponse: a line or an event is larger than 8 MiB; the events before it came.
        """
        for line in self._lines.feed(chunk):
            if line.startswith(b"data: "):
                self._add_data(line[6:])
            elif line:
                self._field(line)
            elif event := self._taken():
                yield event

    def end(self) -> Iterator[SseEvent]:
        """The event that the end of the body leaves: many servers leave out the last blank line."""
        yield from self.feed(b"\n\n")

    def _field(self, line: bytes) -> None:
        """A line that is not the usual one: other fields than these, and comments, mean nothing."""
        if line.startswith(b"data:"):
            self._add_data(line[5:])
        elif line == b"data":
            self._add_data(b"")
        elif line.startswith(b"event:"):
            self._name = line[6:].strip().decode("utf-8", "replace")

    def _add_data(self, value: bytes) -> None:
        self._data_bytes += len(value)
        check_size(self._data_bytes)
        self._data.append(value)

    def _taken(self) -> SseEvent | None:
        """What the lines until here add up to; None when they hold no data."""
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        name, self._name = self._name, ""
        self._data, self._data_bytes = [], 0
        return SseEvent(name, data) if data else None

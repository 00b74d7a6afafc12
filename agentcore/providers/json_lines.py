"""JSON lines, split from bytes: each line is a value, or one value takes many lines.

Source: https://jsonlines.org
"""

from collections.abc import Iterator

from agentcore.providers.lines import Lines, check_size
from agentcore.providers.sse import SseEvent


class JsonLineSplitter:
    """Feed it bytes cut anywhere; the events are the same, each with a value as its data."""

    def __init__(self) -> None:
        self._lines = Lines()
        # The lines of a value that is written out over many: it ends with the body.
        self._open: list[bytes] = []
        self._open_bytes = 0

    def takes(self, start: bytes) -> bool:
        return start in b"{["

    def feed(self, chunk: bytes) -> Iterator[SseEvent]:
        """The values that ``chunk`` completes. Read them all before the next chunk.

        Raises:
            ProviderBadResponse: one of them is larger than 8 MiB; those before it came.
        """
        for line in self._lines.feed(chunk):
            if event := self._taken(line):
                yield event

    def end(self) -> Iterator[SseEvent]:
        """The last value, whose line nothing ended or which took many."""
        if event := self._taken(self._lines.rest()):
            yield event
        if self._open:
            yield SseEvent("", b"\n".join(self._open))

    def _taken(self, line: bytes) -> SseEvent | None:
        line = line.strip()
        if not line:
            return None
        if not self._open and _is_whole(line):
            return SseEvent("", line)
        self._open_bytes += len(line) + 1
        check_size(self._open_bytes)
        self._open.append(line)
        return None


def _is_whole(line: bytes) -> bool:
    """Whether a line closes what it opens. What opens nothing is a line of its own."""
    return line[-1:] == {b"{": b"}", b"[": b"]"}.get(line[:1], line[-1:])

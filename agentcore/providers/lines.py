"""Lines, cut from bytes that arrive in pieces.

Only CR, LF and CRLF end a line, wherever the network cut; who reads a line decodes it, never before it is whole.
"""

from collections.abc import Iterator

from agentcore.errors import ProviderBadResponse

MAX_LINE_BYTES = 8 * 1024 * 1024
BOM = b"\xef\xbb\xbf"


class Lines:
    """Feed it bytes cut anywhere; the lines are the same, without their ends and without a byte order mark."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._open_bytes = 0
        self._after_cr = False
        self._first = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that ``chunk`` ends. Read them all before the next chunk.

        Raises:
            ProviderBadResponse: a line is larger than 8 MiB; those before it came.
        """
        if self._after_cr or b"\r" in chunk:
            chunk = self._with_lf_only(chunk)
        start, may_be_long = 0, len(chunk) > MAX_LINE_BYTES
        while (end := chunk.find(b"\n", start)) >= 0:
            line = chunk[start:end]
            start = end + 1
            if self._open or self._first or may_be_long:
                line = self._joined(line)
            yield line
        if start < len(chunk):
            self._keep(chunk[start:])

    def rest(self) -> bytes:
        """The last line, which nothing ended; empty when there is none."""
        return self._joined(b"")

    def _with_lf_only(self, chunk: bytes) -> bytes:
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return chunk

    def _keep(self, piece: bytes) -> None:
        self._open_bytes += len(piece)
        check_size(self._open_bytes)
        self._open.append(piece)

    def _joined(self, end: bytes) -> bytes:
        check_size(self._open_bytes + len(end))
        line = b"".join([*self._open, end])
        self._open, self._open_bytes = [], 0
        if self._first:
            self._first = False
            line = line.removeprefix(BOM)
        return line


def check_size(size_bytes: int) -> None:
    """
    Raises:
        ProviderBadResponse: it is more than a line may have.
    """
    if size_bytes > MAX_LINE_BYTES:
        raise ProviderBadResponse()

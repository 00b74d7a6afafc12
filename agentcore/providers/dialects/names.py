"""Tool names on the wire: models take ``[a-zA-Z0-9_-]{1,64}``, ours have dots."""

import hashlib
import re
from collections.abc import Iterable

from agentcore.chat import ChatRequest

MAX_NAME = 64
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")


class WireNames:
    """The names of one request, both ways. The same request gives the same names, whatever the order of its tools."""

    def __init__(self, names: Iterable[str]) -> None:
        self._ours: dict[str, str] = {}
        self._wire: dict[str, str] = {}
        # Names that need no change come first, so that none of them is taken by one that does.
        for name in sorted(set(names), key=lambda name: (_plain(name) != name, name)):
            wire = _plain(name)
            if wire in self._ours:
                wire = _hashed(wire, name)
            self._ours[wire], self._wire[name] = name, wire

    @classmethod
    def of(cls, request: ChatRequest) -> "WireNames":
        """The names of its tools and of the calls in its messages."""
        called = (call.name for message in request.messages for call in message.calls)
        return cls([*(tool.name for tool in request.tools), *called])

    def to_wire(self, name: str) -> str:
        return self._wire.get(name) or _plain(name)

    def knows(self, wire: str) -> bool:
        return wire in self._ours

    def to_ours(self, wire: str) -> str:
        """The tool's own name; a name that no tool has stays as it is."""
        return self._ours.get(wire, wire)


def _plain(name: str) -> str:
    wire = _FORBIDDEN.sub("_", name.replace(".", "__"))
    return wire if 0 < len(wire) <= MAX_NAME else _hashed(wire, name)


def _hashed(wire: str, name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{wire[: MAX_NAME - 9]}_{digest}"

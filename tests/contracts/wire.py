"""How a dialect's answers look on the wire: what a suite of tests writes them with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentcore.providers.dialects import Dialect


@dataclass(frozen=True, kw_only=True)
class Wire:
    """Writes a dialect. Each field makes the bytes of a part of a stream; ``whole`` is an unstreamed answer.

    ``call`` takes id, wire name and argument text in pieces; ``finish`` a reason of ours. ``tools_of`` and
    ``results_of`` read a request body back: tool names, and results by the id of their call. ``silence`` keeps the
    connection and says nothing; ``forbids_tools`` tells whether a request can say that no tool may be called.
    """

    dialect: Dialect
    text: Callable[[str], bytes]
    call: Callable[[str, str, list[str]], bytes]
    usage: Callable[[int, int], bytes]
    finish: Callable[[str], bytes]
    end: bytes
    error: Callable[[str], bytes]
    whole: Callable[[str], bytes]
    tools_of: Callable[[dict[str, Any]], list[str]]
    results_of: Callable[[dict[str, Any]], dict[str, str]]
    silence: bytes = b": hello\n\n:\n\ndata:\n\n"
    forbids_tools: bool = True

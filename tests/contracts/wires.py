"""How each dialect's answers look on the wire, so that one suite of tests can hold all dialects to the same claims."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentcore.providers.dialects import Dialect
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT


@dataclass(frozen=True, kw_only=True)
class Wire:
    """Writes a dialect. Each field makes the bytes of a part of a stream; ``whole`` is an unstreamed answer.

    ``call`` takes id, wire name and argument text in pieces; ``finish`` a reason of ours. ``messages_of`` and
    ``tools_of`` read a request body back: texts with their roles, and tool names.
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


def _event(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def _delta(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _openai_call(call_id: str, name: str, pieces: list[str]) -> bytes:
    index = sum(map(ord, call_id))
    start = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
    rest = [{"index": index, "function": {"arguments": piece}} for piece in pieces]
    return b"".join(_delta({"tool_calls": [fragment]}) for fragment in (start, *rest))


OPENAI_CHAT_WIRE = Wire(
    dialect=OPENAI_CHAT,
    text=lambda text: _delta({"content": text}),
    call=_openai_call,
    usage=lambda asked, said: _event({"choices": [], "usage": {"prompt_tokens": asked, "completion_tokens": said}}),
    finish=lambda reason: _delta({}, reason),
    end=b"data: [DONE]\n\n",
    error=lambda message: _event({"error": {"message": message, "type": "server_error"}}),
    whole=lambda text: json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).encode(),
    tools_of=lambda body: [tool["function"]["name"] for tool in body.get("tools", ())],
    results_of=lambda body: {
        message["tool_call_id"]: message["content"] for message in body["messages"] if message["role"] == "tool"
    },
)

WIRES = {"openai_chat": OPENAI_CHAT_WIRE}

"""How each dialect's answers look on the wire, so that one suite of tests can hold all dialects to the same claims."""

import json
from typing import Any

from agentcore.providers.dialects.openai_chat import OPENAI_CHAT
from tests.contracts.wire import Wire
from tests.contracts.wires_anthropic import ANTHROPIC_WIRE
from tests.contracts.wires_ollama import OLLAMA_WIRE
from tests.contracts.wires_responses import RESPONSES_WIRE


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

WIRES = {
    "openai_chat": OPENAI_CHAT_WIRE,
    "openai_responses": RESPONSES_WIRE,
    "ollama": OLLAMA_WIRE,
    "anthropic": ANTHROPIC_WIRE,
}

"""The wire of Ollama: a line for each piece, and each call whole in one of them."""

import json
from typing import Any

from agentcore.providers.dialects.ollama import OLLAMA
from tests.contracts.wire import Wire


def line(message: dict[str, Any] | None = None, **fields: Any) -> bytes:
    """A line of an answer."""
    said = {"role": "assistant", "content": ""} | (message or {})
    return json.dumps({"model": "m", "message": said, "done": False} | fields).encode() + b"\n"


def _call(call_id: str, name: str, pieces: list[str]) -> bytes:
    text = "".join(pieces)
    try:
        arguments = json.loads(text or "{}")
    except ValueError:
        # Cut off: a server that cannot read it passes it on as it is.
        arguments = text
    return line({"tool_calls": [{"id": call_id, "function": {"name": name, "arguments": arguments}}]})


OLLAMA_WIRE = Wire(
    dialect=OLLAMA,
    text=lambda text: line({"content": text}),
    call=_call,
    usage=lambda asked, said: line(prompt_eval_count=asked, eval_count=said),
    finish=lambda reason: line(done=True, done_reason=reason),
    end=b"",
    error=lambda message: json.dumps({"error": message}).encode() + b"\n",
    whole=lambda text: json.dumps({"message": {"content": text}, "done": True}, indent=1).encode(),
    tools_of=lambda body: [tool["function"]["name"] for tool in body.get("tools", ())],
    results_of=lambda body: {
        message["tool_call_id"]: message["content"] for message in body["messages"] if message["role"] == "tool"
    },
    silence=b"\n \r\n\t\n",
    forbids_tools=False,
)

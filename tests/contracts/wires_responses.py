"""How the Responses API answers."""

import json
from typing import Any

from agentcore.providers.dialects.openai_responses import OPENAI_RESPONSES
from tests.contracts.wire import Wire

_ENDS = {"length": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}}


def event(kind: str, **fields: Any) -> bytes:
    """One event of a response, named and typed."""
    return f"event: response.{kind}\ndata: {json.dumps({'type': f'response.{kind}', **fields})}\n\n".encode()


def message(text: str, item_id: str = "msg_1") -> dict[str, Any]:
    """A message item, whole."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": item_id, "role": "assistant", "status": "completed", "content": content}


def call(call_id: str, name: str, arguments: str, **fields: Any) -> dict[str, Any]:
    """A call item, whole unless ``fields`` say otherwise."""
    item = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments}
    return item | {"status": "completed"} | fields


def thinking(item_id: str, text: str, token: str | None = "enc") -> dict[str, Any]:
    """A reasoning item, whole."""
    summary = [{"type": "summary_text", "text": text}] if text else []
    return {"type": "reasoning", "id": item_id, "summary": summary, "encrypted_content": token}


def done(item: dict[str, Any], index: int = 0) -> bytes:
    """The event that an item is whole."""
    return event("output_item.done", output_index=index, item=item)


def ended(*output: dict[str, Any], **fields: Any) -> bytes:
    """The event that a response is over."""
    response = {"object": "response", "status": "completed", "output": list(output)} | fields
    return event(str(response["status"]), response=response)


def _call(call_id: str, name: str, pieces: list[str]) -> bytes:
    place = {"output_index": sum(map(ord, call_id)) + 1, "item_id": f"fc_{call_id}"}
    begun = call(call_id, name, "", status="in_progress")
    whole = call(call_id, name, "".join(pieces))
    deltas = [event("function_call_arguments.delta", delta=piece, **place) for piece in pieces]
    index = place["output_index"]
    return b"".join([event("output_item.added", output_index=index, item=begun), *deltas, done(whole, index)])


RESPONSES_WIRE = Wire(
    dialect=OPENAI_RESPONSES,
    text=lambda text: event("output_text.delta", output_index=0, content_index=0, item_id="msg_1", delta=text),
    call=_call,
    usage=lambda asked, said: event(
        "in_progress", response={"status": "in_progress", "usage": {"input_tokens": asked, "output_tokens": said}}
    ),
    finish=lambda reason: ended(**_ENDS.get(reason, {})),
    end=b"",
    error=lambda text: ended(status="failed", error={"code": "server_error", "message": text}),
    whole=lambda text: json.dumps({"object": "response", "status": "completed", "output": [message(text)]}).encode(),
    tools_of=lambda body: [tool["name"] for tool in body.get("tools", ())],
    results_of=lambda body: {
        item["call_id"]: item["output"] for item in body["input"] if item["type"] == "function_call_output"
    },
)

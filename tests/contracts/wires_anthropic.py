"""How Anthropic's Messages API answers."""

import json
from typing import Any

from agentcore.providers.dialects.anthropic import ANTHROPIC
from tests.contracts.wire import Wire

_STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


def event(kind: str, **fields: Any) -> bytes:
    """One event, named and typed."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def started(**usage: int) -> bytes:
    """The event that a message begins."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": None}
    return event("message_start", message=message | {"usage": usage})


def block(index: int, given: dict[str, Any], *deltas: dict[str, Any]) -> bytes:
    """A content block from its start to its stop."""
    return b"".join(
        [
            event("content_block_start", index=index, content_block=given),
            *(delta(index, one) for one in deltas),
            event("content_block_stop", index=index),
        ]
    )


def delta(index: int, given: dict[str, Any]) -> bytes:
    """A piece of a content block."""
    return event("content_block_delta", index=index, delta=given)


def text(said: str, index: int = 0) -> bytes:
    """A block of text."""
    return block(index, {"type": "text", "text": ""}, {"type": "text_delta", "text": said})


def thinking(thought: str, signature: str, index: int = 0) -> bytes:
    """A block of thinking; an empty signature is none."""
    pieces = [{"type": "thinking_delta", "thinking": thought}] if thought else []
    seal = [{"type": "signature_delta", "signature": signature}] if signature else []
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *pieces, *seal)


def call(call_id: str, name: str, pieces: list[str]) -> bytes:
    """A block that calls a tool."""
    given = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    pieces_of_input = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block(sum(map(ord, call_id)), given, *pieces_of_input)


def finish(reason: str) -> bytes:
    """The event that says why the message ends: a reason of ours, or one of theirs."""
    return event("message_delta", delta={"stop_reason": _STOPS.get(reason, reason), "stop_sequence": None})


STOP = event("message_stop")


def _usage(asked: int, said: int) -> bytes:
    return event("message_delta", delta={}, usage={"input_tokens": asked, "output_tokens": said})


def _whole(said: str) -> bytes:
    content = [{"type": "text", "text": said}]
    message = {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    return json.dumps(message).encode()


def _results(body: dict[str, Any]) -> dict[str, str]:
    blocks = (block for turn in body["messages"] for block in turn["content"])
    return {block["tool_use_id"]: block.get("content", "") for block in blocks if block["type"] == "tool_result"}


ANTHROPIC_WIRE = Wire(
    dialect=ANTHROPIC,
    text=text,
    call=call,
    usage=_usage,
    finish=finish,
    end=STOP,
    error=lambda message: event("error", error={"type": "overloaded_error", "message": message}),
    whole=_whole,
    tools_of=lambda body: [tool["name"] for tool in body.get("tools", ())],
    results_of=_results,
)

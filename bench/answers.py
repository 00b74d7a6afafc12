"""A streamed answer of many small deltas on each wire: every event of the same size, no two of the same text."""

import json
from collections.abc import Callable
from typing import Any

EVENT_BYTES = 230
MODEL = "gpt-4o-mini"

Event = Callable[[str], bytes]
# The texts of the deltas, and the events.
Answer = tuple[list[str], list[bytes]]


def _data(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload, separators=(",", ":")).encode() + b"\n\n"


def _named(payload: dict[str, Any]) -> bytes:
    return b"event: " + payload["type"].encode() + b"\n" + _data(payload)


def _line(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, separators=(",", ":")).encode() + b"\n"


def _texts(event: Event, deltas: int) -> list[str]:
    """Texts that make ``event`` have its size."""
    size = EVENT_BYTES - len(event(""))
    return [(f"{number:05} " + "word " * size)[:size] for number in range(deltas)]


def openai_chat(deltas: int) -> Answer:
    head = {"id": "chatcmpl-C2h5OHc6H12O6NaCl", "object": "chat.completion.chunk", "created": 1764500000}
    head |= {"model": MODEL, "system_fingerprint": "fp_0123456789"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _data(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def event(text: str) -> bytes:
        return chunk({"content": text})

    usage = {"prompt_tokens": 9, "completion_tokens": deltas, "total_tokens": 9 + deltas}
    texts = _texts(event, deltas)
    last = [chunk({}, "stop"), _data(head | {"choices": [], "usage": usage}), b"data: [DONE]\n\n"]
    return texts, [chunk({"role": "assistant", "content": ""}), *map(event, texts), *last]


def anthropic(deltas: int) -> Answer:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}

    def event(text: str) -> bytes:
        return _named({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})

    texts = _texts(event, deltas)
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    return texts, [
        _named({"type": "message_start", "message": message}),
        _named({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        *map(event, texts),
        _named({"type": "content_block_stop", "index": 0}),
        _named({"type": "message_delta", "delta": stop, "usage": {"output_tokens": deltas}}),
        _named({"type": "message_stop"}),
    ]


def openai_responses(deltas: int) -> Answer:
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}

    def event(text: str) -> bytes:
        return _named({"type": "response.output_text.delta", "sequence_number": 4, **place, "delta": text})

    def response(status: str, **fields: Any) -> dict[str, Any]:
        answer = {"id": "resp_1", "object": "response", "created_at": 1764500000, "status": status, "model": MODEL}
        answer |= {"error": None, "incomplete_details": None, "output": [], "usage": None} | fields
        return answer | {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}

    def part(text: str) -> dict[str, Any]:
        return {"type": "output_text", "text": text, "annotations": []}

    def item(status: str, *content: dict[str, Any]) -> dict[str, Any]:
        return {"id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": content}

    texts = _texts(event, deltas)
    whole = "".join(texts)
    done = item("completed", part(whole))
    usage = {"input_tokens": 9, "output_tokens": deltas, "total_tokens": 9 + deltas}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    frame = {"output_index": 0, "sequence_number": 3}
    return texts, [
        _named({"type": "response.created", "sequence_number": 0, "response": response("in_progress")}),
        _named({"type": "response.output_item.added", **frame, "item": item("in_progress")}),
        _named({"type": "response.content_part.added", **place, "sequence_number": 3, "part": part("")}),
        *map(event, texts),
        _named({"type": "response.output_text.done", "sequence_number": 5, **place, "text": whole, "logprobs": []}),
        _named({"type": "response.content_part.done", **place, "sequence_number": 6, "part": part(whole)}),
        _named({"type": "response.output_item.done", **frame, "item": done}),
        _named(
            {
                "type": "response.completed",
                "sequence_number": 8,
                "response": response("completed", output=[done], usage=usage),
            }
        ),
    ]


def ollama(deltas: int) -> Answer:
    head = {"model": "llama3.2", "created_at": "2026-11-30T12:00:00.000000Z"}

    def event(text: str) -> bytes:
        return _line(head | {"message": {"role": "assistant", "content": text}, "done": False})

    texts = _texts(event, deltas)
    last = head | {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    return texts, [*map(event, texts), _line(last | {"prompt_eval_count": 9, "eval_count": deltas})]


ANSWERS = {
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "ollama": ollama,
}

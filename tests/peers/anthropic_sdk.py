"""What Anthropic's own SDK says of requests and of messages. Run by a Python that has it, as a program of its own.

Reads ``{"requests": […], "messages": […]}`` and writes ``{"faults": […], "streams": […]}``: of each request what is
wrong with it by the SDK's types; of each message its events, made by the SDK's types, and what its own client
accumulates from them.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import anthropic.types as sdk
from anthropic.lib.streaming._messages import accumulate_event
from pydantic import TypeAdapter, ValidationError
from typing_extensions import is_typeddict

PIECE = 3
# The field of a block that arrives in deltas, with the kind of delta and its field.
GROWING = {
    "text": ("text", "text_delta", "text"),
    "thinking": ("thinking", "thinking_delta", "thinking"),
    "tool_use": ("input", "input_json_delta", "partial_json"),
}


def strict_adapter() -> TypeAdapter[Any]:
    """The type of a streamed request, without room for what the API does not know."""
    modules = [module for name, module in sys.modules.items() if name.startswith("anthropic.types")]
    for kind in {value for module in modules for value in vars(module).values() if is_typeddict(value)}:
        if not hasattr(kind, "__pydantic_config__"):
            kind.__pydantic_config__ = {"extra": "forbid"}
    return TypeAdapter(sdk.message_create_params.MessageCreateParamsStreaming)


def looked_at(value: Any) -> Any:
    """``value`` with its iterables read, which are validated only then."""
    if isinstance(value, dict):
        return {key: looked_at(item) for key, item in value.items()}
    return value if isinstance(value, str | bytes) or not hasattr(value, "__iter__") else [*map(looked_at, value)]


def fault(adapter: TypeAdapter[Any], request: dict[str, Any]) -> str:
    try:
        looked_at(adapter.validate_python(request))
    except ValidationError as error:
        return str(error)
    return ""


def pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def events_of(message: dict[str, Any]) -> Iterator[Any]:
    """The stream of ``message`` as the API sends it."""
    begun = message | {"content": [], "stop_reason": None, "usage": message["usage"] | {"output_tokens": 1}}
    yield sdk.RawMessageStartEvent(type="message_start", message=sdk.Message(**begun))
    for index, block in enumerate(message["content"]):
        yield from block_events(index, block)
    yield sdk.RawMessageDeltaEvent.model_validate(
        {
            "type": "message_delta",
            "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
            "usage": {name: message["usage"].get(name) for name in ("output_tokens", "output_tokens_details")},
        }
    )
    yield sdk.RawMessageStopEvent(type="message_stop")


def block_events(index: int, block: dict[str, Any]) -> Iterator[Any]:
    field, kind, piece_field = GROWING.get(block["type"], ("", "", ""))
    whole = block.get(field, "")
    empty = {field: type(whole)()} if field else {}
    seal = block.get("signature")
    start = block | empty | ({"signature": ""} if seal else {})
    yield made(sdk.RawContentBlockStartEvent, "content_block_start", index=index, content_block=start)
    deltas = [
        {"type": kind, piece_field: piece} for piece in pieces(whole if isinstance(whole, str) else json.dumps(whole))
    ]
    for delta in [*(deltas if field else []), *([{"type": "signature_delta", "signature": seal}] if seal else [])]:
        yield made(sdk.RawContentBlockDeltaEvent, "content_block_delta", index=index, delta=delta)
    yield made(sdk.RawContentBlockStopEvent, "content_block_stop", index=index)


def made(kind: Any, name: str, **fields: Any) -> Any:
    return kind.model_validate({"type": name, **fields})


def streamed(message: dict[str, Any]) -> dict[str, Any]:
    events = [*events_of(message)]
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for event in events:
        snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)
    body = "".join(f"event: {event.type}\ndata: {event.model_dump_json()}\n\n" for event in events)
    return {"body": body, "message": json.loads(snapshot.model_dump_json(warnings=False))}


def main() -> None:
    given = json.load(sys.stdin)
    adapter = strict_adapter()
    faults = [fault(adapter, request) for request in given["requests"]]
    json.dump({"faults": faults, "streams": [streamed(message) for message in given["messages"]]}, sys.stdout)


if __name__ == "__main__":
    main()

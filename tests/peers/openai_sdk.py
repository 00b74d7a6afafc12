"""What OpenAI's own SDK says of requests and of answers. Run by a Python that has it, as a program of its own.

Reads ``{"chat": […], "responses": […], "completions": […], "outputs": […]}`` and writes ``{"faults": {…}, "chat": […],
"responses": […]}``: of each request to either API what is wrong with it by the SDK's types; of each completion and each
response its events, made by the SDK's types, and what its own client accumulates from them.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import openai.types.responses as sdk
from openai._types import omit
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter, ValidationError
from typing_extensions import is_typeddict

PIECE = 3
EVENT: TypeAdapter[Any] = TypeAdapter(sdk.ResponseStreamEvent)


def strict_adapter(kind: Any) -> TypeAdapter[Any]:
    """The type of a streamed request, without room for what the API does not know."""
    modules = [module for name, module in sys.modules.items() if name.startswith("openai.types")]
    for part in {value for module in modules for value in vars(module).values() if is_typeddict(value)}:
        if not hasattr(part, "__pydantic_config__"):
            part.__pydantic_config__ = {"extra": "forbid"}
    return TypeAdapter(kind)


def looked_at(value: Any) -> Any:
    """``value`` with its iterables read, which are validated only then."""
    if isinstance(value, dict):
        return {key: looked_at(item) for key, item in value.items()}
    return value if isinstance(value, str | bytes) or not hasattr(value, "__iter__") else [*map(looked_at, value)]


def fault(adapter: TypeAdapter[Any], request: Any) -> str:
    try:
        looked_at(adapter.validate_python(request))
    except ValidationError as error:
        return str(error)
    return ""


def pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def chunks_of(completion: dict[str, Any]) -> Iterator[ChatCompletionChunk]:
    said = completion["choices"][0]["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{key: piece} for key in ("content", "refusal") for piece in pieces(said.get(key) or "")]
    for index, call in enumerate(said.get("tool_calls") or ()):
        deltas.append({"tool_calls": [call | {"index": index, "function": call["function"] | {"arguments": ""}}]})
        arguments = pieces(call["function"]["arguments"])
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in arguments]
    finish = completion["choices"][0]["finish_reason"]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    for choice in [*choices, {"index": 0, "delta": {}, "finish_reason": finish}, None]:
        usage = {"usage": completion["usage"]} if choice is None else {}
        told = {"object": "chat.completion.chunk", "choices": [choice] if choice else []} | usage
        yield ChatCompletionChunk.model_validate({key: completion[key] for key in ("id", "created", "model")} | told)


def completed(completion: dict[str, Any]) -> dict[str, Any]:
    state: Any = ChatCompletionStreamState()
    body = ""
    for chunk in chunks_of(completion):
        state.handle_chunk(chunk)
        body += f"data: {chunk.model_dump_json()}\n\n"
    whole = state.current_completion_snapshot
    return {"body": f"{body}data: [DONE]\n\n", "whole": json.loads(whole.model_dump_json(warnings=False))}


def events_of(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    begun = response | {"status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(response["output"]):
        grown = {"message": "content", "reasoning": "summary", "function_call": "arguments"}[item["type"]]
        empty = item | {grown: type(item[grown])(), "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": empty}
        for event in item_events(item):
            yield {"output_index": index, "item_id": item["id"], **event}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{response['status']}", "response": response}


def item_events(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if item["type"] == "function_call":
        name = "response.function_call_arguments"
        yield from ({"type": f"{name}.delta", "delta": piece} for piece in pieces(item["arguments"]))
        yield {"type": f"{name}.done", "arguments": item["arguments"], "name": item["name"]}
        return
    thinks = item["type"] == "reasoning"
    part_name = "reasoning_summary_part" if thinks else "content_part"
    for number, part in enumerate(item["summary" if thinks else "content"]):
        place = {"summary_index" if thinks else "content_index": number}
        field = "refusal" if part["type"] == "refusal" else "text"
        name = "reasoning_summary_text" if thinks else {"text": "output_text", "refusal": "refusal"}[field]
        extra = {"logprobs": []} if name == "output_text" else {}
        yield {"type": f"response.{part_name}.added", "part": part | {field: ""}, **place}
        for piece in pieces(part[field]):
            yield {"type": f"response.{name}.delta", "delta": piece, **extra, **place}
        yield {"type": f"response.{name}.done", field: part[field], **extra, **place}
        yield {"type": f"response.{part_name}.done", "part": part, **place}


def responded(response: dict[str, Any]) -> dict[str, Any]:
    state: Any = ResponseStreamState(input_tools=omit, text_format=omit)
    body = ""
    for number, fields in enumerate(events_of(response)):
        event = EVENT.validate_python({"sequence_number": number, **fields})
        told = state.handle_event(event)
        body += f"event: {event.type}\ndata: {event.model_dump_json(warnings=False)}\n\n"
    return {"body": body, "whole": json.loads(told[-1].response.model_dump_json(warnings=False))}


def main() -> None:
    given = json.load(sys.stdin)
    kinds = {"chat": CompletionCreateParamsStreaming, "responses": ResponseCreateParamsStreaming}
    adapters = {name: strict_adapter(kind) for name, kind in kinds.items()}
    told = {
        "faults": {name: [fault(adapters[name], request) for request in given[name]] for name in kinds},
        "chat": [completed(completion) for completion in given["completions"]],
        "responses": [responded(response) for response in given["outputs"]],
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()

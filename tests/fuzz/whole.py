"""An answer that was streamed, written as one JSON value, as each dialect would send it."""

import json
from collections.abc import Callable
from typing import Any

from agentcore.chat import Finish, ReasoningDelta, TextDelta, ToolCall
from agentcore.messages import Usage


class Said:
    """What the events of an answer add up to."""

    def __init__(self, found: list[Any]) -> None:
        *events, usage = found
        self.usage: Usage | None = usage
        self.text = "".join(event.text for event in events if isinstance(event, TextDelta))
        self.reasoning = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
        self.calls = [event for event in events if isinstance(event, ToolCall)]
        self.finish = next(event.reason.value for event in events if isinstance(event, Finish))


def whole_of(api: str, found: list[Any]) -> bytes:
    return json.dumps(_WRITERS[api](Said(found)), indent=2).encode()


def _id(call: ToolCall) -> dict[str, str]:
    """An id that we made was none of theirs."""
    return {} if call.call_id == "*" else {"id": call.call_id}


def _openai_chat(said: Said) -> dict[str, Any]:
    calls = [
        _id(call) | {"type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in said.calls
    ]
    message = {"role": "assistant", "content": said.text or None, "reasoning_content": said.reasoning or None}
    choice = {"index": 0, "message": message | {"tool_calls": calls or None}, "finish_reason": said.finish}
    return {"object": "chat.completion", "choices": [choice]} | _usage(said, "prompt", "completion")


def _usage(said: Said, asked: str, answered: str) -> dict[str, Any]:
    if (usage := said.usage) is None:
        return {}
    cached = {"cached_tokens": usage.cached_input_tokens, "cache_write_tokens": usage.cache_write_tokens}
    return {
        "usage": {
            f"{asked}_tokens": usage.input_tokens,
            f"{answered}_tokens": usage.output_tokens,
            f"{asked}_tokens_details": cached,
            f"{answered}_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        }
    }


def _openai_responses(said: Said) -> dict[str, Any]:
    thinking = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": said.reasoning}]}
    text = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said.text}]}
    calls = [
        {"type": "function_call", "name": call.name, "arguments": json.dumps(call.arguments)}
        | ({"call_id": call.call_id} if _id(call) else {})
        for call in said.calls
    ]
    endings: dict[str, dict[str, Any]] = {
        "length": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        "content_filter": {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
    }
    output = [*([thinking] if said.reasoning else []), *([text] if said.text else []), *calls]
    ending = endings.get(said.finish, {"status": "completed"})
    return {"object": "response", "output": output} | ending | _usage(said, "input", "output")


def _anthropic(said: Said) -> dict[str, Any]:
    reasons = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
    thinking = {"type": "thinking", "thinking": said.reasoning, "signature": "s"}
    calls = [{"type": "tool_use", "name": call.name, "input": call.arguments} | _id(call) for call in said.calls]
    text = {"type": "text", "text": said.text}
    content = [*([thinking] if said.reasoning else []), *([text] if said.text else []), *calls]
    usage = said.usage or Usage()
    counts = {
        "input_tokens": usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cached_input_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
    }
    whole = {"type": "message", "role": "assistant", "content": content, "stop_reason": reasons[said.finish]}
    return whole | ({"usage": counts} if said.usage else {})


def _ollama(said: Said) -> dict[str, Any]:
    calls = [_id(call) | {"function": {"name": call.name, "arguments": call.arguments}} for call in said.calls]
    message = {"role": "assistant", "content": said.text, "thinking": said.reasoning, "tool_calls": calls}
    usage = said.usage or Usage()
    counts = {"prompt_eval_count": usage.input_tokens, "eval_count": usage.output_tokens}
    reason = "length" if said.finish == "length" else "stop"
    return {"message": message, "done": True, "done_reason": reason} | counts


_WRITERS: dict[str, Callable[[Said], dict[str, Any]]] = {
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "anthropic": _anthropic,
    "ollama": _ollama,
}

"""Messages as Ollama takes them: text with pictures beside it, and arguments as objects."""

import json
from collections.abc import Sequence
from typing import Any

from agentcore.messages import (
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    Picture,
    ReasoningContent,
    Role,
    Source,
)
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_messages import replayed_from, result_text
from agentcore.providers.profile import Replay


def encoded_messages(messages: Sequence[Message], names: WireNames, replay: Replay) -> list[dict[str, Any]]:
    """The ``messages`` of a request. An empty message is left out; thinking is sent where ``replay`` wants it."""
    first_replayed = replayed_from(messages, replay)
    encoded: list[dict[str, Any]] = []
    after_context = False
    for at, message in enumerate(messages):
        if message.role is Role.TOOL:
            encoded += [_result(result, names) for result in message.results]
        elif message.role is Role.ASSISTANT:
            encoded += _assistant(message, names, with_thinking=at >= first_replayed)
        elif said := _said(message):
            encoded.append(said)
            if after_context:
                _join_last(encoded)
        after_context = message.source is Source.CONTEXT_PROVIDER
    return encoded


def _join_last(encoded: list[dict[str, Any]]) -> None:
    """Make one turn of the user of context and what follows it: many chat templates refuse two of one role."""
    context, said = encoded[-2:] if len(encoded) > 1 else ({"role": ""}, encoded[-1])
    if context["role"] == said["role"]:
        images = [*context.get("images", ()), *said.get("images", ())]
        content = "\n\n".join(filter(None, (context["content"], said["content"])))
        encoded[-2:] = [said | {"content": content} | ({"images": images} if images else {})]


def _said(message: Message) -> dict[str, Any]:
    images = [content.data for content in message.contents if isinstance(content, DataContent) and _is_image(content)]
    content = message.text
    if not content and not images:
        return {}
    return {"role": message.role.value, "content": content} | ({"images": images} if images else {})


def takes_picture(picture: Picture) -> bool:
    """Only bytes: the server opens no link."""
    return isinstance(picture, DataContent)


def _is_image(content: DataContent) -> bool:
    return content.media_type.startswith("image/")


def _assistant(message: Message, names: WireNames, *, with_thinking: bool) -> list[dict[str, Any]]:
    calls = [_call(call, names) for call in message.calls]
    if not calls and not message.text:
        return []
    encoded: dict[str, Any] = {"role": "assistant", "content": message.text}
    thoughts = [content.text for content in message.contents if isinstance(content, ReasoningContent)]
    if with_thinking and any(thoughts):
        encoded["thinking"] = "".join(thoughts)
    if calls:
        encoded["tool_calls"] = calls
    return [encoded]


def _call(call: FunctionCallContent, names: WireNames) -> dict[str, Any]:
    # Sorted, since a database may hand a history's objects back in another order than they were sent in.
    arguments = json.loads(json.dumps(call.arguments, sort_keys=True, default=str))
    return {"id": call.call_id, "function": {"name": names.to_wire(call.name), "arguments": arguments}}


def _result(result: FunctionResultContent, names: WireNames) -> dict[str, Any]:
    """Servers pair by the name or, newer ones, by the id."""
    return {
        "role": "tool",
        "tool_name": names.to_wire(result.name),
        "tool_call_id": result.call_id,
        "content": result_text(result),
    }

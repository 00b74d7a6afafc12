"""Messages as the input items of OpenAI's Responses API.

Source: https://platform.openai.com/docs/api-reference/responses/create
"""

from collections.abc import Iterable
from typing import Any

from agentcore.messages import (
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    UriContent,
)
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_messages import picture_url, result_text, stable_json
from agentcore.providers.dialects.openai_output import CALL, MESSAGE, item_of


def encoded_items(messages: Iterable[Message], names: WireNames) -> list[dict[str, Any]]:
    """The ``input`` of a request. Usage and errors are not sent; an empty message is left out."""
    items: list[dict[str, Any]] = []
    after_context = False
    for message in messages:
        if message.role is Role.TOOL:
            items += [_result(result) for result in message.results]
        elif message.role is Role.ASSISTANT:
            items += _assistant(message, names)
        elif parts := [part for content in message.contents if (part := _part(content)) is not None]:
            if after_context and items and items[-1].get("role") == message.role.value:
                # One turn of the user: many servers' chat templates refuse two of one role.
                items[-1]["content"] += parts
            else:
                items.append({"type": MESSAGE, "role": message.role.value, "content": parts})
        after_context = message.source is Source.CONTEXT_PROVIDER
    return items


def _assistant(message: Message, names: WireNames) -> list[dict[str, Any]]:
    """Thinking goes out directly before what it led to, or not at all: the API refuses it alone."""
    items: list[dict[str, Any]] = []
    leads: list[dict[str, Any]] = []
    for content in message.contents:
        if isinstance(content, ReasoningContent):
            leads += [item for item in [item_of(content.opaque or "")] if item is not None]
        elif (item := _said(content, names)) is not None:
            items += [*leads, item]
            leads.clear()
    return items


def _said(content: object, names: WireNames) -> dict[str, Any] | None:
    """Without the ids that a server gave its items: it would ask for the thinking that they are linked to."""
    match content:
        case TextContent() if content.text:
            parts = [{"type": "output_text", "text": content.text}]
            return {"type": MESSAGE, "role": "assistant", "content": parts}
        case FunctionCallContent():
            return {
                "type": CALL,
                "call_id": content.call_id,
                "name": names.to_wire(content.name),
                "arguments": stable_json(content.arguments),
            }
        case _:
            return None


def _result(result: FunctionResultContent) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": result.call_id, "output": result_text(result)}


def _part(content: object) -> dict[str, Any] | None:
    match content:
        case TextContent() if content.text:
            return {"type": "input_text", "text": content.text}
        case DataContent() | UriContent() if content.media_type.startswith("image/"):
            return {"type": "input_image", "image_url": picture_url(content), "detail": "auto"}
        case _:
            return None

"""Messages as OpenAI chat completions takes them."""

import json
from collections.abc import Sequence
from typing import Any

from agentcore.messages import (
    CallStatus,
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    Picture,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    UriContent,
)
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_signatures import SIGNATURE, signed
from agentcore.providers.profile import ModelProfile, Replay

# Some servers take an empty text for none.
NO_THINKING = " "


def encoded_messages(messages: Sequence[Message], names: WireNames, profile: ModelProfile) -> list[dict[str, Any]]:
    """The ``messages`` of a request. Usage and errors are not sent; an empty message is left out.

    Thinking is sent as far as ``profile`` wants it back.
    """
    encoded: list[dict[str, Any]] = []
    after_context = False
    first_replayed = replayed_from(messages, profile.replay_reasoning)
    for number, message in enumerate(messages):
        if message.role is Role.TOOL:
            encoded += [_result(result) for result in message.results]
        elif message.role is Role.ASSISTANT:
            turns = _assistant(message, names)
            encoded += _with_thinking(turns, message, profile) if number >= first_replayed else turns
        elif content := _content(message):
            encoded.append({"role": message.role.value, "content": content})
            if after_context:
                _join_last(encoded)
        after_context = message.source is Source.CONTEXT_PROVIDER
    return encoded


def replayed_from(messages: Sequence[Message], replay: Replay) -> int:
    """The first message whose thinking is sent back. What the user said last begins the work on tools at hand."""
    if replay is Replay.TOOLS:
        said = (number for number, message in enumerate(messages) if _is_input(message))
        return max(said, default=0)
    return 0 if replay is Replay.ALWAYS else len(messages)


def _is_input(message: Message) -> bool:
    return message.role is Role.USER and message.source is not Source.CONTEXT_PROVIDER


def _with_thinking(turns: list[dict[str, Any]], message: Message, profile: ModelProfile) -> list[dict[str, Any]]:
    if profile.reasoning_field == SIGNATURE:
        return [signed(turn, message) for turn in turns]
    text = "\n\n".join(part.text for part in message.contents if isinstance(part, ReasoningContent) and part.text)
    if not text and not message.calls and profile.replay_reasoning is not Replay.ALWAYS:
        return turns
    # Who wants thinking back refuses a turn without any, also one that another model made.
    return [turn | {profile.reasoning_field: text or NO_THINKING} for turn in turns]


def _join_last(encoded: list[dict[str, Any]]) -> None:
    """Make one turn of the user of context and what follows it: many chat templates refuse two of one role."""
    context, said = encoded[-2:]
    if context["role"] == said["role"]:
        encoded[-2:] = [said | {"content": _joined(context["content"], said["content"])}]


def _joined(one: str | list[dict[str, Any]], other: str | list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    return [*_as_parts(one), *_as_parts(other)]


def _as_parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _assistant(message: Message, names: WireNames) -> list[dict[str, Any]]:
    calls = [_call(call, names) for call in message.calls]
    if not calls and not message.text:
        return []
    return [{"role": "assistant", "content": message.text or None} | ({"tool_calls": calls} if calls else {})]


def _call(call: FunctionCallContent, names: WireNames) -> dict[str, Any]:
    function = {"name": names.to_wire(call.name), "arguments": stable_json(call.arguments)}
    return {"id": call.call_id, "type": "function", "function": function}


def _result(result: FunctionResultContent) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": result.call_id, "content": result_text(result)}


def result_text(result: FunctionResultContent) -> str:
    """A result as a model reads it: text as it is, else JSON; a failure says its status and its error."""
    if result.status is CallStatus.DONE:
        return result.result if isinstance(result.result, str) else stable_json(result.result)
    return stable_json({"status": result.status.value, "error": result.error})


def stable_json(value: Any) -> str:
    """Sorted, since a database may hand a history's objects back in another order than they were sent in."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A plain string, or parts when there is more than text."""
    parts = [part for content in message.contents if (part := _part(content)) is not None]
    return message.text if all(part["type"] == "text" for part in parts) else parts


def _part(content: object) -> dict[str, Any] | None:
    match content:
        case TextContent() if content.text:
            return {"type": "text", "text": content.text}
        case DataContent() | UriContent() if content.media_type.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": picture_url(content)}}
        case _:
            return None


def picture_url(picture: Picture) -> str:
    """A link, or the bytes as one."""
    if isinstance(picture, UriContent):
        return picture.uri
    return f"data:{picture.media_type};base64,{picture.data}"

"""Messages as versioned JSON: what a row or a session stores. No pickle, no importable path, no unknown type."""

from dataclasses import fields
from typing import Any

from agentcore.messages import (
    CallStatus,
    Content,
    DataContent,
    ErrorContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    UriContent,
    Usage,
    UsageContent,
)

VERSION = 1

TYPES: dict[str, type[Content]] = {
    "text": TextContent,
    "data": DataContent,
    "uri": UriContent,
    "reasoning": ReasoningContent,
    "function_call": FunctionCallContent,
    "function_result": FunctionResultContent,
    "usage": UsageContent,
    "error": ErrorContent,
}
_NAMES = {kind: name for name, kind in TYPES.items()}


class UnknownFormat(ValueError):
    """Stored JSON of a version or a type that this code does not know."""


def content_to_json(content: Content) -> dict[str, Any]:
    """``{"type": …, …}``; fields that are None are left out."""
    if isinstance(content, UsageContent):
        return {"type": "usage", "usage": content.usage.as_json()}
    values = {item.name: getattr(content, item.name) for item in fields(content)}
    return {"type": _NAMES[type(content)]} | {name: value for name, value in values.items() if value is not None}


def content_from_json(data: dict[str, Any]) -> Content:
    """The content that ``content_to_json`` wrote.

    Raises:
        UnknownFormat: the type is not one of ``TYPES``, or the fields are not its own.
    """
    values = dict(data)
    kind = TYPES.get(values.pop("type", ""))
    if kind is None:
        raise UnknownFormat(f"Unknown content type {data.get('type')!r}.")
    if kind is UsageContent:
        return UsageContent(Usage(**values["usage"]))
    if kind is FunctionResultContent:
        values["status"] = CallStatus(values.get("status", CallStatus.DONE))
    try:
        return kind(**values)
    except TypeError as error:
        raise UnknownFormat(f"Unknown fields in content {data.get('type')!r}.") from error


def contents_to_json(contents: tuple[Content, ...]) -> dict[str, Any]:
    return {"version": VERSION, "contents": [content_to_json(content) for content in contents]}


def contents_from_json(data: dict[str, Any]) -> tuple[Content, ...]:
    """
    Raises:
        UnknownFormat: the version or a content is unknown.
    """
    if data.get("version") != VERSION:
        raise UnknownFormat(f"Unknown version {data.get('version')!r}; this code reads version {VERSION}.")
    return tuple(content_from_json(item) for item in data["contents"])


def message_to_json(message: Message) -> dict[str, Any]:
    return contents_to_json(message.contents) | {
        "id": message.id,
        "role": message.role.value,
        "source": message.source.value,
        "author_name": message.author_name,
    }


def message_from_json(data: dict[str, Any]) -> Message:
    """
    Raises:
        UnknownFormat: the version or a content is unknown.
    """
    return Message(
        id=data["id"],
        role=Role(data["role"]),
        contents=contents_from_json(data),
        source=Source(data["source"]),
        author_name=data.get("author_name"),
    )

"""What a program may ask of a model without an agent: the body of ``POST /api/chat``, in OpenAI's shape."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from agentcore.chat import ToolSchema
from agentcore.conf import steward
from agentcore.errors import PayloadTooLarge, ValidationFailed
from agentcore.messages import (
    Content,
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    Role,
    TextContent,
    UriContent,
)
from agentcore.runs.requests import problem_of
from agentcore.text import clean_json, is_deeper

MAX_MESSAGES, MAX_TOOLS, MAX_DEPTH = 1000, 128, 64
# "data:image/png;base64,…"
_DATA = re.compile(r"data:(?P<media_type>image/[\w.+-]+);base64,(?P<data>[A-Za-z0-9+/=]+)")


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ChatPicture(Given):
    url: StrictStr
    detail: StrictStr | None = None


class ChatPart(Given):
    """A part of a message: text, or a picture."""

    type: Literal["text", "image_url"]
    text: StrictStr = ""
    image_url: ChatPicture | None = None


class ChatFunction(Given):
    name: StrictStr = Field(min_length=1, max_length=200)
    # JSON in a text, as OpenAI has it, or the object itself.
    arguments: StrictStr | dict[str, Any] = Field(default_factory=dict)


class ChatToolCall(Given):
    id: StrictStr = Field(min_length=1, max_length=200)
    type: Literal["function"] = "function"
    function: ChatFunction


class ChatMessage(Given):
    role: Literal["system", "user", "assistant", "tool"]
    content: StrictStr | list[ChatPart] | None = None
    tool_calls: list[ChatToolCall] | None = None
    tool_call_id: StrictStr | None = None
    name: StrictStr | None = None


class ChatTool(Given):
    """A tool that the model may call; the caller runs it."""

    name: StrictStr = Field(min_length=1, max_length=64, pattern=r"^[\w.-]+$")
    description: StrictStr = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})


class ChatApiRequest(Given):
    """One call of a model. ``parse`` is the way in."""

    provider_id: StrictStr
    model: StrictStr = Field(max_length=200, min_length=1)
    messages: list[ChatMessage] = Field(min_length=1, max_length=MAX_MESSAGES)
    tools: list[ChatTool] = Field(default=[], max_length=MAX_TOOLS)

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> "ChatApiRequest":
        """Check what came from outside; text is cleaned of what no database stores.

        Raises:
            ValidationFailed: a field is unknown, missing or wrong; ``details`` names each.
            PayloadTooLarge: the messages are longer than ``MAX_INPUT_CHARS`` together.
        """
        if is_deeper(data, MAX_DEPTH):
            raise ValidationFailed(_("This is nested too deeply."))
        try:
            request = cls.model_validate(clean_json(data))
        except ValidationError as error:
            raise ValidationFailed(details=[problem_of(item) for item in error.errors()]) from None
        request.check_length()
        names = [tool.name for tool in request.tools]
        if len(set(names)) < len(names):
            raise wrong("tools", _("Two tools have the same name."))
        return request

    def check_length(self) -> None:
        length, limit = sum(map(_length, self.messages)), steward().MAX_INPUT_CHARS
        if length > limit:
            raise PayloadTooLarge(
                _("Your text is too long: %(length)d characters, and the limit is %(limit)d.")
                % {"length": length, "limit": limit}
            )

    def schemas(self) -> tuple[ToolSchema, ...]:
        """Sorted by name: a prefix that stays the same is read from the provider's cache."""
        tools = sorted(self.tools, key=lambda tool: tool.name)
        return tuple(
            ToolSchema(name=tool.name, description=tool.description, parameters=tool.parameters) for tool in tools
        )

    def as_messages(self) -> tuple[Message, ...]:
        """The messages, every call with its result.

        Raises:
            ValidationFailed: one says what its role cannot say, or a call and its result are not paired.
        """
        found: list[Message] = []
        owed: dict[str, str] = {}
        for number, said in enumerate(self.messages):
            path = f"messages.{number}"
            if said.role == "tool":
                _add_result(found, _result(said, owed, path))
                continue
            if owed:
                raise wrong(path, _("A call before this has no result."))
            contents = tuple(_contents(said, path))
            owed = {content.call_id: content.name for content in contents if isinstance(content, FunctionCallContent)}
            found.append(Message(role=Role(said.role), contents=contents))
        if owed:
            raise wrong("messages", _("The last call has no result."))
        return tuple(found)


def wrong(path: str, problem: str) -> ValidationFailed:
    return ValidationFailed(problem, details={path: [problem]})


def _length(said: ChatMessage) -> int:
    texts = [said.content or ""] if not isinstance(said.content, list) else [part.text for part in said.content]
    arguments = [call.function.arguments for call in said.tool_calls or ()]
    return sum(map(len, texts)) + sum(len(item if isinstance(item, str) else json.dumps(item)) for item in arguments)


def _contents(said: ChatMessage, path: str) -> Iterator[Content]:
    if said.tool_call_id is not None or (said.tool_calls and said.role != "assistant"):
        raise wrong(path, _("Only an assistant calls tools, and only a tool has results."))
    if not said.tool_calls and not said.content:
        raise wrong(path, _("This message is empty."))
    yield from _spoken(said, path)
    calls = said.tool_calls or []
    if len({call.id for call in calls}) < len(calls):
        raise wrong(path, _("Two calls have the same id."))
    for call in calls:
        yield FunctionCallContent(call.id, call.function.name, _arguments(call.function.arguments, path))


def _spoken(said: ChatMessage, path: str) -> Iterator[Content]:
    if isinstance(said.content, str):
        yield TextContent(said.content)
        return
    for part in said.content or ():
        if part.type == "text":
            yield TextContent(part.text)
        elif part.image_url is None or said.role != "user":
            raise wrong(path, _("A picture has an address, and only a user shows one."))
        else:
            yield _picture(part.image_url.url, path)


def _picture(url: str, path: str) -> Content:
    if match := _DATA.fullmatch(url):
        return DataContent(data=match["data"], media_type=match["media_type"])
    if not url.startswith(("https://", "http://")):
        raise wrong(path, _("A picture is an http(s) address or a data: address in base64."))
    return UriContent(uri=url, media_type="image/*")


def _arguments(given: str | dict[str, Any], path: str) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    try:
        arguments = clean_json(json.loads(given or "{}"))
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise wrong(path, _("The arguments of a call are a JSON object."))
    return cast(dict[str, Any], arguments)


def _result(said: ChatMessage, owed: dict[str, str], path: str) -> FunctionResultContent:
    if said.tool_calls or said.tool_call_id not in owed:
        raise wrong(path, _("This is the result of no call before it."))
    name = owed.pop(said.tool_call_id)
    text = "".join(content.text for content in _spoken(said, path) if isinstance(content, TextContent))
    return FunctionResultContent(said.tool_call_id, name, text)


def _add_result(found: list[Message], result: FunctionResultContent) -> None:
    """The results of one round are one message."""
    if found and found[-1].role is Role.TOOL:
        found[-1] = Message(role=Role.TOOL, contents=(*found[-1].contents, result))
    else:
        found.append(Message(role=Role.TOOL, contents=(result,)))

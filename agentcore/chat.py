"""One model call: what is asked, what comes back while it streams, and what it was in the end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Any, Protocol, TypeAlias, cast

from agentcore.messages import Content, FunctionCallContent, Message, ReasoningContent, TextContent, Usage


class FinishReason(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"


class ToolChoice(StrEnum):
    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSchema:
    """A tool as a model sees it. ``parameters`` is a JSON schema of an object.

    ``strict`` says that they keep to OpenAI's strict mode; a dialect that knows it asks for it.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    strict: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatOptions:
    """How to answer. ``None`` leaves it to the provider.

    ``response_schema`` is a JSON schema of an object: the whole text of the answer is one JSON value that fits it.
    ``response_strict`` says of it what ``ToolSchema.strict`` says of a tool.
    """

    max_output_tokens: int | None = None
    temperature: float | None = None
    tool_choice: ToolChoice = ToolChoice.AUTO
    response_schema: dict[str, Any] | None = None
    response_strict: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """Who answers: a provider and one of its models."""

    provider_id: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider_id}/{self.model}"


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's thinking. ``opaque``, the provider's own token for it, ends a block of thinking."""

    text: str
    opaque: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A whole call: it is emitted once its arguments are complete."""

    call_id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class UsageUpdate:
    """The newest usage of this call; the last one wins, they are never added up."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Finish:
    reason: FinishReason


@dataclass(frozen=True, kw_only=True, slots=True)
class RouteSwitch:
    """The gateway goes on with another route, or with less than was asked for.

    ``reason`` is an error code. With ``discard`` what was emitted until now is void: the step starts again. ``omitted``
    names what ``target`` cannot take and is not sent (``tools``, ``images``); then ``source`` may be the same route.
    """

    source: Route
    target: Route
    reason: str
    discard: bool = False
    omitted: tuple[str, ...] = ()


ModelEvent: TypeAlias = TextDelta | ReasoningDelta | ToolCall | UsageUpdate | Finish | RouteSwitch


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """What a model is sent. ``messages`` are paired: every call has its result."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    options: ChatOptions = field(default_factory=ChatOptions)


@dataclass(frozen=True, kw_only=True)
class ChatResponse:
    """A whole answer and the route that gave it."""

    contents: tuple[Content, ...]
    finish_reason: FinishReason
    usage: Usage
    provider_id: str
    model: str

    @property
    def text(self) -> str:
        return "".join(content.text for content in self.contents if isinstance(content, TextContent))

    @property
    def calls(self) -> list[FunctionCallContent]:
        return [content for content in self.contents if isinstance(content, FunctionCallContent)]

    @property
    def has_cut_off_calls(self) -> bool:
        """The output limit ended an answer with calls: nothing of it may be carried out."""
        return bool(self.calls) and self.finish_reason is FinishReason.LENGTH


@dataclass(kw_only=True)
class ChatCall:
    """One model call on its way through the chat layers; a layer may change any of it.

    ``emit`` is synchronous: it is called once for each token and must cost nothing. ``attempt`` counts from 1 within
    the step; the gateway sets it.
    """

    request: ChatRequest
    emit: Callable[[ModelEvent], None]
    step: int = 1
    attempt: int = 1


class ChatClient(Protocol):
    """Whatever answers a model call: an adapter, a gateway, a fake. Cancelling the task stops the upstream."""

    async def complete(self, call: ChatCall) -> ChatResponse:
        """Emit the events as they arrive, and return the whole answer.

        Raises:
            ProviderError: no whole answer came. What was emitted until then was shown.
        """


@dataclass
class Collector:
    """Emits model events and keeps what they add up to."""

    emit: Callable[[ModelEvent], None]
    said: list[TextDelta | ReasoningDelta | ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    finish: FinishReason | None = None

    def __call__(self, event: ModelEvent) -> None:
        match event:
            case TextDelta() | ReasoningDelta() | ToolCall():
                self.said.append(event)
            case UsageUpdate():
                self.usage = event.usage
            case Finish():
                self.finish = event.reason
        self.emit(event)

    @property
    def calls(self) -> list[ToolCall]:
        return [item for item in self.said if isinstance(item, ToolCall)]

    def contents(self, route: Route) -> tuple[Content, ...]:
        """What was said, in its order: deltas of one kind that follow each other are one content."""
        contents: list[Content] = []
        for kind, run in groupby(self.said, type):
            if kind is TextDelta:
                contents += _text(cast(Iterator[TextDelta], run))
            elif kind is ReasoningDelta:
                contents += _thinking(cast(Iterator[ReasoningDelta], run), route)
            else:
                calls = cast(Iterator[ToolCall], run)
                contents += [FunctionCallContent(call.call_id, call.name, call.arguments) for call in calls]
        return tuple(contents)


def _text(deltas: Iterator[TextDelta]) -> list[TextContent]:
    text = "".join(delta.text for delta in deltas)
    return [TextContent(text)] if text else []


def _thinking(deltas: Iterator[ReasoningDelta], route: Route) -> list[ReasoningContent]:
    """Blocks of thinking: each ends with its token, the last one perhaps without."""
    blocks: list[ReasoningContent] = []
    texts: list[str] = []
    for delta in deltas:
        texts.append(delta.text)
        if delta.opaque is not None:
            blocks.append(ReasoningContent("".join(texts), delta.opaque, route.provider_id, route.model))
            texts.clear()
    if any(texts):
        blocks.append(ReasoningContent("".join(texts), None, route.provider_id, route.model))
    return blocks

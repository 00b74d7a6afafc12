"""One model call: what is asked, what comes back while it streams, and what it was in the end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

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
    """A tool as a model sees it. ``parameters`` is a JSON schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatOptions:
    """How to answer. ``None`` leaves it to the provider."""

    max_output_tokens: int | None = None
    temperature: float | None = None
    tool_choice: ToolChoice = ToolChoice.AUTO


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


ModelEvent: TypeAlias = TextDelta | ReasoningDelta | ToolCall | UsageUpdate | Finish


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
    text: list[str] = field(default_factory=list)
    reasoning: list[ReasoningDelta] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    finish: FinishReason | None = None

    def __call__(self, event: ModelEvent) -> None:
        match event:
            case TextDelta():
                self.text.append(event.text)
            case ReasoningDelta():
                self.reasoning.append(event)
            case ToolCall():
                self.calls.append(event)
            case UsageUpdate():
                self.usage = event.usage
            case Finish():
                self.finish = event.reason
        self.emit(event)

    def contents(self, route: Route) -> tuple[Content, ...]:
        """Reasoning, then text, then calls; an empty kind is left out."""
        contents: list[Content] = []
        if self.reasoning:
            opaque = next((delta.opaque for delta in reversed(self.reasoning) if delta.opaque), None)
            thinking = "".join(delta.text for delta in self.reasoning)
            contents.append(ReasoningContent(thinking, opaque, route.provider_id, route.model))
        if text := "".join(self.text):
            contents.append(TextContent(text))
        contents += [FunctionCallContent(call.call_id, call.name, call.arguments) for call in self.calls]
        return tuple(contents)

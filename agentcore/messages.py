"""Messages: the one vocabulary that agents, providers, stores and surfaces share."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeAlias

from agentcore.ids import uuid7


class Role(StrEnum):
    """Who speaks. ``SYSTEM`` is written by developers and admins only; the rest is untrusted."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Source(StrEnum):
    """Where a message came from. Only ``EXTERNAL`` input and new output are stored, so history never feeds itself."""

    EXTERNAL = "External"
    CHAT_HISTORY = "ChatHistory"
    CONTEXT_PROVIDER = "AIContextProvider"


class CallStatus(StrEnum):
    """How a tool call was settled. Every call has exactly one result, and a result has one of these."""

    DONE = "done"
    FAILED = "failed"
    DENIED = "denied"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens. The buckets are inclusive: cached and cache writes are parts of input, reasoning is part of output."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            estimated=self.estimated or other.estimated,
        )

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class TextContent:
    text: str


@dataclass(frozen=True, slots=True)
class DataContent:
    """Bytes that travel with the message, a picture for one; ``data`` is base64."""

    data: str
    media_type: str


@dataclass(frozen=True, slots=True)
class UriContent:
    uri: str
    media_type: str


Picture: TypeAlias = DataContent | UriContent


@dataclass(frozen=True, slots=True)
class ReasoningContent:
    """A model's thinking. ``opaque`` is the provider's own token for it, replayed only to the same route."""

    text: str
    opaque: str | None = None
    provider_id: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionCallContent:
    call_id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FunctionResultContent:
    """The one result of a call. ``result`` is a JSON value; ``error`` is ``{code, message}`` when it failed."""

    call_id: str
    name: str
    result: Any = None
    status: CallStatus = CallStatus.DONE
    error: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class UsageContent:
    usage: Usage


@dataclass(frozen=True, slots=True)
class ErrorContent:
    """Why an answer is not whole: shown to the person, never sent to a model."""

    code: str
    message: str


Content: TypeAlias = (
    TextContent
    | DataContent
    | UriContent
    | ReasoningContent
    | FunctionCallContent
    | FunctionResultContent
    | UsageContent
    | ErrorContent
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message. Immutable; ``stamped`` makes a copy with another source."""

    role: Role
    contents: tuple[Content, ...]
    source: Source = Source.EXTERNAL
    author_name: str | None = None
    id: str = field(default_factory=lambda: str(uuid7()))

    @classmethod
    def of(cls, role: Role | str, text: str, **fields: Any) -> "Message":
        """A message of one text."""
        return cls(role=Role(role), contents=(TextContent(text),), **fields)

    @property
    def text(self) -> str:
        """The text contents only, joined."""
        return "".join(content.text for content in self.contents if isinstance(content, TextContent))

    @property
    def calls(self) -> list[FunctionCallContent]:
        return [content for content in self.contents if isinstance(content, FunctionCallContent)]

    @property
    def results(self) -> list[FunctionResultContent]:
        return [content for content in self.contents if isinstance(content, FunctionResultContent)]

    def stamped(self, source: Source) -> "Message":
        return replace(self, source=source)

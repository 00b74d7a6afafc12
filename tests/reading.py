"""Answers, read as the product reads them: from bytes in pieces, and over a real socket."""

import re
from collections.abc import Iterable
from typing import Any

from agentcore.chat import (
    ChatCall,
    ChatRequest,
    Finish,
    ModelEvent,
    ReasoningDelta,
    Route,
    TextDelta,
    ToolCall,
    UsageUpdate,
)
from agentcore.errors import AgentError, ProviderError
from agentcore.gateway.gateway import Gateway
from agentcore.gateway.retrying import RetryPolicy
from agentcore.gateway.routes import GatewayRoute
from agentcore.messages import Message, Role
from agentcore.providers.answer import AnswerReader
from agentcore.providers.clients import DIALECTS, client_for
from agentcore.providers.spec import ProviderSpec
from tests.fake_upstream import Answer, FakeUpstream

REQUEST = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))
ONCE = RetryPolicy(max_attempts=1)
# Ids that the product makes where none came.
MADE = re.compile(r"call_[0-9a-f]{32}")


async def outcome(answer: Answer, api: str = "openai_chat") -> tuple[list[ModelEvent], ProviderError | None]:
    """What one call through gateway and client emits and raises."""
    events: list[ModelEvent] = []
    async with FakeUpstream([answer]) as upstream:
        spec = ProviderSpec(provider_id="fx", provider_type=api, base_url=upstream.base_url)
        gateway = Gateway([GatewayRoute(Route("fx", "fx-1"), client_for(spec, allow_private=True))], retry=ONCE)
        try:
            await gateway.complete(ChatCall(request=REQUEST, emit=events.append))
        except ProviderError as error:
            return events, error
    return events, None


def normalised(events: Iterable[ModelEvent], error: AgentError | None = None) -> list[dict[str, Any]]:
    """Events in the words of the cases: the deltas of a kind joined, in order of their first appearance."""
    found: list[dict[str, Any]] = []
    for event in events:
        match event:
            case TextDelta() | ReasoningDelta():
                kind = "text" if isinstance(event, TextDelta) else "reasoning"
                if event.text and not (found and found[-1]["t"] == kind):
                    found.append({"t": kind, "text": ""})
                if event.text:
                    found[-1]["text"] += event.text
            case ToolCall():
                found.append({"t": "tool_call", "id": event.call_id, "name": event.name, "args": event.arguments})
            case UsageUpdate(usage):
                found.append({"t": "usage", "in": usage.input_tokens, "out": usage.output_tokens})
                found[-1] |= {"estimated": True} if usage.estimated else {}
            case Finish():
                found.append({"t": "finish", "reason": event.reason.value})
    if error is not None:
        partial = any(item["t"] in {"text", "reasoning"} for item in found)
        found.append({"t": "error", "code": error.code, "retryable": error.retryable, "partial": partial})
    return found


def decoded(pieces: Iterable[bytes], api: str, request: ChatRequest = REQUEST) -> list[Any]:
    """What a dialect makes of a body in those pieces, its usage and its error included; ids that it made are alike."""
    dialect = DIALECTS[api]
    events: list[Any] = []
    reader = AnswerReader(dialect.decoder(request), events.append, dialect.splitter())
    try:
        for piece in pieces:
            if not reader.feed(piece):
                break
        events += reader.end()
    except ProviderError as error:
        events.append((error.code, error.message))
    return [*map(_without_made_id, events), reader.usage()]


def _without_made_id(event: Any) -> Any:
    is_made = isinstance(event, ToolCall) and MADE.fullmatch(event.call_id)
    return ToolCall("*", event.name, event.arguments) if is_made else event


def each_byte(body: bytes) -> list[bytes]:
    return [body[at : at + 1] for at in range(len(body))]

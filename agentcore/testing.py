"""Public fakes for tests of agents, tools and layers. They keep the contracts that the real parts keep."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from agentcore.chat import (
    ChatCall,
    ChatRequest,
    ChatResponse,
    Collector,
    Finish,
    FinishReason,
    ModelEvent,
    Route,
    ToolCall,
    UsageUpdate,
)
from agentcore.messages import Usage
from agentcore.tools import Effect, Tool, ToolContext, ToolResult

FAKE_ROUTE = Route("fake", "fake-1")


class ManualClock:
    """A clock that moves only when it is told to, or when somebody sleeps on it."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._now, self._monotonic = start, 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await asyncio.sleep(0)


def call(name: str, arguments: dict[str, Any] | None = None, *, call_id: str = "") -> ToolCall:
    """A tool call as a model emits it."""
    return ToolCall(call_id or f"call_{name}", name, arguments or {})


@dataclass
class ScriptedChatClient:
    """Answers each model call with the next list of events; the last list answers all further ones.

    An exception in a list is raised when its turn comes; an ``asyncio.Event`` is waited for. ``requests`` holds what
    was sent. A ``Finish`` and a usage are added where a list has none.
    """

    script: Sequence[Sequence[ModelEvent | Exception | asyncio.Event]]
    requests: list[ChatRequest] = field(default_factory=list)
    route: Route = FAKE_ROUTE

    async def complete(self, call: ChatCall) -> ChatResponse:
        events = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(call.request)
        collector = Collector(call.emit)
        for event in events:
            match event:
                case Exception():
                    raise event
                case asyncio.Event():
                    await event.wait()
                case _:
                    collector(event)
        if collector.finish is None:
            collector(Finish(FinishReason.TOOL_CALLS if collector.calls else FinishReason.STOP))
        usage = collector.usage or Usage(input_tokens=1, output_tokens=1)
        collector(UsageUpdate(usage))
        return ChatResponse(
            contents=collector.contents(self.route),
            finish_reason=collector.finish or FinishReason.STOP,
            usage=usage,
            provider_id=self.route.provider_id,
            model=self.route.model,
        )


@dataclass
class RecordingTool:
    """A tool that keeps its calls; ``behaviour`` is a value to return, an exception to raise, or a gate to wait at."""

    name: str
    behaviour: Any = "done"
    effect: Effect = Effect.READ
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)

    def tool(self, **fields: Any) -> Tool:
        return Tool(
            name=self.name,
            description=f"{self.name}.",
            parameters={"type": "object", "properties": {}},
            invoke=self._invoke,
            effect=self.effect,
            **fields,
        )

    async def _invoke(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.calls.append(arguments)
        self.started.set()
        if isinstance(self.behaviour, Exception):
            raise self.behaviour
        if isinstance(self.behaviour, asyncio.Event):
            await self.behaviour.wait()
            return ToolResult(for_model="waited")
        return ToolResult(for_model=self.behaviour)

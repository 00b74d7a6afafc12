"""Where a run writes down what it does before it shows it, and before it has an effect. No secret gets this far."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from agentcore.events import EventType
from agentcore.messages import CallStatus, FunctionCallContent, FunctionResultContent, Message
from agentcore.tools import Tool


@dataclass(frozen=True, kw_only=True)
class ProposedCall:
    """A call as it is shown before it runs. ``argument_hash`` is of what the tool gets, secrets included."""

    call: FunctionCallContent
    tool: Tool | None
    argument_hash: str
    summary: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one call went. ``detail`` is the technical reason of a failure, for the audit only."""

    result: FunctionResultContent
    for_ui: Any = None
    invalidates: tuple[str, ...] = ()
    duration_ms: int = 0
    detail: str = ""


class Journal(Protocol):
    """A run's memory. ``emit`` never waits; the others return once what they say is stored."""

    def emit(self, type: EventType, data: dict[str, Any]) -> None:
        """Show an event. Never waits and never fails: called once for each token."""

    async def calls_proposed(self, step: int, calls: list[ProposedCall]) -> None:
        """Store the calls of a step before any of them is shown or run; a tool is None when nobody has it."""

    async def call_claimed(self, call_id: str) -> None:
        """Store that the call starts, so that it can never start twice."""

    async def call_settled(self, step: int, outcome: Outcome) -> None:
        """Store the result of a call, with the event that shows it."""

    async def step_settled(self, step: int, messages: list[Message]) -> None:
        """Store the messages of a step whose calls are all settled: where a resumed run goes on."""


@dataclass
class MemoryJournal:
    """A journal that forgets with the process: for agents without a database, and for tests."""

    events: list[tuple[EventType, dict[str, Any]]] = field(default_factory=list)
    steps: dict[int, list[Message]] = field(default_factory=dict)
    calls: dict[str, str] = field(default_factory=dict)

    def emit(self, type: EventType, data: dict[str, Any]) -> None:
        self.events.append((type, data))

    async def calls_proposed(self, step: int, calls: list[ProposedCall]) -> None:
        for proposed in calls:
            self.calls[proposed.call.call_id] = "proposed"
            self.emit(EventType.TOOL_CALL_STARTED, call_started(proposed))

    async def call_claimed(self, call_id: str) -> None:
        self.calls[call_id] = "executing"

    async def call_settled(self, step: int, outcome: Outcome) -> None:
        self.calls[outcome.result.call_id] = outcome.result.status.value
        self.emit(EventType.TOOL_CALL_COMPLETED, call_completed(outcome))

    async def step_settled(self, step: int, messages: list[Message]) -> None:
        self.steps[step] = messages


def call_started(proposed: ProposedCall) -> dict[str, Any]:
    """The data of ``ToolCallStarted``."""
    call, tool = proposed.call, proposed.tool
    return {
        "call_id": call.call_id,
        "name": call.name,
        "arguments": call.arguments,
        "category": tool.category if tool else "",
        "effect": tool.effect.value if tool else "read",
        "summary": proposed.summary,
    }


def call_completed(outcome: Outcome) -> dict[str, Any]:
    """The data of ``ToolCallCompleted``."""
    result = outcome.result
    return {
        "call_id": result.call_id,
        "name": result.name,
        "status": result.status.value,
        "result": result.result,
        "for_ui": outcome.for_ui,
        "invalidates": list(outcome.invalidates),
        "error": result.error,
        "duration_ms": outcome.duration_ms,
    }


def unfinished(call: FunctionCallContent, status: CallStatus, code: str, message: str) -> Outcome:
    """The outcome of a call that did not come to its own end."""
    error = {"code": code, "message": message}
    return Outcome(result=FunctionResultContent(call.call_id, call.name, None, status, error))

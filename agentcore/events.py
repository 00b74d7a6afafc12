"""Run events: what a run shows, in order, in one envelope everywhere."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class EventType(StrEnum):
    """The types of the contract. ``docs/reference/events.md`` says what the data of each holds."""

    RUN_STARTED = "RunStarted"
    RUN_RESUMED = "RunResumed"
    STEP_STARTED = "StepStarted"
    TEXT_DELTA = "TextDelta"
    REASONING_DELTA = "ReasoningDelta"
    MESSAGE_COMPLETED = "MessageCompleted"
    TOOL_CALL_STARTED = "ToolCallStarted"
    PERMISSION_REQUIRED = "PermissionRequired"
    PERMISSION_RESOLVED = "PermissionResolved"
    TOOL_CALL_COMPLETED = "ToolCallCompleted"
    CITATION = "Citation"
    ROUTE_CHANGED = "RouteChanged"
    GUARDRAIL_BLOCKED = "GuardrailBlocked"
    CONTEXT_COMPACTED = "ContextCompacted"
    USAGE_REPORTED = "UsageReported"
    RUN_COMPLETED = "RunCompleted"
    RUN_FAILED = "RunFailed"
    RUN_CANCELLED = "RunCancelled"


TERMINAL = frozenset({EventType.RUN_COMPLETED, EventType.RUN_FAILED, EventType.RUN_CANCELLED})
DELTAS = frozenset({EventType.TEXT_DELTA, EventType.REASONING_DELTA})


@dataclass(frozen=True, slots=True)
class Event:
    """One stored event. ``sequence`` counts from 0 without a gap inside a run."""

    run_id: UUID
    sequence: int
    type: EventType
    created_at: datetime
    data: dict[str, Any]

    @property
    def is_terminal(self) -> bool:
        return self.type in TERMINAL

    def envelope(self) -> dict[str, Any]:
        """The JSON shape that every surface sends."""
        return {
            "run_id": str(self.run_id),
            "sequence": self.sequence,
            "type": self.type.value,
            "created_at": self.created_at.isoformat(),
            "data": self.data,
        }

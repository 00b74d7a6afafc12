"""The record: what observers are told. Control is middleware; observers only see, and never hurt the answer."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from agentcore.chat import Route
from agentcore.messages import CallStatus, Usage


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a call cost, with the prices it was computed from. ``amount`` is None when the price is unknown."""

    amount: Decimal | None = None
    currency: str = "USD"
    prices: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunStarted:
    at: datetime
    agent: str
    purpose: str
    conversation_id: UUID | None
    user_id: str | None
    username: str
    tenant: str
    requested: Route | None
    input: str
    config: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ModelCallStarted:
    """An attempt is about to connect. ``(run, step, attempt)`` is unique; the record is made before the wire.

    ``retry_reason`` is the code of the failure that led to it.
    """

    at: datetime
    step: int
    attempt: int
    route: Route
    retry_reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelCallFinished:
    """An attempt ended. ``outcome`` is ``ok``, ``cancelled`` or an error code; times are in milliseconds."""

    at: datetime
    step: int
    attempt: int
    route: Route
    outcome: str
    finish_reason: str
    usage: Usage
    cost: Cost
    first_token_ms: int | None
    duration_ms: int
    retry_reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolCallStarted:
    at: datetime
    step: int
    call_id: str
    name: str
    arguments: dict[str, Any]
    effect: str
    category: str


@dataclass(frozen=True, kw_only=True)
class ToolCallFinished:
    """A call was settled. ``detail`` is the technical reason of a failure: for the audit, never for the model."""

    at: datetime
    step: int
    call_id: str
    name: str
    status: CallStatus
    result: Any
    error: dict[str, str] | None
    duration_ms: int
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class GuardrailHit:
    at: datetime
    guardrail: str
    stage: str
    message: str


@dataclass(frozen=True, kw_only=True)
class ApprovalAsked:
    at: datetime
    request_id: str
    call_id: str
    tool: str
    permission: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ApprovalDecided:
    at: datetime
    request_id: str
    call_id: str
    tool: str
    decision: str
    decided_by: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class RunEnded:
    """A run ended: always the last observation of a run, also when recovery ended it, and redelivered until kept.

    It says everything that a record needs, so that a record that missed the rest can still be made whole.
    """

    at: datetime
    started: RunStarted
    status: str
    finish_reason: str
    answered: Route | None
    usage: Usage
    cost: Cost
    model_calls: int
    tool_calls: int
    error: dict[str, str] | None
    cancel_reason: str
    duration_ms: int


Observation: TypeAlias = (
    RunStarted
    | ModelCallStarted
    | ModelCallFinished
    | ToolCallStarted
    | ToolCallFinished
    | GuardrailHit
    | ApprovalAsked
    | ApprovalDecided
    | RunEnded
)


class Observer(Protocol):
    """Keeps a record, named by a dotted path in ``STEWARD["OBSERVERS"]``; built once a process, keeps no state.

    ``observe`` gets the observations of one run in order, in batches; the same batch may come twice, so what it
    writes is keyed by what it is told. What it raises is counted and logged, and hurts nothing.
    """

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None: ...


async def unobserved(observation: Observation) -> None:
    """The observer of what nobody records."""

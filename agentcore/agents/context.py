"""The run as its layers and tools see it: who asked, within which limits, and where it writes things down."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from agentcore.agents.journal import Journal, MemoryJournal
from agentcore.clock import CLOCK, Clock
from agentcore.ids import uuid7
from agentcore.messages import Usage
from agentcore.observers import Cost, Observation
from agentcore.tools import Caller, CancelToken


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far a run may go. Seconds count work, not a person's thinking."""

    max_tool_loops: int = 5
    max_steps: int = 10
    max_parallel_tools: int = 4
    tool_timeout_s: float = 30
    timeout_s: float = 120
    max_output_tokens: int | None = 4096
    token_budget: int | None = None


@dataclass
class Meter:
    """What a run used so far: every attempt counts, also one that failed.

    ``cost`` is None as soon as one attempt's price is unknown: a sum with a hole in it is no sum.
    """

    usage: Usage = field(default_factory=Usage)
    cost: Decimal | None = Decimal(0)
    currency: str = "USD"
    model_calls: int = 0
    tool_calls: int = 0

    def add(self, usage: Usage, cost: Cost) -> None:
        """Count one attempt. Amounts in two currencies have no sum either."""
        self.usage += usage
        same = self.model_calls == 0 or cost.currency == self.currency
        known = self.cost is not None and cost.amount is not None and same
        self.cost = self.cost + cost.amount if known else None  # type: ignore[operator]
        self.currency = cost.currency
        self.model_calls += 1


async def _unobserved(observation: Observation) -> None:
    """The observer of a run that nobody records."""


@dataclass(kw_only=True)
class RunContext:
    """One run. ``properties`` live for this run; nothing here outlives it."""

    run_id: UUID = field(default_factory=uuid7)
    conversation_id: UUID | None = None
    agent: str = ""
    caller: Caller = field(default_factory=Caller)
    limits: Limits = field(default_factory=Limits)
    properties: dict[str, Any] = field(default_factory=dict)
    journal: Journal = field(default_factory=MemoryJournal)
    # Tells the observers; waits until they have kept what must be on record before the next thing happens.
    observe: Callable[[Observation], Awaitable[None]] = _unobserved
    meter: Meter = field(default_factory=Meter)
    cancel: CancelToken = field(default_factory=CancelToken)
    clock: Clock = CLOCK


_current: ContextVar[RunContext | None] = ContextVar("steward_run", default=None)


def current_run() -> RunContext | None:
    """The run that this code works for, or None outside of one."""
    return _current.get()


def enter_run(run: RunContext) -> None:
    """Make ``run`` the current one for this task and the tasks it starts."""
    _current.set(run)

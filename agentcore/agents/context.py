"""The run as its layers and tools see it: who asked, within which limits, and where it writes things down."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from agentcore.agents.journal import Journal, MemoryJournal
from agentcore.chat import Route
from agentcore.clock import CLOCK, Clock
from agentcore.ids import uuid7
from agentcore.messages import Usage
from agentcore.observers import Cost, Observation, unobserved
from agentcore.redaction import Redactor
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


@dataclass(frozen=True, kw_only=True)
class Total:
    """What some model calls used together.

    ``cost`` is None as soon as the price of one is unknown, or two currencies meet: a sum with a hole is no sum.
    """

    usage: Usage
    cost: Decimal | None
    currency: str

    def as_json(self) -> dict[str, Any]:
        """``{usage, cost, currency}``; the cost is a decimal string."""
        return {"usage": self.usage.as_json(), "cost": cost_text(self.cost), "currency": self.currency}


def cost_text(cost: Decimal | None) -> str | None:
    """A cost as the contract writes it: a plain decimal string without an exponent or idle zeros, or None."""
    return None if cost is None else format(cost.normalize() + 0, "f")


@dataclass
class Meter:
    """What a run used so far: every attempt counts, also one that failed."""

    charges: list[tuple[Usage, Cost]] = field(default_factory=list)
    tool_calls: int = 0

    def add(self, usage: Usage, cost: Cost) -> None:
        """Count one attempt."""
        self.charges.append((usage, cost))

    @property
    def model_calls(self) -> int:
        return len(self.charges)

    def total(self, since: int = 0) -> Total:
        """The sum of the attempts from number ``since`` on; one that was refused used nothing, in no currency."""
        charges = [(usage, cost) for usage, cost in self.charges[since:] if usage != Usage()]
        amounts = [cost.amount for _usage, cost in charges if cost.amount is not None]
        currencies = {cost.currency for _usage, cost in charges}
        whole = len(amounts) == len(charges) and len(currencies) <= 1
        return Total(
            usage=sum((usage for usage, _cost in charges), Usage()),
            cost=sum(amounts, Decimal(0)) if whole else None,
            currency=charges[0][1].currency if charges else "USD",
        )


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
    observe: Callable[[Observation], Awaitable[None]] = unobserved
    meter: Meter = field(default_factory=Meter)
    # The route that answered last: often not the one that was asked for.
    answered: Route | None = None
    # The agent came to its own end: what a run layer then leaves out of the answer does not stand.
    is_whole: bool = False
    cancel: CancelToken = field(default_factory=CancelToken)
    # Takes the secrets out of all that leaves the loop; a tool alone gets its arguments as the model wrote them.
    redactor: Redactor = field(default_factory=Redactor)
    clock: Clock = CLOCK


_current: ContextVar[RunContext | None] = ContextVar("steward_run", default=None)


def current_run() -> RunContext | None:
    """The run that this code works for, or None outside of one."""
    return _current.get()


def enter_run(run: RunContext) -> None:
    """Make ``run`` the current one for this task and the tasks it starts."""
    _current.set(run)

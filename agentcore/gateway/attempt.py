"""One attempt at a model call, and what is told of it: before it connects, and when it ended."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TypeAlias

from agentcore.chat import ChatCall, ChatClient, ChatResponse, Collector, ModelEvent, Route, UsageUpdate
from agentcore.clock import Clock
from agentcore.errors import (
    BY_CODE,
    ContentFiltered,
    OutputTruncated,
    ProviderBadResponse,
    ProviderError,
    ProviderTimeout,
    error_of,
)
from agentcore.finishing import finished
from agentcore.gateway.breaker import CANCELLED
from agentcore.gateway.cleaning import CleanEmit
from agentcore.gateway.secrets import SecretEmit
from agentcore.messages import Usage
from agentcore.observers import Cost, ModelCallFinished, ModelCallStarted, Observation
from agentcore.providers.estimate import estimated_usage
from agentcore.redaction import Redactor

Observe: TypeAlias = Callable[[Observation], Awaitable[None]]
Charge: TypeAlias = Callable[[Usage, Cost], None]
PriceOf: TypeAlias = Callable[[Route, Usage, datetime], Awaitable[Cost]]

NOTHING = Usage()
# These end an answer that was begun, also where nothing of it was shown.
AT_WORK = frozenset({CANCELLED, OutputTruncated.code, ContentFiltered.code})
# Nobody is billed for a call that was not taken. Silence and a broken answer leave that open.
REFUSED = frozenset(
    code
    for code, kind in BY_CODE.items()
    if issubclass(kind, ProviderError) and not issubclass(kind, ProviderTimeout | ProviderBadResponse)
)
# A cancelled attempt is still put on record, but a record that hangs must not hold up the person's stop.
CANCEL_GRACE_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """Where attempts are told, what they are charged to, at what price, and what they must not show."""

    observe: Observe
    charge: Charge
    price: PriceOf
    clock: Clock
    redactor: Redactor


@dataclass(kw_only=True)
class Attempt:
    """One try of ``client`` at ``call``."""

    call: ChatCall
    route: Route
    client: ChatClient
    ledger: Ledger
    # The failure that led to it: an error code, or empty.
    retry_reason: str = ""
    collected: Collector = field(init=False)
    first_token_s: float | None = None
    started_s: float = 0

    def __post_init__(self) -> None:
        self.collected = Collector(self._show)

    async def run(self) -> ChatResponse:
        """The answer. What was shown is on record however it ends.

        Raises:
            ProviderError: no whole answer came.
        """
        clock = self.ledger.clock
        await self.ledger.observe(
            ModelCallStarted(
                at=clock.now(),
                step=self.call.step,
                attempt=self.call.attempt,
                route=self.route,
                retry_reason=self.retry_reason,
            )
        )
        self.started_s = clock.monotonic()
        try:
            response = await self._answer()
        except asyncio.CancelledError as stop:
            await finished(self._finished(CANCELLED), grace_s=CANCEL_GRACE_S, stop=stop)
            raise
        except Exception as error:
            await finished(self._finished(error_of(error).code), grace_s=CANCEL_GRACE_S)
            raise
        # What was billed is on record, also when a stop comes meanwhile.
        await finished(self._finished("ok", response), grace_s=CANCEL_GRACE_S)
        return response

    async def _answer(self) -> ChatResponse:
        """The client's answer, with the contents that were shown: cleaned, and the same on screen and in the row."""
        whole = SecretEmit(self.collected, self.ledger.redactor) if self.ledger.redactor.knows_secrets else None
        emit = CleanEmit(whole or self.collected)
        call = ChatCall(request=self.call.request, emit=emit, step=self.call.step, attempt=self.call.attempt)
        try:
            response = await self.client.complete(call)
        finally:
            emit.flush()
            if whole is not None:
                whole.flush()
        return ChatResponse(
            contents=self.collected.contents(self.route),
            finish_reason=response.finish_reason,
            usage=response.usage,
            provider_id=self.route.provider_id,
            model=self.route.model,
        )

    def _show(self, event: ModelEvent) -> None:
        if self.first_token_s is None and not isinstance(event, UsageUpdate):
            self.first_token_s = self.ledger.clock.monotonic()
        self.call.emit(event)

    async def _finished(self, outcome: str, response: ChatResponse | None = None) -> None:
        clock = self.ledger.clock
        duration_s, at = clock.monotonic() - self.started_s, clock.now()
        usage = response.usage if response else self._usage_so_far(outcome)
        cost = await self.ledger.price(self.route, usage, at) if usage != NOTHING else Cost(amount=Decimal(0))
        self.ledger.charge(usage, cost)
        await self.ledger.observe(
            ModelCallFinished(
                at=at,
                step=self.call.step,
                attempt=self.call.attempt,
                route=self.route,
                outcome=outcome,
                finish_reason=response.finish_reason.value if response else "",
                usage=usage,
                cost=cost,
                first_token_ms=_milliseconds(self.first_token_s, self.started_s),
                duration_ms=round(duration_s * 1000),
                retry_reason=self.retry_reason,
            )
        )

    def _usage_so_far(self, outcome: str) -> Usage:
        """What an answer that was cut off used: as reported, else estimated; nothing when it was refused."""
        if self.collected.usage is not None:
            return self.collected.usage
        if self.first_token_s is None and outcome not in AT_WORK:
            return NOTHING if outcome in REFUSED else Usage(estimated=True)
        return estimated_usage(self.call.request, self.collected)


def _milliseconds(until_s: float | None, since_s: float) -> int | None:
    return None if until_s is None else round((until_s - since_s) * 1000)

"""The gateway: a chat client over an ordered list of routes."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from agentcore.chat import ChatCall, ChatResponse, Route
from agentcore.clock import CLOCK, Clock
from agentcore.gateway.attempt import Charge, Ledger, Observe, PriceOf
from agentcore.gateway.breaker import Admission, Breaker, MemoryStore
from agentcore.gateway.passage import Gatekeeper, Passage, Rules
from agentcore.gateway.retrying import RetryPolicy
from agentcore.gateway.routes import GatewayRoute
from agentcore.messages import Usage
from agentcore.observers import Cost, unobserved
from agentcore.redaction import Redactor


class OwnBreaker:
    """A breaker that this process shares with no other one."""

    def __init__(self, *, clock: Clock = CLOCK) -> None:
        self._breaker = Breaker(MemoryStore(), clock=clock)

    async def admit(self, route: Route) -> Admission:
        return self._breaker.admit(route)

    async def settle(self, admission: Admission, code: str) -> None:
        self._breaker.settle(admission, code)


def _uncharged(usage: Usage, cost: Cost) -> None:
    """The meter of calls that nobody counts."""


async def _unpriced(route: Route, usage: Usage, at: datetime) -> Cost:
    return Cost()


def _without_end() -> float:
    return float("inf")


NO_SECRETS = Redactor()
PATIENT = RetryPolicy()


class Gateway:
    """Decides which route answers, and puts each attempt on record before it connects and when it ended.

    One is made for a run. ``left_s`` tells how many seconds the run has left; ``restarts_after_text`` takes back what
    was shown when a route fails in the middle of its answer, and starts again.
    """

    def __init__(
        self,
        routes: Sequence[GatewayRoute],
        *,
        observe: Observe = unobserved,
        charge: Charge = _uncharged,
        price: PriceOf = _unpriced,
        clock: Clock = CLOCK,
        redactor: Redactor = NO_SECRETS,
        retry: RetryPolicy = PATIENT,
        gatekeeper: Gatekeeper | None = None,
        left_s: Callable[[], float] = _without_end,
        restarts_after_text: bool = False,
    ) -> None:
        if not routes:
            raise ValueError("A gateway needs at least one route.")
        self._routes = tuple(routes)
        self._answered: Route | None = None
        # By step: a chat layer may ask more than once in one, and each time is an attempt of its own.
        self._attempts: Counter[int] = Counter()
        self._ledger = Ledger(observe=observe, charge=charge, price=price, clock=clock, redactor=redactor)
        self._rules = Rules(
            gatekeeper=gatekeeper or OwnBreaker(clock=clock),
            retry=retry,
            left_s=left_s,
            restarts_after_text=restarts_after_text,
        )

    async def complete(self, call: ChatCall) -> ChatResponse:
        """
        Raises:
            ProviderError: no route gave a whole answer.
        """
        passage = Passage(
            call=call,
            routes=self._routes,
            rules=self._rules,
            ledger=self._ledger,
            number=partial(self._next_attempt, call.step),
            answered=self._answered,
        )
        response = await passage.answer()
        self._answered = Route(response.provider_id, response.model)
        return response

    def _next_attempt(self, step: int) -> int:
        self._attempts[step] += 1
        return self._attempts[step]

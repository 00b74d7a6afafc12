"""The gateway: a chat client over an ordered list of routes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agentcore.chat import ChatCall, ChatClient, ChatRequest, ChatResponse, Route
from agentcore.clock import CLOCK, Clock
from agentcore.gateway.attempt import Attempt, Charge, Ledger, Observe, PriceOf
from agentcore.messages import Usage
from agentcore.observers import Cost, unobserved
from agentcore.redaction import Redactor


@dataclass(frozen=True)
class GatewayRoute:
    """A route and the client that speaks to it."""

    route: Route
    client: ChatClient


def _uncharged(usage: Usage, cost: Cost) -> None:
    """The meter of calls that nobody counts."""


async def _unpriced(route: Route, usage: Usage, at: datetime) -> Cost:
    return Cost()


NO_SECRETS = Redactor()


class Gateway:
    """Decides which route answers, and puts each attempt on record before it connects and when it ended.

    One is made for a run. The first route answers; the others are kept in their order.
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
    ) -> None:
        if not routes:
            raise ValueError("A gateway needs at least one route.")
        self._routes = tuple(routes)
        # By step: a chat layer may ask more than once in one, and each time is an attempt of its own.
        self._attempts: Counter[int] = Counter()
        self._ledger = Ledger(observe=observe, charge=charge, price=price, clock=clock, redactor=redactor)

    async def complete(self, call: ChatCall) -> ChatResponse:
        """
        Raises:
            ProviderError: no route gave a whole answer.
        """
        first = self._routes[0]
        self._attempts[call.step] += 1
        addressed = ChatCall(
            request=_addressed(call.request, first.route),
            emit=call.emit,
            step=call.step,
            attempt=self._attempts[call.step],
        )
        return await Attempt(call=addressed, route=first.route, client=first.client, ledger=self._ledger).run()


def _addressed(request: ChatRequest, route: Route) -> ChatRequest:
    """``request``, asked of the route's own model."""
    return ChatRequest(model=route.model, messages=request.messages, tools=request.tools, options=request.options)

"""A passage: one model call on its way over the routes, until one answers or none is left."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from agentcore.chat import ChatCall, ChatResponse, ReasoningDelta, Route, RouteSwitch, TextDelta
from agentcore.errors import CapabilityMissing, ProviderError, ProviderUnavailable
from agentcore.gateway.addressing import addressed
from agentcore.gateway.attempt import Attempt, Ledger
from agentcore.gateway.breaker import CANCELLED, SOUND, Admission
from agentcore.gateway.retrying import FINAL, RetryPolicy
from agentcore.gateway.routes import GatewayRoute, in_order


class Gatekeeper(Protocol):
    """The breaker, as async code asks it."""

    async def admit(self, route: Route) -> Admission: ...

    async def settle(self, admission: Admission, code: str) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How a gateway goes on after a failure.

    ``restarts_after_text`` takes back what was shown and starts again elsewhere; without it, a failure after text is
    the end. ``left_s`` tells how much time the run has left.
    """

    gatekeeper: Gatekeeper
    retry: RetryPolicy
    left_s: Callable[[], float]
    restarts_after_text: bool = False


@dataclass(kw_only=True)
class Passage:
    """``number`` gives each attempt its own; ``answered`` is the route that answered earlier in the run."""

    call: ChatCall
    routes: Sequence[GatewayRoute]
    rules: Rules
    ledger: Ledger
    number: Callable[[], int]
    answered: Route | None = None
    # The route that the person sees, and why it is about to change.
    shown_route: Route | None = None
    reason: str = ""
    # Something was shown that does not stand, and text that may not be taken back without a word.
    is_void: bool = False
    is_text_shown: bool = False

    async def answer(self) -> ChatResponse:
        """
        Raises:
            ProviderError: no route gave a whole answer: what the last one said that was asked.
        """
        self.shown_route = self.answered or self.routes[0].route
        failure: ProviderError | None = None
        shut: list[tuple[Admission, GatewayRoute]] = []
        candidates = in_order(self.routes, self.call.request, self.answered)
        for candidate in candidates:
            admission = await self.rules.gatekeeper.admit(candidate.route)
            if not admission.is_admitted:
                shut.append((admission, candidate))
                continue
            if shut and not self.reason:
                self.reason = shut[0][0].health.code
            try:
                return await self._asked(candidate, admission)
            except ProviderError as error:
                if not self._may_go_on(error):
                    raise
                failure = error
        if failure is None:
            self.reason = self.reason or ProviderUnavailable.code
            return await self._asked(*_first_back(shut))
        if self.is_text_shown and len(candidates) == 1:
            return await self._asked_again(candidates[0], failure)
        raise failure

    def _may_go_on(self, error: ProviderError) -> bool:
        return not isinstance(error, FINAL) and (self.rules.restarts_after_text or not self.is_text_shown)

    async def _asked(self, candidate: GatewayRoute, admission: Admission) -> ChatResponse:
        """The answer of one route, asked as often as the policy says.

        Raises:
            ProviderError: it gave none.
        """
        attempts, was_told = 0, False
        while True:
            attempts += 1
            try:
                return await self._attempted(candidate, admission)
            except ProviderError as error:
                failure = error
            wait_s = self._wait_s(failure, attempts=attempts, was_told=was_told)
            if wait_s is None:
                raise failure
            was_told = was_told or failure.retry_after_s is not None
            await self.ledger.clock.sleep(wait_s)
            admission = await self.rules.gatekeeper.admit(candidate.route)
            if not admission.is_admitted:
                raise failure

    def _wait_s(self, error: ProviderError, *, attempts: int, was_told: bool) -> float | None:
        if self.is_text_shown or isinstance(error, FINAL):
            return None
        left_s = self.rules.left_s()
        return self.rules.retry.wait_s(error, attempts=attempts, left_s=left_s, was_told=was_told)

    async def _asked_again(self, only: GatewayRoute, failure: ProviderError) -> ChatResponse:
        """Where there is no other route, the answer starts again on the same one, once."""
        admission = await self.rules.gatekeeper.admit(only.route)
        if not admission.is_admitted:
            raise failure
        return await self._attempted(only, admission)

    async def _attempted(self, candidate: GatewayRoute, admission: Admission) -> ChatResponse:
        attempt = self._attempt(candidate)
        try:
            response = await attempt.run()
        except ProviderError as error:
            self._learn(attempt, error)
            await self.rules.gatekeeper.settle(admission, error.code)
            raise
        except BaseException:
            # A stop, or a fault of ours, says nothing of the route; a probe is given back all the same.
            if admission.is_probe:
                await asyncio.shield(self.rules.gatekeeper.settle(admission, CANCELLED))
            raise
        if admission.health != SOUND:
            await self.rules.gatekeeper.settle(admission, "")
        return response

    def _attempt(self, candidate: GatewayRoute) -> Attempt:
        request = addressed(self.call.request, candidate.route)
        omitted = candidate.omitted(request)
        self._show(candidate.route, omitted)
        call = replace(self.call, request=candidate.fitted(request), attempt=self.number())
        return Attempt(
            call=call,
            route=candidate.route,
            client=candidate.speaker,
            ledger=self.ledger,
            retry_reason=self.reason,
        )

    def _show(self, target: Route, omitted: tuple[str, ...]) -> None:
        """Tell the person when another route answers than they see, with less, or anew."""
        source = self.shown_route or target
        if source == target and not omitted and not self.is_void:
            return
        reason = self.reason or CapabilityMissing.code
        self.call.emit(RouteSwitch(source=source, target=target, reason=reason, discard=self.is_void, omitted=omitted))
        self.shown_route, self.is_void = target, False

    def _learn(self, attempt: Attempt, error: ProviderError) -> None:
        self.reason = error.code
        said = attempt.collected.said
        self.is_void = self.is_void or any(isinstance(item, TextDelta | ReasoningDelta) for item in said)
        self.is_text_shown = self.is_text_shown or any(isinstance(item, TextDelta) for item in said)


def _first_back(shut: Sequence[tuple[Admission, GatewayRoute]]) -> tuple[GatewayRoute, Admission]:
    """Every route rests: the one that comes back first is asked all the same."""
    admission, candidate = min(shut, key=lambda each: each[0].health.comes_back_at)
    return candidate, admission

"""The given cases of retry and fallback, over a real wire."""

from typing import Any

import pytest

from agentcore.chat import ChatCall, ChatRequest, ChatResponse, ModelEvent, RouteSwitch
from agentcore.errors import ProviderBadResponse, ProviderRateLimited
from agentcore.gateway.gateway import Gateway
from agentcore.gateway.retrying import RetryPolicy
from agentcore.gateway.routes import GatewayRoute, Route
from agentcore.messages import Message, Role
from agentcore.observers import ModelCallFinished, Observation
from agentcore.providers.clients import client_for
from agentcore.providers.spec import ProviderSpec
from agentcore.testing import ManualClock
from tests.fake_upstream import FakeUpstream, said
from tests.recorded import answer_of, case


class WaitingClock(ManualClock):
    """Keeps how long was slept."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await super().sleep(seconds)


class Asked:
    """One call over the routes p1, p2 …, all of which are one upstream; what came of it."""

    def __init__(self) -> None:
        self.clock = WaitingClock()
        self.events: list[ModelEvent] = []
        self.ended: list[ModelCallFinished] = []

    async def observe(self, observation: Observation) -> None:
        if isinstance(observation, ModelCallFinished):
            self.ended.append(observation)

    async def __call__(self, upstream: FakeUpstream, *slugs: str, **fields: Any) -> ChatResponse:
        routes = [GatewayRoute(Route(slug, "fx-1"), self.client(slug, upstream)) for slug in slugs]
        gateway = Gateway(routes, observe=self.observe, clock=self.clock, **fields)
        request = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))
        return await gateway.complete(ChatCall(request=request, emit=self.events.append))

    def client(self, slug: str, upstream: FakeUpstream) -> Any:
        spec = ProviderSpec(provider_id=slug, provider_type="openai_chat", base_url=upstream.base_url)
        return client_for(spec, allow_private=True, clock=self.clock)


A26 = [answer_of(response) for response in case("A26")["input"]["responses"]]
A27 = [answer_of(response) for response in case("A27")["input"]["responses"]]


async def test_a26_after_text_nothing_is_retried_in_silence_and_the_true_cause_is_told() -> None:
    asked = Asked()
    async with FakeUpstream(A26) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(upstream, "p1", "p2")

    assert [(call.route.provider_id, call.outcome) for call in asked.ended] == [("p1", "PROVIDER_BAD_RESPONSE")]
    assert asked.ended[0].usage.output_tokens > 0


async def test_a26_an_agent_that_restarts_gets_the_whole_text_of_the_next_route() -> None:
    asked = Asked()
    async with FakeUpstream(A26) as upstream:
        response = await asked(upstream, "p1", "p2", restarts_after_text=True)

    assert response.text == "The answer is 7."
    assert [event.discard for event in asked.events if isinstance(event, RouteSwitch)] == [True]
    assert [(call.route.provider_id, call.outcome) for call in asked.ended] == [
        ("p1", "PROVIDER_BAD_RESPONSE"),
        ("p2", "ok"),
    ]
    # The target model gets the question, and no half answer to go on with.
    assert [message["role"] for message in upstream.requests[1].json["messages"]] == ["user"]


async def test_a27_a_named_wait_is_kept() -> None:
    asked = Asked()
    async with FakeUpstream([*A27, said("hi")]) as upstream:
        await asked(upstream, "p1", retry=RetryPolicy(max_wait_s=120))

    assert asked.clock.waits == case("A27")["expected"]["waits"]


async def test_a27_a_wait_above_the_limit_surfaces() -> None:
    asked = Asked()
    async with FakeUpstream(A27) as upstream:
        with pytest.raises(ProviderRateLimited) as caught:
            await asked(upstream, "p1", retry=RetryPolicy(max_wait_s=60))

    assert (asked.clock.waits, caught.value.retry_after_s) == ([], 90)


async def test_a27_a_wait_above_the_limit_goes_to_the_next_route() -> None:
    asked = Asked()
    async with FakeUpstream([*A27, said("hi")]) as upstream:
        response = await asked(upstream, "p1", "p2", retry=RetryPolicy(max_wait_s=60))

    assert (response.provider_id, asked.clock.waits) == ("p2", [])

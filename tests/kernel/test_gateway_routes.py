"""The gateway over several routes: who is asked again, who is asked next, and what the person is told."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from agentcore.chat import (
    ChatCall,
    ChatRequest,
    ChatResponse,
    FinishReason,
    ModelEvent,
    ReasoningDelta,
    Route,
    RouteSwitch,
    TextDelta,
    ToolSchema,
)
from agentcore.errors import (
    CapabilityMissing,
    ContentFiltered,
    ContextLengthExceeded,
    ModelNotFound,
    OutputTruncated,
    ProviderAuthFailed,
    ProviderBadRequest,
    ProviderBadResponse,
    ProviderCredentialMissing,
    ProviderError,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
)
from agentcore.gateway.breaker import THRESHOLD
from agentcore.gateway.gateway import Gateway, OwnBreaker
from agentcore.gateway.retrying import RetryPolicy
from agentcore.gateway.routes import GatewayRoute
from agentcore.messages import DataContent, Message, Picture, ReasoningContent, Role, TextContent, UriContent
from agentcore.observers import ModelCallFinished, ModelCallStarted, Observation
from agentcore.providers.clients import RefusedClient
from agentcore.providers.degrading import pictures
from agentcore.providers.profile import ModelProfile, ToolMode
from agentcore.providers.spec import ProviderSpec
from agentcore.testing import ManualClock, ScriptedChatClient

Script = Sequence[ModelEvent | Exception | asyncio.Event]
A, B, C = Route("a", "m"), Route("b", "m"), Route("c", "m")
OK: Script = [TextDelta("hello")]
TOOL = ToolSchema(name="t", description="t", parameters={"type": "object", "properties": {}})
PICTURE = Message(role=Role.USER, contents=(TextContent("what is this?"), DataContent("aGk=", "image/png")))
ABLE = ModelProfile(vision=True)
BLIND = ModelProfile()
TOOLLESS = ModelProfile(tool_mode=ToolMode.NONE)


class RecordingClock(ManualClock):
    """Keeps how long was slept."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await super().sleep(seconds)


class Site:
    """A gateway over scripted routes, with what it showed and told."""

    def __init__(self, *scripts: Sequence[Script], profiles: Sequence[ModelProfile] = (), **fields: Any) -> None:
        self.clock = fields.pop("clock", None) or RecordingClock()
        self.clients = [
            ScriptedChatClient(script, route=route) for script, route in zip(scripts, (A, B, C), strict=False)
        ]
        self.events: list[ModelEvent] = []
        self.told: list[Observation] = []
        self.fields = {
            "retry": RetryPolicy(chance=lambda: 1.0),
            "gatekeeper": OwnBreaker(clock=self.clock),
            "observe": self.observe,
            "clock": self.clock,
        } | fields
        self.profiles = [*profiles, *[ABLE] * 3]
        self.next_run()

    def next_run(self) -> None:
        """A gateway is made for a run; the breaker outlives it."""
        pairs = zip(self.clients, self.profiles, strict=False)
        routes = [GatewayRoute(client.route, client, profile) for client, profile in pairs]
        self.gateway = Gateway(routes, **self.fields)

    async def observe(self, observation: Observation) -> None:
        self.told.append(observation)

    async def ask(self, *messages: Message, step: int = 1, **fields: Any) -> ChatResponse:
        said = messages or (Message.of(Role.USER, "hi"),)
        request = ChatRequest(model="asked-for", messages=said, **fields)
        return await self.gateway.complete(ChatCall(request=request, emit=self.events.append, step=step))

    @property
    def asked(self) -> list[int]:
        return [len(client.requests) for client in self.clients]

    @property
    def attempts(self) -> list[tuple[str, int, str, str]]:
        ended = [item for item in self.told if isinstance(item, ModelCallFinished)]
        return [(item.route.provider_id, item.attempt, item.outcome, item.retry_reason) for item in ended]

    @property
    def switches(self) -> list[RouteSwitch]:
        return [event for event in self.events if isinstance(event, RouteSwitch)]


@pytest.mark.parametrize("kind", [ProviderUnavailable, ProviderTimeout, ProviderRateLimited, ProviderBadResponse])
async def test_what_may_pass_is_asked_again(kind: type[ProviderError]) -> None:
    site = Site([[kind()], [kind()], OK], [OK])
    response = await site.ask()

    assert (response.text, response.provider_id, site.asked) == ("hello", "a", [3, 0])
    assert site.clock.waits == [0.5, 1.0]
    assert site.attempts == [("a", 1, kind.code, ""), ("a", 2, kind.code, kind.code), ("a", 3, "ok", kind.code)]
    assert site.switches == []


async def test_a_route_that_was_silent_for_all_our_patience_is_not_waited_for_again() -> None:
    site = Site([[ProviderTimeout(details={"limit": "first_token"})]], [OK])

    assert (await site.ask()).provider_id == "b"
    assert (site.asked, site.clock.waits) == ([1, 1], [])


async def test_waits_have_full_jitter_below_their_bound() -> None:
    site = Site([[ProviderUnavailable()]], retry=RetryPolicy(max_attempts=8, chance=lambda: 0.25))
    with pytest.raises(ProviderUnavailable):
        await site.ask()

    assert site.clock.waits[:4] == [0.125, 0.25, 0.5, 1.0]
    assert max(site.clock.waits) <= 2


async def test_the_next_route_answers_when_one_does_not_come_back() -> None:
    site = Site([[ProviderUnavailable()]], [OK])
    response = await site.ask()

    assert (response.provider_id, site.asked) == ("b", [3, 1])
    assert site.switches == [RouteSwitch(source=A, target=B, reason="PROVIDER_UNAVAILABLE")]
    assert [item[1] for item in site.attempts] == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", [ProviderAuthFailed, ModelNotFound, ProviderQuotaExceeded])
async def test_what_somebody_has_to_mend_goes_to_the_next_route_at_once(kind: type[ProviderError]) -> None:
    site = Site([[kind()]], [OK])
    response = await site.ask()

    assert (response.provider_id, site.asked, site.clock.waits) == ("b", [1, 1], [])
    assert site.attempts == [("a", 1, kind.code, ""), ("b", 2, "ok", kind.code)]


@pytest.mark.parametrize("kind", [ProviderBadRequest, ContextLengthExceeded, ContentFiltered, OutputTruncated])
async def test_what_no_route_would_do_better_is_the_end(kind: type[ProviderError]) -> None:
    site = Site([[kind()]], [OK])
    with pytest.raises(kind):
        await site.ask()

    assert site.asked == [1, 0]


async def test_every_route_fails_and_the_last_one_says_why() -> None:
    site = Site([[ProviderAuthFailed()]], [[ProviderQuotaExceeded("used up")]])
    with pytest.raises(ProviderQuotaExceeded, match="used up"):
        await site.ask()


async def test_a_named_wait_is_kept_to_the_second() -> None:
    site = Site([[ProviderRateLimited(retry_after_s=90)], OK], retry=RetryPolicy(max_wait_s=120))
    await site.ask()

    assert site.clock.waits == [90]


async def test_a_wait_that_is_longer_than_allowed_is_no_wait() -> None:
    site = Site([[ProviderRateLimited(retry_after_s=90)]], retry=RetryPolicy(max_wait_s=60))
    with pytest.raises(ProviderRateLimited) as caught:
        await site.ask()

    assert (site.clock.waits, caught.value.retry_after_s) == ([], 90)


async def test_a_wait_that_is_longer_than_allowed_goes_to_the_next_route() -> None:
    site = Site([[ProviderRateLimited(retry_after_s=90)]], [OK], retry=RetryPolicy(max_wait_s=60))

    assert (await site.ask()).provider_id == "b"
    assert site.clock.waits == []


async def test_an_upstream_that_does_not_keep_its_word_is_waited_for_once() -> None:
    site = Site([[ProviderRateLimited(retry_after_s=5)]], [OK])
    await site.ask()

    assert (site.clock.waits, site.asked) == ([5], [2, 1])


async def test_no_wait_goes_beyond_the_time_that_the_run_has_left() -> None:
    site = Site([[ProviderRateLimited(retry_after_s=5)]], left_s=lambda: 4.0)
    with pytest.raises(ProviderRateLimited):
        await site.ask()

    assert (site.clock.waits, site.asked) == ([], [1])


async def test_after_text_was_shown_nothing_is_asked_again() -> None:
    site = Site([[TextDelta("The answer"), ProviderBadResponse("cut off")]], [OK])
    with pytest.raises(ProviderBadResponse, match="cut off"):
        await site.ask()

    assert (site.asked, site.switches) == ([1, 0], [])
    assert site.events == [TextDelta("The answer")]


async def test_an_agent_may_take_text_back_and_start_again_on_the_next_route() -> None:
    site = Site([[TextDelta("The answer"), ProviderBadResponse()]], [OK], restarts_after_text=True)
    response = await site.ask()

    assert (response.text, response.provider_id, site.asked, site.clock.waits) == ("hello", "b", [1, 1], [])
    assert site.switches == [RouteSwitch(source=A, target=B, reason="PROVIDER_BAD_RESPONSE", discard=True)]
    assert [item[2] for item in site.attempts] == ["PROVIDER_BAD_RESPONSE", "ok"]


async def test_where_there_is_no_other_route_the_same_one_starts_again_once() -> None:
    site = Site([[TextDelta("The"), ProviderBadResponse()], OK], restarts_after_text=True)
    assert (await site.ask()).text == "hello"
    assert site.switches == [RouteSwitch(source=A, target=A, reason="PROVIDER_BAD_RESPONSE", discard=True)]

    always = Site([[TextDelta("The"), ProviderBadResponse()]], restarts_after_text=True)
    with pytest.raises(ProviderBadResponse):
        await always.ask()
    assert always.asked == [2]


async def test_a_restart_after_text_asks_each_further_route_once() -> None:
    half: Script = [TextDelta("half"), ProviderUnavailable()]
    site = Site([half], [[ProviderUnavailable()]], [OK], restarts_after_text=True)
    await site.ask()

    assert site.asked == [1, 1, 1]
    assert [switch.discard for switch in site.switches] == [True, False]


async def test_no_restart_makes_a_final_failure_better() -> None:
    site = Site([[TextDelta("half"), ContentFiltered()]], [OK], restarts_after_text=True)
    with pytest.raises(ContentFiltered):
        await site.ask()


async def test_thinking_that_was_shown_is_void_when_it_is_asked_again() -> None:
    site = Site([[ReasoningDelta("hm"), ProviderUnavailable()], OK])
    await site.ask()

    assert site.switches == [RouteSwitch(source=A, target=A, reason="PROVIDER_UNAVAILABLE", discard=True)]


async def test_a_route_that_rests_is_passed_over() -> None:
    site = Site([[ProviderUnavailable()]], [OK], retry=RetryPolicy(max_attempts=1))
    for _ in range(THRESHOLD + 1):
        site.next_run()
        await site.ask()

    assert site.asked == [THRESHOLD, THRESHOLD + 1]
    assert site.switches[-1] == RouteSwitch(source=A, target=B, reason="PROVIDER_UNAVAILABLE")


async def test_with_every_route_at_rest_the_first_that_comes_back_is_asked() -> None:
    site = Site([[ProviderUnavailable()]], [[ProviderUnavailable()]], retry=RetryPolicy(max_attempts=THRESHOLD))
    with pytest.raises(ProviderUnavailable):
        await site.ask()
    site.clients[0].script, site.clients[1].script = [OK], [OK]

    assert (await site.ask(step=2)).provider_id == "a"


async def test_the_route_that_answered_stays_first_in_the_run() -> None:
    site = Site([[ProviderAuthFailed()]], [OK])
    await site.ask()
    await site.ask(step=2)

    assert (site.asked, len(site.switches)) == ([1, 2], 1)


async def test_a_stop_while_it_waits_asks_nobody_again() -> None:
    class Stuck(RecordingClock):
        async def sleep(self, seconds: float) -> None:
            self.waits.append(seconds)
            await asyncio.Event().wait()

    clock = Stuck()
    site = Site([[ProviderUnavailable()]], [OK], clock=clock)
    task = asyncio.create_task(site.ask())
    while not clock.waits:  # noqa: ASYNC110 - the gateway waits between two turns of the loop
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert site.asked == [1, 0]


async def test_a_fault_of_ours_is_no_reason_to_ask_another() -> None:
    site = Site([[ZeroDivisionError()]], [OK])
    with pytest.raises(ZeroDivisionError):
        await site.ask()

    assert site.asked == [1, 0]


async def test_a_route_that_cannot_take_the_request_is_skipped() -> None:
    site = Site([OK], [OK], profiles=[TOOLLESS, ABLE])
    assert (await site.ask(tools=(TOOL,))).provider_id == "b"
    assert site.switches == [RouteSwitch(source=A, target=B, reason="CAPABILITY_MISSING")]
    assert site.attempts == [("b", 1, "ok", "")]

    seeing = Site([OK], [OK], profiles=[BLIND, ABLE])
    assert (await seeing.ask(PICTURE)).provider_id == "b"


async def test_a_route_that_could_take_it_but_cannot_be_asked_takes_nobody_s_place() -> None:
    site = Site([OK], [OK], profiles=[TOOLLESS, ABLE])
    site.clients[1] = RefusedClient(ProviderCredentialMissing())
    site.clients[1].route = B
    site.next_run()

    assert (await site.ask(tools=(TOOL,))).provider_id == "a"
    assert [switch.omitted for switch in site.switches] == [("tools",)]


async def test_where_no_route_can_take_it_the_request_is_sent_with_less_and_said_so() -> None:
    site = Site([OK], profiles=[TOOLLESS])
    await site.ask(PICTURE, tools=(TOOL,))

    sent = site.clients[0].requests[0]
    assert (sent.tools, "picture omitted" in sent.messages[0].text) == ((), True)
    assert site.switches == [
        RouteSwitch(source=A, target=A, reason=CapabilityMissing.code, omitted=("images", "tools"))
    ]


LINK, BYTES = UriContent("https://x.example/p.png", "image/png"), DataContent("aGk=", "image/png")
PHOTO = DataContent("aGk=", "image/heic")


@pytest.mark.parametrize(
    ("provider_type", "model", "lost"),
    [("ollama", "llava", [LINK]), ("anthropic", "claude-sonnet-4-5", [PHOTO]), ("openai_chat", "gpt-4o", [])],
)
def test_a_picture_that_the_wire_cannot_carry_is_omitted_and_not_lost(
    provider_type: str, model: str, lost: list[Picture]
) -> None:
    spec = ProviderSpec(provider_id="p", provider_type=provider_type)
    route = GatewayRoute.of(spec, model, ScriptedChatClient([OK]))
    whole = ChatRequest(model=model, messages=(Message(role=Role.USER, contents=(LINK, BYTES, PHOTO)),))

    assert route.omitted(whole) == (("images",) if lost else ())
    assert [item for item in (LINK, BYTES, PHOTO) if item not in pictures(route.fitted(whole))] == lost
    assert route.fitted(whole).messages[0].text.count("picture omitted") == len(lost)


async def test_a_model_without_tools_of_its_own_calls_them_through_a_schema() -> None:
    answer = '{"calls": [{"tool": "t", "arguments": {"x": 1}}]}'
    site = Site([[TextDelta(answer)]], profiles=[ModelProfile(tool_mode=ToolMode.JSON_SCHEMA)])
    response = await site.ask(tools=(TOOL,))

    assert [(call.name, call.arguments) for call in response.calls] == [("t", {"x": 1})]
    assert (response.text, response.finish_reason) == ("", FinishReason.TOOL_CALLS)
    assert (site.clients[0].requests[0].tools, site.switches) == ((), [])


async def test_thinking_of_another_route_is_not_sent() -> None:
    thought = (ReasoningContent("mine", "x", "a", "m"), ReasoningContent("other", "y", "a", "other"))
    said = Message(role=Role.ASSISTANT, contents=(*thought, TextContent("so")))
    site = Site([[ProviderAuthFailed()]], [OK])
    await site.ask(Message.of(Role.USER, "q"), said, Message.of(Role.USER, "and?"))

    sent = [client.requests[0].messages[1].contents for client in site.clients]
    assert sent == [(thought[0], TextContent("so")), (TextContent("so"),)]


async def test_an_attempt_is_on_record_with_its_reason_before_it_connects() -> None:
    site = Site([[ProviderUnavailable()], OK])
    await site.ask()

    begun = [item for item in site.told if isinstance(item, ModelCallStarted)]
    assert [item.retry_reason for item in begun] == ["", "PROVIDER_UNAVAILABLE"]

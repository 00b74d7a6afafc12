"""The gateway: what it records of an attempt, what it charges, and how it cleans what passes."""

import asyncio
from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcore.chat import (
    ChatCall,
    ChatClient,
    ChatRequest,
    ChatResponse,
    ModelEvent,
    ReasoningDelta,
    Route,
    TextDelta,
    ToolCall,
    UsageUpdate,
)
from agentcore.errors import InternalError, OutputTruncated, ProviderError, ProviderTimeout, ProviderUnavailable
from agentcore.gateway.cleaning import CleanEmit
from agentcore.gateway.gateway import Gateway, GatewayRoute
from agentcore.messages import Message, Role, Usage
from agentcore.observers import Cost, ModelCallFinished, ModelCallStarted, Observation
from agentcore.providers.mock.client import MockChatClient
from agentcore.redaction import REDACTED, Redactor
from agentcore.testing import ManualClock, ScriptedChatClient

ROUTE = Route("mock", "mock-1")


class Records:
    """A ledger that keeps what it is told, in order, beside what was shown."""

    def __init__(self, client: ChatClient) -> None:
        self.told: list[Observation | str] = []
        self.charges: list[tuple[Usage, Cost]] = []
        self.events: list[ModelEvent] = []
        self.clock = ManualClock()
        routes = [GatewayRoute(ROUTE, client), GatewayRoute(Route("never", "asked"), MockChatClient())]
        self.gateway = Gateway(routes, observe=self.observe, charge=self.charge, price=self.price, clock=self.clock)

    async def observe(self, observation: Observation) -> None:
        self.told.append(observation)

    def charge(self, usage: Usage, cost: Cost) -> None:
        self.charges.append((usage, cost))

    async def price(self, route: Route, usage: Usage, at: datetime) -> Cost:
        return Cost(amount=Decimal(usage.output_tokens))

    async def ask(self, text: str, *, step: int = 1) -> ChatResponse:
        request = ChatRequest(model="asked-for", messages=(Message.of(Role.USER, text),))
        return await self.gateway.complete(ChatCall(request=request, emit=self.events.append, step=step))

    @property
    def finished(self) -> ModelCallFinished:
        assert isinstance(self.told[-1], ModelCallFinished)
        return self.told[-1]


async def test_an_attempt_is_recorded_before_it_connects_and_when_it_ended() -> None:
    class Connecting(MockChatClient):
        async def complete(self, call: ChatCall) -> ChatResponse:
            records.told.append("connects")
            records.clock.advance(0.25)
            return await super().complete(call)

    records = Records(Connecting())
    response = await records.ask("/usage 9 2\nhi", step=3)

    started, connects, finished = records.told
    assert isinstance(started, ModelCallStarted)
    assert isinstance(finished, ModelCallFinished)
    assert connects == "connects"
    assert (started.step, started.attempt, started.route) == (3, 1, ROUTE)
    assert (finished.step, finished.attempt, finished.outcome, finished.finish_reason) == (3, 1, "ok", "stop")
    assert (finished.first_token_ms, finished.duration_ms) == (250, 250)
    assert finished.usage == response.usage == Usage(input_tokens=9, output_tokens=2)
    assert records.charges == [(finished.usage, Cost(amount=Decimal(2)))]


async def test_each_time_that_a_step_asks_is_an_attempt_of_its_own() -> None:
    records = Records(MockChatClient())
    await records.ask("hi")
    await records.ask("/fail-once PROVIDER_UNAVAILABLE")
    await records.ask("hi", step=2)

    told = [item for item in records.told if isinstance(item, ModelCallStarted | ModelCallFinished)]
    assert [(item.step, item.attempt) for item in told] == [(1, 1), (1, 1), (1, 2), (1, 2), (2, 1), (2, 1)]


async def test_the_answer_is_stamped_with_the_route_that_gave_it() -> None:
    records = Records(ScriptedChatClient([[TextDelta("hi")]]))
    response = await records.ask("hi")

    assert (response.provider_id, response.model) == ("mock", "mock-1")


async def test_a_failure_is_recorded_with_its_code_and_charged() -> None:
    records = Records(MockChatClient())
    with pytest.raises(ProviderUnavailable):
        await records.ask("/fail PROVIDER_UNAVAILABLE 3")

    assert (records.finished.outcome, records.finished.finish_reason) == ("PROVIDER_UNAVAILABLE", "")
    assert records.finished.usage.estimated
    assert records.finished.usage.output_tokens > 0
    assert len(records.charges) == 1


async def test_a_failure_before_anything_came_is_not_charged_for_tokens() -> None:
    records = Records(MockChatClient())
    with pytest.raises(ProviderTimeout):
        await records.ask("/fail PROVIDER_TIMEOUT")

    assert records.finished.usage == Usage(estimated=True)
    assert records.finished.first_token_ms is None


@pytest.mark.parametrize("code", ["PROVIDER_UNAVAILABLE", "PROVIDER_RATE_LIMITED", "PROVIDER_AUTH_FAILED"])
async def test_a_call_that_was_refused_used_nothing_and_costs_nothing(code: str) -> None:
    records = Records(MockChatClient())
    with pytest.raises(ProviderError):
        await records.ask(f"/fail {code}")

    assert records.finished.usage == Usage()
    assert records.finished.cost.amount == 0


async def test_a_call_that_was_cut_off_was_read_and_so_is_no_call_for_nothing() -> None:
    records = Records(MockChatClient())
    with pytest.raises(OutputTruncated):
        await records.ask("/fail OUTPUT_TRUNCATED")

    assert records.finished.usage.estimated
    assert records.finished.usage.input_tokens > 0


async def test_a_failure_after_usage_was_reported_keeps_it() -> None:
    used = Usage(input_tokens=50, output_tokens=4)
    records = Records(ScriptedChatClient([[TextDelta("a"), UsageUpdate(used), ProviderUnavailable()]]))
    with pytest.raises(ProviderUnavailable):
        await records.ask("hi")

    assert records.finished.usage == used


async def test_a_fault_of_ours_is_recorded_as_internal() -> None:
    records = Records(ScriptedChatClient([[ZeroDivisionError("a detail that stays inside")]]))
    with pytest.raises(ZeroDivisionError):
        await records.ask("hi")

    assert records.finished.outcome == InternalError.code


async def test_a_cancelled_attempt_is_recorded_and_cancelled_all_the_same() -> None:
    gate = asyncio.Event()
    records = Records(ScriptedChatClient([[TextDelta("half"), gate]]))
    task = asyncio.create_task(records.ask("hi"))
    while not records.events:  # noqa: ASYNC110 - the client emits between two turns of the loop
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert records.finished.outcome == "cancelled"
    assert records.finished.usage.estimated
    assert records.finished.usage.output_tokens == 1
    assert len(records.charges) == 1


async def test_a_second_cancellation_does_not_lose_the_record() -> None:
    gate, slow = asyncio.Event(), asyncio.Event()
    records = Records(ScriptedChatClient([[TextDelta("half"), gate]]))
    observe = records.observe

    async def slowly(observation: Observation) -> None:
        if isinstance(observation, ModelCallFinished):
            await slow.wait()
        await observe(observation)

    gateway = Gateway([GatewayRoute(ROUTE, ScriptedChatClient([[TextDelta("half"), gate]]))], observe=slowly)
    request = ChatRequest(model="m", messages=())
    task = asyncio.create_task(gateway.complete(ChatCall(request=request, emit=records.events.append)))
    while not records.events:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0)
    for _ in range(2):
        task.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
    slow.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert records.finished.outcome == "cancelled"


async def test_a_record_that_must_be_kept_first_stops_the_attempt() -> None:
    client = ScriptedChatClient([[TextDelta("hi")]])

    async def refuse(observation: Observation) -> None:
        raise ProviderUnavailable()

    with pytest.raises(ProviderUnavailable):
        await Gateway([GatewayRoute(ROUTE, client)], observe=refuse).complete(
            ChatCall(request=ChatRequest(model="m", messages=()), emit=print)
        )

    assert client.requests == []


def test_a_gateway_without_a_route_is_refused() -> None:
    with pytest.raises(ValueError, match="route"):
        Gateway([])


async def test_what_is_shown_is_what_is_kept() -> None:
    dirty = [TextDelta("a\x00"), TextDelta("b\ud83d"), TextDelta("\ude00c"), TextDelta("\udc00"), TextDelta("d\ud83d")]
    call = ToolCall("id\x00", "f", {"k\x00": ["\ud800", "\ud83d\ude00"]})
    records = Records(ScriptedChatClient([[*dirty, call]]))

    response = await records.ask("hi")

    shown = "".join(event.text for event in records.events if isinstance(event, TextDelta))
    assert shown == response.text == "a�b😀c�d�"
    assert response.calls[0].arguments == {"k�": ["�", "😀"]}
    assert response.calls[0].call_id == "id�"


@pytest.mark.parametrize(
    ("piece", "stands"),
    [("half\ud83d", "half�"), ("half my-sto", "half my-sto"), ("my-stored-key", REDACTED)],
    ids=["half a character", "what only begins like a key", "a key"],
)
async def test_what_waits_is_shown_when_the_answer_is_cut_off(piece: str, stands: str) -> None:
    events: list[ModelEvent] = []
    client = ScriptedChatClient([[TextDelta(piece), ProviderUnavailable()]])
    gateway = Gateway([GatewayRoute(ROUTE, client)], redactor=Redactor(["my-stored-key", "my-stored-key-2"]))

    with pytest.raises(ProviderUnavailable):
        await gateway.complete(ChatCall(request=ChatRequest(model="m", messages=()), emit=events.append))

    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == stands


@given(
    text=st.text(alphabet=st.sampled_from("a\x00\ud83d\ude00\udbff😀é")),
    cuts=st.lists(st.integers(0, 30)),
)
def test_cleaning_does_not_depend_on_where_deltas_are_cut(text: str, cuts: list[int]) -> None:
    whole, pieces = cleaned([text]), [text[start:end] for start, end in spans(cuts, len(text))]

    assert cleaned(pieces) == whole
    whole.encode()


def spans(cuts: list[int], length: int) -> list[tuple[int, int]]:
    edges = [0, *sorted(cut for cut in cuts if cut <= length), length]
    return [(edges[at], edges[at + 1]) for at in range(len(edges) - 1)]


def cleaned(pieces: list[str]) -> str:
    events: list[ModelEvent] = []
    emit = CleanEmit(events.append)
    for piece in pieces:
        emit(TextDelta(piece))
    emit.flush()
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_halves_of_different_kinds_are_not_joined() -> None:
    events: list[ModelEvent] = []
    emit = CleanEmit(events.append)
    emit(ReasoningDelta("a\ud83d"))
    emit(TextDelta("\ude00b"))
    emit.flush()

    assert events == [ReasoningDelta("a"), ReasoningDelta("�"), TextDelta("�b")]

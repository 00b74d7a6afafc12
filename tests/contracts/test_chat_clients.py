"""What every chat client keeps, real or fake, and a gateway over one too."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from agentcore.chat import (
    ChatCall,
    ChatClient,
    ChatRequest,
    Finish,
    FinishReason,
    ModelEvent,
    Route,
    TextDelta,
    ToolCall,
    UsageUpdate,
)
from agentcore.errors import ProviderError, ProviderUnavailable
from agentcore.gateway.gateway import Gateway, GatewayRoute
from agentcore.messages import Message, Role, Usage
from agentcore.providers.clients import client_for
from agentcore.providers.mock.client import MockChatClient
from agentcore.providers.spec import ProviderSpec
from agentcore.testing import ScriptedChatClient
from tests.fake_upstream import DONE, Answer, FakeUpstream, Received, chunk

SCENES = {
    "talks": '/usage 5 2\n/stream 2\n/tool system.echo {"text": "x"}',
    "fails": "/fail PROVIDER_UNAVAILABLE 1",
    "waits": "/stream 1000000 1000",
}


@asynccontextmanager
async def mock() -> AsyncIterator[ChatClient]:
    yield MockChatClient()


@asynccontextmanager
async def scripted() -> AsyncIterator[ChatClient]:
    class ByScene:
        async def complete(self, call: ChatCall):  # type: ignore[no-untyped-def]
            used, echo = (
                UsageUpdate(Usage(input_tokens=5, output_tokens=2)),
                ToolCall("c", "system.echo", {"text": "x"}),
            )
            scripts = {
                SCENES["talks"]: [TextDelta("w1 "), TextDelta("w2 "), echo, used],
                SCENES["fails"]: [TextDelta("w1 "), ProviderUnavailable()],
                SCENES["waits"]: [TextDelta("w1 "), asyncio.Event()],
            }
            return await ScriptedChatClient([scripts[call.request.messages[-1].text]]).complete(call)

    yield ByScene()


@asynccontextmanager
async def http() -> AsyncIterator[ChatClient]:
    call = {"index": 0, "id": "c", "function": {"name": "system.echo", "arguments": '{"text": "x"}'}}
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    w1, w2 = chunk({"content": "w1 "}), chunk({"content": "w2 "})
    answers = {
        SCENES["talks"]: [w1, w2, chunk({"tool_calls": [call]}), chunk(finish="tool_calls", usage=usage), DONE],
        SCENES["fails"]: [w1, b'data: {"error": {"message": "overloaded"}}\n\n'],
        SCENES["waits"]: [w1],
    }

    def answer(request: Received) -> Answer:
        scene = request.json["messages"][-1]["content"]
        return Answer(writes=answers[scene], end="hang" if scene == SCENES["waits"] else "close")

    async with FakeUpstream(answer) as upstream:
        spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=upstream.base_url)
        yield client_for(spec, allow_private=True)


@asynccontextmanager
async def gateway() -> AsyncIterator[ChatClient]:
    yield Gateway([GatewayRoute(Route("mock", "mock-1"), MockChatClient())])


CLIENTS = {"mock": mock, "scripted": scripted, "http": http, "gateway": gateway}
Opened = Callable[[], AbstractAsyncContextManager[ChatClient]]


@pytest.fixture(params=CLIENTS, name="opened")
def opened_(request: pytest.FixtureRequest) -> Opened:
    return CLIENTS[request.param]


def calling(scene: str, events: list[ModelEvent]) -> ChatCall:
    request = ChatRequest(model="mock-1", messages=(Message.of(Role.USER, SCENES[scene]),))
    return ChatCall(request=request, emit=events.append)


async def test_what_is_emitted_is_what_is_returned(opened: Opened) -> None:
    events: list[ModelEvent] = []
    async with opened() as client:
        response = await client.complete(calling("talks", events))

    assert response.text == "".join(event.text for event in events if isinstance(event, TextDelta)) == "w1 w2 "
    emitted = [(event.name, event.arguments) for event in events if isinstance(event, ToolCall)]
    assert [(call.name, call.arguments) for call in response.calls] == emitted == [("system.echo", {"text": "x"})]
    assert response.finish_reason is FinishReason.TOOL_CALLS
    assert response.usage == Usage(input_tokens=5, output_tokens=2)
    assert [event for event in events if isinstance(event, UsageUpdate)][-1] == UsageUpdate(response.usage)
    assert [event for event in events if isinstance(event, Finish)] == [Finish(FinishReason.TOOL_CALLS)]


async def test_a_failure_raises_and_keeps_what_was_shown(opened: Opened) -> None:
    events: list[ModelEvent] = []
    async with opened() as client:
        with pytest.raises(ProviderError) as caught:
            await client.complete(calling("fails", events))

    assert caught.value.code == "PROVIDER_UNAVAILABLE"
    assert events == [TextDelta("w1 ")]


async def test_cancelling_ends_the_call_at_once(opened: Opened) -> None:
    shown = asyncio.Event()
    async with opened() as client:
        call = ChatCall(request=calling("waits", []).request, emit=lambda _event: shown.set())
        task = asyncio.create_task(client.complete(call))
        await shown.wait()
        task.cancel()
        async with asyncio.timeout(2):
            with pytest.raises(asyncio.CancelledError):
                await task

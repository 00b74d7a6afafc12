"""Connections: whom they lead to, and those that a server closes just when they are used again."""

import asyncio

import pytest

from agentcore.chat import ChatCall, ChatRequest, ChatResponse
from agentcore.errors import ProviderUnavailable
from agentcore.messages import Message, Role
from agentcore.providers.clients import client_for
from agentcore.providers.spec import ProviderSpec
from tests.fake_upstream import Answer, FakeUpstream, said

REQUEST = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))
GONE = Answer(refusal=True)


async def asked(upstream: FakeUpstream) -> ChatResponse:
    spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=upstream.base_url)
    return await client_for(spec, allow_private=True).complete(ChatCall(request=REQUEST, emit=lambda _event: None))


async def test_a_kept_connection_that_the_server_closed_is_replaced_by_a_new_one() -> None:
    async with FakeUpstream([said("one"), GONE, said("two")]) as upstream:
        assert [(await asked(upstream)).text for _ in range(2)] == ["one", "two"]

    assert (len(upstream.requests), upstream.connections) == (3, 2)


@pytest.mark.parametrize(("answers", "connections"), [([GONE], 1), ([said("one"), GONE], 2)])
async def test_a_new_connection_that_the_server_closed_is_not_tried_again(
    answers: list[Answer], connections: int
) -> None:
    async with FakeUpstream(answers) as upstream:
        for _answer in answers[1:]:
            await asked(upstream)
        with pytest.raises(ProviderUnavailable):
            await asked(upstream)

    assert upstream.connections == connections


async def test_a_server_that_breaks_every_connection_is_sent_a_request_twice_at_most() -> None:
    slow = [Answer(writes=said("one").writes, pause_s=0.05)] * 4
    async with FakeUpstream([*slow, GONE]) as upstream:
        await asyncio.gather(*(asked(upstream) for _ in slow))
        with pytest.raises(ProviderUnavailable):
            await asked(upstream)

    assert (upstream.connections, len(upstream.requests)) == (4, 6)


async def test_no_proxy_of_the_environment_carries_a_checked_address_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeUpstream([said("hi")]) as upstream, FakeUpstream([said("elsewhere")]) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        response = await asked(upstream)

    assert (response.text, proxy.connections) == ("hi", 0)

"""The HTTP chat client over real loopback sockets."""

import asyncio
import gzip
from typing import Any

import pytest

from agentcore.chat import (
    ChatCall,
    ChatOptions,
    ChatRequest,
    ChatResponse,
    ModelEvent,
    TextDelta,
    ToolSchema,
    UsageUpdate,
)
from agentcore.errors import (
    ContentFiltered,
    OutputTruncated,
    ProviderBadRequest,
    ProviderBadResponse,
    ProviderCredentialMissing,
    ProviderError,
    ProviderTimeout,
    ProviderUnavailable,
    ProviderUrlForbidden,
)
from agentcore.messages import Message, Role, Usage
from agentcore.providers.clients import DIALECTS, client_for
from agentcore.providers.spec import PROVIDER_TYPES, ProviderSpec, Timeouts
from tests.contracts.wires import WIRES
from tests.fake_upstream import DONE, Answer, FakeUpstream, chunk, said

KEY = "sk-CANARY-51-abcdef0123456789"
REQUEST = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))


async def asked(
    upstream: FakeUpstream,
    *,
    request: ChatRequest = REQUEST,
    timeouts: Timeouts | None = None,
    events: list[ModelEvent] | None = None,
    **spec: Any,
) -> ChatResponse:
    """One call of a client that is new; the connections are those of the running loop."""
    fields = {"provider_id": "fx", "provider_type": "openai_compatible", "base_url": upstream.base_url} | spec
    client = client_for(ProviderSpec(**fields), timeouts=timeouts, allow_private=True)
    return await client.complete(ChatCall(request=request, emit=(events if events is not None else []).append))


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("api", WIRES)
async def test_a_connection_is_used_again(api: str, encoding: str) -> None:
    wire = WIRES[api]
    body = wire.text("hi") + wire.finish("stop") + wire.end
    packed = gzip.compress(body) if encoding == "gzip" else body
    async with FakeUpstream([Answer(headers={"content-encoding": encoding}, writes=[packed])]) as upstream:
        texts = [(await asked(upstream, provider_type=api)).text for _ in range(3)]

    assert texts == ["hi"] * 3
    assert (len(upstream.requests), upstream.connections) == (3, 1)


async def test_the_key_travels_in_its_header_and_nowhere_else() -> None:
    async with FakeUpstream([said("hi")]) as upstream:
        await asked(upstream, api_key=KEY)
        await asked(upstream)

    assert upstream.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in upstream.requests[0].line + upstream.requests[0].body.decode()
    assert "authorization" not in upstream.requests[1].headers


async def test_usage_of_an_answer_that_is_cut_off_is_told() -> None:
    events: list[ModelEvent] = []
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    async with FakeUpstream([Answer(writes=[chunk({"content": "half"}, usage=usage)])]) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(upstream, events=events)

    assert events == [TextDelta("half"), UsageUpdate(Usage(input_tokens=3, output_tokens=2))]


async def test_options_of_the_provider_shape_the_body() -> None:
    request = ChatRequest(model="m", messages=REQUEST.messages, options=ChatOptions(max_output_tokens=9))
    options = {"body": {"seed": 7, "stream_options": None}}
    profile = {"max_tokens_field": "max_completion_tokens"}
    async with FakeUpstream([said("hi")]) as upstream:
        await asked(upstream, request=request, options=options, profile=profile)

    sent = upstream.requests[0].json
    assert (sent["max_completion_tokens"], sent["seed"]) == (9, 7)
    assert {"max_tokens", "stream_options"}.isdisjoint(sent)


async def test_a_redirect_is_refused_and_not_followed() -> None:
    async with FakeUpstream([said("elsewhere")]) as elsewhere:
        answer = Answer(status=307, headers={"location": f"{elsewhere.base_url}/chat/completions"})
        async with FakeUpstream([answer]) as upstream:
            with pytest.raises(ProviderUrlForbidden):
                await asked(upstream, api_key=KEY)

    assert elsewhere.requests == []


async def test_gzip_cut_anywhere_is_understood() -> None:
    body = gzip.compress(b"".join(said("zip", "ped").writes))
    answer = Answer(headers={"content-encoding": "gzip"}, writes=[body[at : at + 1] for at in range(len(body))])
    async with FakeUpstream([answer]) as upstream:
        response = await asked(upstream)

    assert response.text == "zipped"


async def test_a_body_that_is_not_the_gzip_it_claims_is_a_bad_response() -> None:
    answer = Answer(headers={"content-encoding": "gzip"}, writes=said("plain").writes)
    async with FakeUpstream([answer]) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(upstream)


@pytest.mark.parametrize(
    ("answer", "limits", "limit"),
    [
        (Answer(end="hang"), {"first_token_s": 0.1}, "first_token"),
        (Answer(writes=[b": here\n\n"] * 20, pause_s=0.02, end="hang"), {"first_token_s": 0.1}, "first_token"),
        (Answer(writes=[b"data: {", *[b" "] * 20], pause_s=0.02, end="hang"), {"first_token_s": 0.1}, "first_token"),
        (Answer(writes=[b"{", *[b" "] * 20], pause_s=0.02, end="hang"), {"first_token_s": 0.1}, "first_token"),
        (Answer(status=500, writes=[b"x"] * 20, pause_s=0.02, end="hang"), {"first_token_s": 0.1}, "first_token"),
        (Answer(writes=[chunk({"content": "a"})], end="hang"), {"idle_s": 0.1}, "idle"),
        (Answer(writes=[chunk({"content": "a"})] * 60, pause_s=0.02, end="hang"), {"total_s": 0.2}, "total"),
    ],
)
async def test_each_silence_has_its_limit(answer: Answer, limits: dict[str, float], limit: str) -> None:
    async with FakeUpstream([answer]) as upstream:
        with pytest.raises(ProviderTimeout) as caught:
            await asked(upstream, timeouts=Timeouts(**limits))

    assert caught.value.details == {"limit": limit}


async def test_the_limit_of_the_provider_holds_too() -> None:
    async with FakeUpstream([Answer(end="hang")]) as upstream:
        with pytest.raises(ProviderTimeout) as caught:
            await asked(upstream, timeout_s=0.05)

    assert caught.value.details == {"limit": "total"}


async def test_a_stream_that_goes_on_outlives_the_idle_limit() -> None:
    writes = [chunk({"content": "a"})] * 10
    answer = Answer(writes=[*writes, chunk(finish="stop"), DONE], pause_s=0.06)
    async with FakeUpstream([answer]) as upstream:
        response = await asked(upstream, timeouts=Timeouts(idle_s=0.5))

    assert response.text == "a" * 10


async def test_cancelling_stops_the_upstream() -> None:
    shown = asyncio.Event()
    async with FakeUpstream([Answer(writes=[chunk({"content": "a"})], end="hang")]) as upstream:
        spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=upstream.base_url)
        call = ChatCall(request=REQUEST, emit=lambda _event: shown.set())
        task = asyncio.create_task(client_for(spec, allow_private=True).complete(call))
        await shown.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(2):
            await upstream.left.wait()

    assert upstream.aborted == 1


@pytest.mark.parametrize("end", ["close", "reset"])
async def test_an_answer_that_is_cut_off_keeps_what_it_said(end: str) -> None:
    events: list[ModelEvent] = []
    async with FakeUpstream([Answer(writes=[chunk({"content": "half"})], end=end)]) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(upstream, events=events)

    assert events == [TextDelta("half")]


async def test_a_reset_after_the_finish_reason_loses_nothing() -> None:
    answer = Answer(writes=[chunk({"content": "all"}), chunk(finish="stop")], end="reset")
    async with FakeUpstream([answer]) as upstream:
        assert (await asked(upstream)).text == "all"


async def test_a_server_that_does_not_close_after_done_does_not_hold_up_the_answer() -> None:
    async with FakeUpstream([Answer(writes=said("hi").writes, end="hang")]) as upstream:
        async with asyncio.timeout(2):
            assert (await asked(upstream)).text == "hi"


async def test_done_without_a_finish_reason_is_a_stop_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async with FakeUpstream([Answer(writes=[chunk({"content": "hi"}), DONE])]) as upstream:
        response = await asked(upstream)

    assert (response.text, response.finish_reason) == ("hi", "stop")
    assert "without a finish reason" in caplog.text


@pytest.mark.parametrize("finish", ["length", "tool_calls", "stop"])
async def test_a_call_that_was_cut_off_does_not_run(finish: str) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x": "half'}}
    events: list[ModelEvent] = []
    async with FakeUpstream([Answer(writes=[chunk({"tool_calls": [call]}), chunk(finish=finish), DONE])]) as upstream:
        with pytest.raises(OutputTruncated):
            await asked(upstream, events=events)

    assert events == []


async def test_a_call_that_used_up_the_output_limit_does_not_run() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}
    usage = {"prompt_tokens": 3, "completion_tokens": 16}
    answer = Answer(writes=[chunk({"tool_calls": [call]}), chunk(finish="tool_calls", usage=usage), DONE])
    request = ChatRequest(model="m", messages=REQUEST.messages, options=ChatOptions(max_output_tokens=16))
    async with FakeUpstream([answer]) as upstream:
        with pytest.raises(OutputTruncated):
            await asked(upstream, request=request)


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        (b'{"error":{"message":"boom"}}', ProviderUnavailable),
        (b'{"error":"boom"}', ProviderUnavailable),
        (b'{"message":"boom","type":"BadRequestError","code":400}', ProviderBadRequest),
        (b'{"object":"error","message":"maximum context length is 9 tokens"}', ProviderError),
        (b'{"choices":[{"error":{"message":"boom","code":502},"delta":{}}]}', ProviderUnavailable),
        (b'{"choices":[{"finish_reason":"error","delta":{}}]}', ProviderUnavailable),
        (b'[{"error":{"message":"boom"}}]', ProviderUnavailable),
        (b'{"error":{"code":"content_filter","message":"no"}}', ContentFiltered),
        (b"this is no JSON", ProviderBadResponse),
    ],
)
@pytest.mark.parametrize("place", ["first", "last"])
async def test_an_error_anywhere_in_a_stream_is_an_error(payload: bytes, kind: type[ProviderError], place: str) -> None:
    error = b"data: " + payload + b"\n\n"
    writes = [error] if place == "first" else [chunk({"content": "a"}), chunk(finish="stop"), error]
    async with FakeUpstream([Answer(writes=writes)]) as upstream:
        with pytest.raises(kind):
            await asked(upstream)


async def test_an_event_named_error_is_an_error_whatever_it_holds() -> None:
    async with FakeUpstream([Answer(writes=[b'event: error\ndata: {"reason":"x"}\n\n'])]) as upstream:
        with pytest.raises(ProviderUnavailable):
            await asked(upstream)


async def test_an_error_in_plain_words_is_quoted() -> None:
    async with FakeUpstream([Answer(writes=[b"event: error\ndata: out of workers\n\n"])]) as upstream:
        with pytest.raises(ProviderUnavailable, match="out of workers"):
            await asked(upstream)


async def test_chunks_without_blank_lines_between_them_are_read() -> None:
    body = b"".join(said("a", "b").writes).replace(b"\n\n", b"\n")
    async with FakeUpstream([Answer(writes=[body])]) as upstream:
        assert (await asked(upstream)).text == "ab"


@pytest.mark.parametrize("body", [b"", b"<html>login</html>", b"{}", b'{"choices":[]}', b"[1]", b'{"cho'])
async def test_a_body_that_is_no_answer_is_a_bad_response(body: bytes) -> None:
    async with FakeUpstream([Answer(writes=[body])]) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(upstream)


async def test_a_refused_connection_is_unavailable() -> None:
    async with FakeUpstream([]) as upstream:
        pass
    with pytest.raises(ProviderUnavailable):
        await asked(upstream)


async def test_a_private_address_needs_the_setting() -> None:
    async with FakeUpstream([said("hi")]) as upstream:
        spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=upstream.base_url)
        with pytest.raises(ProviderUrlForbidden):
            await client_for(spec).complete(ChatCall(request=REQUEST, emit=print))

    assert upstream.connections == 0


async def test_a_host_with_several_addresses_is_tried_at_each() -> None:
    async with FakeUpstream([said("hi")]) as upstream:
        response = await asked(upstream, base_url=upstream.base_url.replace("127.0.0.1", "localhost"))

    assert response.text == "hi"
    assert upstream.requests[0].headers["host"] == f"localhost:{upstream.port}"


def test_a_spec_does_not_show_its_key() -> None:
    assert KEY not in repr(ProviderSpec(provider_id="fx", provider_type="openai_chat", api_key=KEY))


def test_every_type_that_is_reached_over_the_network_is_spoken() -> None:
    assert {kind for kind, is_remote in PROVIDER_TYPES.items() if is_remote} == DIALECTS.keys()


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ProviderBadRequest, match="nonsense"):
        client_for(ProviderSpec(provider_id="x", provider_type="nonsense"))


def test_a_missing_key_is_noticed_before_any_connection() -> None:
    with pytest.raises(ProviderCredentialMissing):
        client_for(ProviderSpec(provider_id="x", provider_type="openai_chat", needs_credential=True))


async def test_tool_names_travel_encoded_and_come_back() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "system__echo", "arguments": "{}"}}
    tools = tuple(ToolSchema(name=name, description="", parameters={}) for name in ("system.echo", "math.add"))
    request = ChatRequest(model="m", messages=REQUEST.messages, tools=tools)
    answer = Answer(writes=[chunk({"tool_calls": [call]}), chunk(finish="stop"), DONE])
    async with FakeUpstream([answer]) as upstream:
        response = await asked(upstream, request=request)

    assert [item.name for item in response.calls] == ["system.echo"]
    assert response.finish_reason == "tool_calls"
    assert [tool["function"]["name"] for tool in upstream.requests[0].json["tools"]] == ["math__add", "system__echo"]

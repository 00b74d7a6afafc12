"""Anthropic's Messages API over loopback, against a stand-in as strict as it is, and as other servers speak it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agentcore.chat import ChatCall, ChatRequest, ChatResponse, ToolSchema
from agentcore.errors import (
    ContextLengthExceeded,
    ModelNotFound,
    ProviderAuthFailed,
    ProviderBadRequest,
    ProviderBadResponse,
    ProviderError,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
)
from agentcore.messages import FunctionCallContent, FunctionResultContent, Message, ReasoningContent, Role, TextContent
from agentcore.pricing import HOME_URLS
from agentcore.providers.clients import client_for
from agentcore.providers.dialects import ModelListed
from agentcore.providers.dialects.anthropic import ANTHROPIC
from agentcore.providers.probe import models_listed
from agentcore.providers.spec import ProviderSpec
from tests.contracts.wires_anthropic import STOP, call, finish, started, text, thinking
from tests.fake_upstream import Answer, FakeUpstream
from tests.reading import decoded, each_byte, normalised, outcome
from tests.recorded import transcripts
from tests.strict_anthropic import strictly

HELLO = Message.of(Role.USER, "hello")
TOOLS = (ToolSchema(name="math.add", description="Adds.", parameters={"type": "object"}),)
HI = Answer(writes=[started(input_tokens=3, output_tokens=1), text("hi"), finish("stop"), STOP])


def spec_of(upstream: FakeUpstream) -> ProviderSpec:
    return ProviderSpec(
        provider_id="fx", provider_type="anthropic", base_url=upstream.base_url, api_key="sk-1", needs_credential=True
    )


async def asked(spec: ProviderSpec, *messages: Message) -> ChatResponse:
    request = ChatRequest(model="claude", messages=messages, tools=TOOLS)
    client = client_for(spec, allow_private=True)
    return await client.complete(ChatCall(request=request, emit=lambda event: None))


async def test_a_base_url_may_end_with_the_version_or_not() -> None:
    async with FakeUpstream(strictly(HI)) as upstream:
        spec = spec_of(upstream)
        for base_url in (spec.base_url, f"{spec.base_url}/", spec.base_url.removesuffix("/v1")):
            assert (await asked(replace(spec, base_url=base_url), HELLO)).text == "hi"

    assert {received.line for received in upstream.requests} == {"POST /v1/messages HTTP/1.1"}
    assert ANTHROPIC.base_url("") == HOME_URLS["anthropic"]


async def test_models_are_listed_all_at_once() -> None:
    models = {
        "data": [
            {"type": "model", "id": "claude-b", "display_name": "Claude B", "max_input_tokens": 200000},
            {"type": "model", "id": "claude-a", "display_name": "Claude A", "created_at": "2026-01-01T00:00:00Z"},
        ],
        "has_more": False,
        "first_id": "claude-b",
        "last_id": "claude-a",
    }
    answer = Answer(headers={"content-type": "application/json"}, writes=[json.dumps(models).encode()])
    async with FakeUpstream([answer], strict=False) as upstream:
        listed = await models_listed(spec_of(upstream), allow_private=True)

    assert listed == [
        ModelListed(id="claude-a", name="Claude A"),
        ModelListed(id="claude-b", name="Claude B", context_window=200000),
    ]
    assert upstream.requests[0].line == "GET /v1/models?limit=1000 HTTP/1.1"
    assert upstream.requests[0].headers["x-api-key"] == "sk-1"


async def test_thinking_comes_back_with_the_calls_that_it_led_to() -> None:
    answer = Answer(
        writes=[
            started(input_tokens=3, output_tokens=1),
            thinking("why", "sig"),
            call("toolu_1", "math__add", ['{"a":', "1}"]),
            finish("tool_use"),
            STOP,
        ]
    )
    async with FakeUpstream(strictly(answer)) as upstream:
        response = await asked(spec_of(upstream), HELLO)
        said = Message(role=Role.ASSISTANT, contents=response.contents)
        result = Message(role=Role.TOOL, contents=(FunctionResultContent("toolu_1", "math.add", 1),))
        await asked(spec_of(upstream), HELLO, said, result)

    assert response.calls == [FunctionCallContent("toolu_1", "math.add", {"a": 1})]
    assert upstream.requests[1].json["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "why", "signature": "sig"},
        {"type": "tool_use", "id": "toolu_1", "name": "math__add", "input": {"a": 1}},
    ]


async def test_thinking_that_was_cut_off_does_not_end_the_conversation() -> None:
    """Case A17: a block without its signature is refused for ever after."""
    cut = Answer(writes=[started(input_tokens=3), thinking("half", "")])
    async with FakeUpstream(strictly(cut)) as upstream:
        with pytest.raises(ProviderBadResponse):
            await asked(spec_of(upstream), HELLO)
    stopped = Message(
        role=Role.ASSISTANT, contents=(ReasoningContent("half", "", "fx", "claude"), TextContent("(stopped)"))
    )
    async with FakeUpstream(strictly(HI)) as upstream:
        assert (await asked(spec_of(upstream), HELLO, stopped, HELLO)).text == "hi"


async def test_the_stand_in_refuses_what_the_real_one_refuses() -> None:
    unpaired = Message(role=Role.ASSISTANT, contents=(FunctionCallContent("toolu_1", "math.add"),))
    async with FakeUpstream(strictly(HI)) as upstream:
        with pytest.raises(ProviderBadRequest, match="tool_use ids"):
            await asked(spec_of(upstream), HELLO, unpaired, HELLO)
        with pytest.raises(ProviderBadRequest, match="x-api-key"):
            await asked(replace(spec_of(upstream), api_key="", needs_credential=False), HELLO)


@pytest.mark.parametrize(
    ("status", "kind", "message", "error"),
    [
        (400, "invalid_request_error", "max_tokens: Field required", ProviderBadRequest),
        (400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", ContextLengthExceeded),
        (400, "invalid_request_error", "input length and `max_tokens` exceed context limit", ContextLengthExceeded),
        (400, "invalid_request_error", "Your credit balance is too low", ProviderQuotaExceeded),
        (401, "authentication_error", "invalid x-api-key", ProviderAuthFailed),
        (402, "billing_error", "Check your payment", ProviderQuotaExceeded),
        (403, "permission_error", "Your key may not use it", ProviderAuthFailed),
        (404, "not_found_error", "model: claude-0", ModelNotFound),
        (413, "request_too_large", "Request exceeds the maximum size", ProviderBadRequest),
        (429, "rate_limit_error", "Too many input tokens a minute", ProviderRateLimited),
        (500, "api_error", "Internal server error", ProviderUnavailable),
        (504, "timeout_error", "Took too long", ProviderTimeout),
        (529, "overloaded_error", "Overloaded", ProviderUnavailable),
    ],
)
async def test_a_status_has_its_kind_and_its_words(
    status: int, kind: str, message: str, error: type[ProviderError]
) -> None:
    body = json.dumps({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
    answer = Answer(status=status, headers={"content-type": "application/json"}, writes=[body.encode()])
    _events, raised = await outcome(answer, "anthropic")

    assert type(raised) is error
    assert raised.upstream_status == status
    assert message in raised.message


RECORDED = {recorded.name: recorded for recorded in transcripts() if recorded.api == "anthropic"}
PARIS = {"city": "Paris"}
GOLDEN: dict[str, list[dict[str, Any]]] = {
    "aimock/anthropic_stream": [
        {"t": "text", "text": "Hello from aimock, five words."},
        {"t": "usage", "in": 6, "out": 8, "estimated": True},
        {"t": "finish", "reason": "stop"},
    ],
    "aimock/anthropic_think_stream": [
        {"t": "reasoning", "text": "Let me think about it."},
        {"t": "text", "text": "Done."},
        {"t": "usage", "in": 6, "out": 8, "estimated": True},
        {"t": "finish", "reason": "stop"},
    ],
    "aimock/anthropic_tools_stream": [
        {"t": "tool_call", "id": "toolu_uxl_w8lBmtmMcYIa", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 6, "out": 7, "estimated": True},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "litellm/local_messages_tools_stream": [
        {"t": "tool_call", "id": "etqNPh16ae6d2jCY60GvO1HvHNiy3XTn", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 159, "out": 21},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "litellm/mock_messages_stream": [
        {"t": "text", "text": "Hello from LiteLLM mock claude."},
        {"t": "usage", "in": 2095, "out": 503},
        {"t": "finish", "reason": "stop"},
    ],
    "llamacpp-smollm2/anthropic_messages": [
        {"t": "text", "text": "Hello, welcome to my little corner of the world."},
        {"t": "usage", "in": 36, "out": 12},
        {"t": "finish", "reason": "stop"},
    ],
    "llamacpp-tools/anthropic_stream": [
        {"t": "text", "text": "Hello, world!"},
        {"t": "usage", "in": 23, "out": 5},
        {"t": "finish", "reason": "stop"},
    ],
    "llamacpp-tools/anthropic_tools": [
        {"t": "tool_call", "id": "H6dIPS0WqI2ZRo0DZbFGajzAC3YZWUXS", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 159, "out": 21},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "llamacpp-tools/anthropic_tools_stream": [
        {"t": "tool_call", "id": "ObhiWiXmMtNGve2SiCsRwze4qv2XLerc", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 159, "out": 21},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "llamacpp-tools/anthropic_tool_result": [
        {"t": "text", "text": "Paris is currently at 21 degrees Celsius with clear skies."},
        {"t": "usage", "in": 56, "out": 14},
        {"t": "finish", "reason": "stop"},
    ],
    "pymocks/llmmockapi_messages": [
        {"t": "text", "text": "Looking up the weather for you..."},
        {
            "t": "tool_call",
            "id": "toolu_14ebb3d72931_0",
            "name": "get_weather",
            "args": {"location": "Beijing", "unit": "celsius"},
        },
        {"t": "usage", "in": 10, "out": 5},
        {"t": "finish", "reason": "tool_calls"},
    ],
}


@pytest.mark.parametrize("name", GOLDEN)
async def test_a_transcript_means_what_it_says(name: str) -> None:
    assert normalised(*await outcome(RECORDED[name].answer, "anthropic")) == GOLDEN[name]


# Splitting a long one at every place takes long, and teaches nothing that its bytes one by one do not.
SHORT = {name: recorded.body for name, recorded in RECORDED.items() if len(recorded.body) < 3000}


@pytest.mark.parametrize("name", SHORT)
def test_a_transcript_is_the_same_wherever_it_is_cut(name: str) -> None:
    body = SHORT[name]
    whole = decoded([body], "anthropic")

    assert all(decoded([body[:at], body[at:]], "anthropic") == whole for at in range(1, len(body)))


@pytest.mark.parametrize("name", RECORDED)
def test_a_transcript_is_the_same_byte_by_byte(name: str) -> None:
    body = RECORDED[name].body
    whole = decoded([body], "anthropic")

    assert decoded(each_byte(body), "anthropic") == whole
    assert decoded(each_byte(body.replace(b"\n", b"\r\n")), "anthropic") == whole

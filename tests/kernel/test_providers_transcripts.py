"""Recorded answers of servers that nobody here wrote, as golden inputs of every dialect."""

from typing import Any

import pytest

from agentcore.chat import ModelEvent
from agentcore.errors import ProviderError
from tests.reading import MADE, normalised, outcome
from tests.recorded import transcripts

RECORDED = {recorded.name: recorded for recorded in transcripts()}

PARIS = {"city": "Paris"}
GOLDEN: dict[str, list[dict[str, Any]]] = {
    "aimock/openai_chat": [
        {"t": "text", "text": "Hello from aimock, five words."},
        {"t": "usage", "in": 2, "out": 8},
        {"t": "finish", "reason": "stop"},
    ],
    "aimock/openai_two_tools_stream": [
        {"t": "tool_call", "id": "call_EgQHEfZGPK6dyyNf", "name": "a", "args": {"x": 1}},
        {"t": "tool_call", "id": "call_PIdXjgSn7N1KCVk_", "name": "b", "args": {"y": 2}},
        {"t": "usage", "in": 1, "out": 4},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "aimock/ollama_chat": [
        {"t": "text", "text": "Hello from aimock, five words."},
        {"t": "usage", "in": 6, "out": 8, "estimated": True},
        {"t": "finish", "reason": "stop"},
    ],
    "aimock/ollama_tools": [
        {"t": "tool_call", "id": "*", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 6, "out": 7, "estimated": True},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "litellm/local_tools_stream": [
        {"t": "tool_call", "id": "gYsrCoObc9jZ4Kp7ISwWmvizQiYQGOCe", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 161, "out": 21},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "litellm/mock_chat_stream": [
        {"t": "text", "text": "Hello from LiteLLM mock."},
        {"t": "usage", "in": 8, "out": 7},
        {"t": "finish", "reason": "stop"},
    ],
    "llamacpp-smollm2/chat_stream_nousage": [
        {"t": "text", "text": "Hello! I'm here to help with any kind of creative writing project. What"},
        {"t": "usage", "in": 6, "out": 18, "estimated": True},
        {"t": "finish", "reason": "length"},
    ],
    "llamacpp-smollm2/chat_stream_usage": [
        {"t": "text", "text": "Hello, welcome to my little corner of the world."},
        {"t": "usage", "in": 36, "out": 12},
        {"t": "finish", "reason": "stop"},
    ],
    "llamacpp-smollm2/length_stop_stream": [
        {"t": "text", "text": "I'm sorry for any confusion, but"},
        {"t": "usage", "in": 36, "out": 8},
        {"t": "finish", "reason": "length"},
    ],
    "llamacpp-tools/tools_auto": [
        {
            "t": "tool_call",
            "id": "qhqqnbTCCTi5ZXFXCu36may996Egn1dp",
            "name": "get_weather",
            "args": {"city": "Paris", "unit": "c"},
        },
        {"t": "usage", "in": 186, "out": 27},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "llamacpp-tools/tools_required_stream": [
        {"t": "tool_call", "id": "RJC8hSe9KjGgutnNrJE4qA8sHmUz22OU", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 226, "out": 21},
        {"t": "finish", "reason": "tool_calls"},
    ],
    "llamacpp-tools/tools_result": [
        {"t": "text", "text": "Paris is currently clear with a temperature of 21 degrees Celsius."},
        {"t": "usage", "in": 60, "out": 15},
        {"t": "finish", "reason": "stop"},
    ],
}
REFUSED = {
    "aimock/anthropic_529": "PROVIDER_UNAVAILABLE",
    "litellm/mock_responses_stream": "PROVIDER_UNAVAILABLE",
    # Events of no Anthropic: each says that it is the end, and holds a delta.
    "pymocks/mockllm_messages": "PROVIDER_BAD_RESPONSE",
    "aimock/openai_429": "PROVIDER_RATE_LIMITED",
    "aimock/openai_nomatch": "MODEL_NOT_FOUND",
    "litellm/badkey": "PROVIDER_BAD_REQUEST",
    "litellm/badmodel": "MODEL_NOT_FOUND",
    "llamacpp-smollm2/bad_json": "PROVIDER_BAD_REQUEST",
    "llamacpp-smollm2/bad_role": "PROVIDER_BAD_REQUEST",
    "llamacpp-smollm2/context_overflow": "CONTEXT_LENGTH_EXCEEDED",
    "llamacpp-smollm2/no_messages": "PROVIDER_BAD_REQUEST",
    "llamacpp-tools/bad_json": "PROVIDER_BAD_REQUEST",
    "llamacpp-tools/bad_role": "PROVIDER_BAD_REQUEST",
    "llamacpp-tools/context_overflow": "CONTEXT_LENGTH_EXCEEDED",
    "llamacpp-tools/no_messages": "PROVIDER_BAD_REQUEST",
}


async def heard(name: str) -> tuple[list[ModelEvent], ProviderError | None]:
    return await outcome(RECORDED[name].answer, RECORDED[name].api)


@pytest.mark.parametrize("name", GOLDEN)
async def test_transcript_means_what_it_says(name: str) -> None:
    assert as_golden(normalised(*await heard(name))) == GOLDEN[name]


def as_golden(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event | {"id": "*"} if MADE.fullmatch(event.get("id", "")) else event for event in found]


@pytest.mark.parametrize("name", REFUSED)
async def test_transcript_of_a_refusal_has_its_code(name: str) -> None:
    events, error = await heard(name)

    assert events == []
    assert error is not None
    assert error.code == REFUSED[name]


@pytest.mark.parametrize("name", sorted(RECORDED.keys() - GOLDEN.keys() - REFUSED.keys()))
async def test_every_other_transcript_is_a_whole_answer(name: str) -> None:
    events, error = await heard(name)

    assert error is None
    assert [event["t"] for event in normalised(events, error)][-2:] == ["usage", "finish"]


async def test_the_wait_of_a_rate_limit_is_told() -> None:
    _events, error = await heard("aimock/openai_429")

    assert error is not None
    assert error.retry_after_s == 1

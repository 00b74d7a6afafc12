"""Recorded answers of servers that nobody here wrote, on the Responses API."""

from typing import Any

import pytest

from agentcore.messages import Usage
from tests.reading import decoded, normalised, outcome
from tests.recorded import transcript

HELLO = "Hello, welcome to my little corner of the world."
PARIS = {"city": "Paris"}
STOP, CALLED = {"t": "finish", "reason": "stop"}, {"t": "finish", "reason": "tool_calls"}
GOLDEN: dict[str, list[dict[str, Any]]] = {
    "aimock/responses_reasoning_stream": [
        {"t": "reasoning", "text": "Let me think about it."},
        {"t": "text", "text": "Done."},
        STOP,
    ],
    "aimock/responses_stream": [{"t": "text", "text": "Hello from aimock, five words."}, STOP],
    "aimock/responses_tools_stream": [
        {"t": "tool_call", "id": "call_E2YivNZTPy9alh29", "name": "get_weather", "args": PARIS},
        CALLED,
    ],
    "llamacpp-smollm2/responses": [{"t": "text", "text": HELLO}, {"t": "usage", "in": 36, "out": 12}, STOP],
    "llamacpp-smollm2/responses_stream": [{"t": "text", "text": HELLO}, {"t": "usage", "in": 36, "out": 12}, STOP],
    "llamacpp-tools/responses": [{"t": "text", "text": "Hello, world!"}, {"t": "usage", "in": 25, "out": 5}, STOP],
    "llamacpp-tools/responses_stream": [
        {"t": "text", "text": "Hello, world!"},
        {"t": "usage", "in": 25, "out": 5},
        STOP,
    ],
    "llamacpp-tools/responses_tools_stream": [
        {"t": "tool_call", "id": "call_cTVgRin0XmQOS5zUa0DUyeEYxSXLSUSc", "name": "get_weather", "args": PARIS},
        {"t": "usage", "in": 159, "out": 21},
        CALLED,
    ],
    "pymocks/llmmockapi_responses": [
        {"t": "reasoning", "text": "User wants a programmer joke. Make it short and relatable."},
        {"t": "text", "text": "Why did the developer go broke? Because he used up all his cache."},
        {"t": "usage", "in": 10, "out": 5},
        STOP,
    ],
}


@pytest.mark.parametrize("name", GOLDEN)
async def test_response_means_what_it_says(name: str) -> None:
    found = normalised(*await outcome(transcript(name), "openai_responses"))

    assert [event for event in found if not event.get("estimated")] == GOLDEN[name]


@pytest.mark.parametrize("name", ["aimock/responses_tools_stream", "litellm/mock_responses_stream"])
def test_response_is_the_same_wherever_the_network_cuts(name: str) -> None:
    body = b"".join(transcript(name).writes)
    whole = decoded([body], "openai_responses")

    assert [at for at in range(len(body)) if decoded([body[:at], body[at:]], "openai_responses") != whole] == []


def test_what_the_cache_held_is_a_part_of_the_input() -> None:
    body = b"".join(transcript("llamacpp-tools/responses_stream").writes)

    assert decoded([body], "openai_responses")[-1] == Usage(input_tokens=25, output_tokens=5, cached_input_tokens=24)


async def test_error_that_comes_as_an_event_keeps_its_words() -> None:
    events, error = await outcome(transcript("litellm/mock_responses_stream"), "openai_responses")

    assert (events, error.code if error else "") == ([], "PROVIDER_UNAVAILABLE")
    assert error is not None
    assert "Error processing stream start" in error.message

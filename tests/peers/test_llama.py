"""llama.cpp's own server with SmolLM2, on its chat, responses and messages endpoints."""

import json

import pytest

from agentcore.chat import ChatOptions, FinishReason
from agentcore.messages import DataContent
from agentcore.providers.clients import DIALECTS
from tests.peers.asking import WEATHER, Server, asked, with_result

WIRES = [dialect for dialect in DIALECTS if dialect != "ollama"]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["Paris"]}},
    "required": ["city"],
    "additionalProperties": False,
}

pytestmark = [pytest.mark.peer, pytest.mark.local_llm, pytest.mark.parametrize("dialect", WIRES)]


async def test_it_answers_streamed_with_usage(llama: Server, dialect: str) -> None:
    outcome = await asked(llama, dialect, "Say hello.", options=ChatOptions(max_output_tokens=60, temperature=0))

    assert len(outcome.deltas) > 1
    assert outcome.whole.text
    usage = outcome.whole.usage
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0
    assert not usage.estimated


async def test_a_whole_answer_is_read(llama: Server, dialect: str) -> None:
    options = ChatOptions(max_output_tokens=20, temperature=0)

    outcome = await asked(llama, dialect, "Say hello.", options=options, stream=False)

    assert outcome.whole.text
    assert outcome.whole.usage.output_tokens > 0


async def test_it_calls_a_tool_and_answers_from_its_result(llama_tools: Server, dialect: str) -> None:
    question, options = "What is the weather in Paris?", ChatOptions(max_output_tokens=120, temperature=0)

    call = await asked(llama_tools, dialect, question, tools=(WEATHER,), options=options)
    assert [(name, arguments["city"]) for name, arguments in call.calls] == [("get_weather", "Paris")]
    assert call.whole.finish_reason is FinishReason.TOOL_CALLS

    history = with_result(question, call.whole, {"sky": "clear", "temperature_c": 21})
    outcome = await asked(llama_tools, dialect, *history, tools=(WEATHER,), options=options)
    assert "21" in outcome.whole.text


async def test_it_takes_a_schema(llama: Server, dialect: str) -> None:
    options = ChatOptions(max_output_tokens=60, temperature=0, response_schema=SCHEMA)

    outcome = await asked(llama, dialect, "Name a city as JSON.", options=options, profile={"json_schema": True})

    # On its other two endpoints it leaves the schema unread.
    if dialect == "openai_chat":
        assert json.loads(outcome.whole.text) == {"city": "Paris"}
    assert outcome.whole.text


async def test_the_output_limit_is_told(llama: Server, dialect: str) -> None:
    options = ChatOptions(max_output_tokens=4, temperature=0)

    outcome = await asked(llama, dialect, "Tell me a long story about the sea.", options=options)

    assert outcome.whole.usage.output_tokens == 4
    # Its responses are completed, whatever ended them.
    told = FinishReason.STOP if dialect == "openai_responses" else FinishReason.LENGTH
    assert outcome.whole.finish_reason is told


async def test_too_long_a_question_is_told_as_one(llama: Server, dialect: str) -> None:
    outcome = await asked(llama, dialect, "word " * 6000)

    assert outcome.code == "CONTEXT_LENGTH_EXCEEDED"


async def test_a_picture_that_it_cannot_see_is_a_refusal(llama: Server, dialect: str) -> None:
    outcome = await asked(llama, dialect, "What is this?", DataContent(PIXEL, "image/png"))

    assert outcome.code in {"PROVIDER_BAD_REQUEST", "CAPABILITY_MISSING", "PROVIDER_UNAVAILABLE"}

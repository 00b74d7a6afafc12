"""Recorded answers of servers that nobody here wrote, as golden inputs of the openai_chat dialect."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fake_upstream import Answer
from tests.kernel.test_providers_cases import normalised, outcome

ROOT = Path(__file__).parents[1] / "data" / "transcripts"
HEAD = re.compile(rb"^HTTP/1\.1 (\d+)[^\n]*\n(.*?)\n\r?\n", re.DOTALL | re.MULTILINE)
RECORDED = [file for file in sorted(ROOT.rglob("*.txt")) if file.read_bytes().startswith(b"POST /v1/chat/completions")]

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


def recorded(name: str) -> Answer:
    raw = (ROOT / f"{name}.txt").read_bytes()
    head = HEAD.search(raw)
    assert head is not None
    pairs = (line.split(b":", 1) for line in head[2].split(b"\n") if b":" in line)
    headers = {key.decode().strip().lower(): value.decode().strip() for key, value in pairs}
    kept = {key: headers[key] for key in ("content-type", "retry-after") if key in headers}
    return Answer(status=int(head[1]), headers=kept, writes=[raw[head.end() :]])


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


@pytest.mark.parametrize("name", GOLDEN)
async def test_transcript_means_what_it_says(name: str) -> None:
    assert normalised(*await outcome(recorded(name))) == GOLDEN[name]


@pytest.mark.parametrize("name", REFUSED)
async def test_transcript_of_a_refusal_has_its_code(name: str) -> None:
    events, error = await outcome(recorded(name))

    assert events == []
    assert error is not None
    assert error.code == REFUSED[name]


@pytest.mark.parametrize("name", [name_of(file) for file in RECORDED if name_of(file) not in {*GOLDEN, *REFUSED}])
async def test_every_other_transcript_is_a_whole_answer(name: str) -> None:
    events, error = await outcome(recorded(name))

    assert error is None
    assert [event["t"] for event in normalised(events, error)][-2:] == ["usage", "finish"]


async def test_the_wait_of_a_rate_limit_is_told() -> None:
    _events, error = await outcome(recorded("aimock/openai_429"))

    assert error is not None
    assert error.retry_after_s == 1

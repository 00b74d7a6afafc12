"""Anthropic's own SDK: what we send is what its types allow, and what it would read is what we read."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentcore.chat import ChatOptions, ChatRequest, Collector, Route, ToolChoice, ToolSchema
from agentcore.messages import (
    CallStatus,
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    UriContent,
    Usage,
)
from agentcore.providers.answer import AnswerReader
from agentcore.providers.dialects.anthropic import ANTHROPIC
from agentcore.providers.profile import ModelProfile, Target
from tests.peers.sdk import answered, python_with
from tests.strict_anthropic import faults_of

pytestmark = pytest.mark.peer

PROGRAM = Path(__file__).with_name("anthropic_sdk.py")
HELLO = Message.of(Role.USER, "hello")
THINKING = {"type": "thinking", "thinking": "why not", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "ZW5j"}


@pytest.fixture(scope="module", name="python")
def python_() -> str:
    return python_with("anthropic")


def told(python: str, **given: Any) -> dict[str, Any]:
    """What the SDK says of ``requests`` and ``messages``."""
    return answered(python, PROGRAM, {"requests": [], "messages": []} | given)


TOOLS = (
    ToolSchema(name="system.echo", description="Says it again.", parameters={"type": "object", "properties": {}}),
    ToolSchema(name="math.add", description="", parameters={}),
    ToolSchema(name="strict", description="S.", parameters={"type": "object", "properties": {}}, strict=True),
)


def history() -> tuple[Message, ...]:
    thoughts = [json.dumps({"calls_before": 0, "block": block}) for block in (THINKING, REDACTED)]
    pictures = (DataContent("aGk=", "image/png"), UriContent("https://example.com/a.png", "image/png"))
    failure = {"code": "TOOL_FAILED", "message": "No."}
    return (
        Message.of(Role.SYSTEM, "Be brief."),
        Message(role=Role.USER, contents=(TextContent("look"), *pictures)),
        Message(
            role=Role.ASSISTANT,
            contents=(
                *(ReasoningContent("", thought) for thought in thoughts),
                TextContent("Both."),
                FunctionCallContent("a:1", "system.echo", {"text": "x"}),
                FunctionCallContent("b", "math.add", {}),
            ),
        ),
        Message(role=Role.TOOL, contents=(FunctionResultContent("a:1", "system.echo", "x"),)),
        Message(role=Role.TOOL, contents=(FunctionResultContent("b", "math.add", None, CallStatus.FAILED, failure),)),
        Message.of(Role.USER, "The page.", source=Source.CONTEXT_PROVIDER),
        HELLO,
    )


def requests() -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}
    marked = Target(profile=ModelProfile(cache_markers=True, parallel_tools=False))
    able = Target(profile=ModelProfile(json_schema=True))
    asked = [
        (ChatRequest(model="claude", messages=(HELLO,)), Target()),
        (ChatRequest(model="claude", messages=history()), Target()),
        (ChatRequest(model="claude", messages=(HELLO,), options=ChatOptions(response_schema=schema)), Target()),
        (ChatRequest(model="claude", messages=(HELLO,), options=ChatOptions(response_schema=schema)), able),
        (ChatRequest(model="claude", messages=(HELLO,)), Target(options={"body": {"thinking": {"type": "adaptive"}}})),
        *(
            (
                ChatRequest(model="claude", messages=history(), tools=TOOLS, options=ChatOptions(tool_choice=choice)),
                marked,
            )
            for choice in ToolChoice
        ),
    ]
    return [ANTHROPIC.encode(request, target) for request, target in asked]


def test_what_we_send_is_what_the_types_of_the_sdk_allow(python: str) -> None:
    sent = requests()

    assert told(python, requests=sent)["faults"] == ["" for _request in sent]
    assert [faults_of(body) for body in sent] == [[] for _request in sent]


def test_the_types_of_the_sdk_refuse_what_is_wrong(python: str) -> None:
    sent = requests()[0]
    unsigned = [{"role": "user", "content": [{"type": "thinking", "thinking": "half"}]}]

    assert all(told(python, requests=[sent | {"nonsense": 1}, {}, sent | {"messages": unsigned}])["faults"])


USAGE = {
    "input_tokens": 4,
    "cache_read_input_tokens": 50,
    "cache_creation_input_tokens": 100,
    "output_tokens": 30,
    "output_tokens_details": {"thinking_tokens": 7},
}
MESSAGES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "text": ("end_turn", [{"type": "text", "text": "Hello, wörld 😀"}]),
    "thinking": ("end_turn", [THINKING, REDACTED, {"type": "text", "text": "So."}]),
    "thinking without words": ("end_turn", [THINKING | {"thinking": ""}, {"type": "text", "text": "So."}]),
    "calls": (
        "tool_use",
        [
            {"type": "text", "text": "Both."},
            {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "system__echo",
                "input": {"text": "é", "n": [1, {"a": None}]},
            },
            {"type": "tool_use", "id": "toolu_2", "name": "math__add", "input": {}},
        ],
    ),
    "thinking between calls": (
        "tool_use",
        [
            THINKING,
            {"type": "tool_use", "id": "toolu_1", "name": "math__add", "input": {"a": 1}},
            THINKING | {"thinking": "again", "signature": "dHdv"},
            {"type": "tool_use", "id": "toolu_2", "name": "math__add", "input": {"a": 2}},
        ],
    ),
    "a search at the server": (
        "end_turn",
        [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            {"type": "text", "text": "Found."},
        ],
    ),
}


def message(name: str) -> dict[str, Any]:
    reason, content = MESSAGES[name]
    fields = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_sequence": None}
    return fields | {"content": content, "stop_reason": reason, "usage": USAGE}


def heard(body: str) -> tuple[Collector, Usage | None]:
    request = ChatRequest(model="claude", messages=(HELLO,), tools=TOOLS)
    collected = Collector(lambda event: None)
    reader = AnswerReader(ANTHROPIC.decoder(request), collected, ANTHROPIC.splitter())
    reader.feed(body.encode())
    for event in reader.end():
        collected(event)
    return collected, reader.usage()


@pytest.mark.parametrize("name", MESSAGES)
def test_what_the_sdk_accumulates_is_what_we_read(name: str, python: str) -> None:
    (stream,) = told(python, messages=[message(name)])["streams"]
    wanted = [block for block in stream["message"]["content"] if block["type"] in {"text", "tool_use"}]
    collected, used = heard(stream["body"])

    contents = collected.contents(Route("anthropic", "claude"))
    texts = [content.text for content in contents if isinstance(content, TextContent)]
    thought = [content.text for content in contents if isinstance(content, ReasoningContent)]
    assert "".join(texts) == "".join(block.get("text", "") for block in wanted)
    assert "".join(thought) == "".join(block.get("thinking", "") for block in stream["message"]["content"])
    assert [(call.call_id, call.name.replace(".", "__"), call.arguments) for call in collected.calls] == [
        (block["id"], block["name"], block["input"]) for block in wanted if block["type"] == "tool_use"
    ]
    assert used == Usage(
        input_tokens=154, output_tokens=30, cached_input_tokens=50, cache_write_tokens=100, reasoning_tokens=7
    )


@pytest.mark.parametrize("name", [name for name in MESSAGES if "search" not in name])
def test_what_the_sdk_accumulates_is_what_we_send_back(name: str, python: str) -> None:
    (stream,) = told(python, messages=[message(name)])["streams"]
    collected, _used = heard(stream["body"])
    said = Message(role=Role.ASSISTANT, contents=collected.contents(Route("anthropic", "claude")))

    sent = ANTHROPIC.encode(ChatRequest(model="claude", messages=(HELLO, said), tools=TOOLS), Target())

    assert sent["messages"][1]["content"] == MESSAGES[name][1]

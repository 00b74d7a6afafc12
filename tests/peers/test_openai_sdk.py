"""OpenAI's own SDK: what we send is what its types allow, and what it would read is what we read."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentcore.chat import ChatOptions, ChatRequest, ReasoningDelta, TextDelta, ToolCall, ToolChoice, ToolSchema
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
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT
from agentcore.providers.dialects.openai_responses import OPENAI_RESPONSES
from agentcore.providers.profile import ModelProfile, Target
from tests.peers.sdk import answered, python_with
from tests.reading import decoded

pytestmark = pytest.mark.peer

PROGRAM = Path(__file__).with_name("openai_sdk.py")
HELLO = Message.of(Role.USER, "hello")
NOTHING: dict[str, Any] = {"chat": [], "responses": [], "completions": [], "outputs": []}
TOKENS = {"input_tokens": 20, "output_tokens": 9, "total_tokens": 29}
USAGE = Usage(input_tokens=20, output_tokens=9, cached_input_tokens=4, cache_write_tokens=2, reasoning_tokens=5)
EMPTY = {"type": "object", "properties": {}}
TOOLS = (
    ToolSchema(name="system.echo", description="Says it again.", parameters=EMPTY),
    ToolSchema(name="strict", description="S.", parameters=EMPTY | {"additionalProperties": False}, strict=True),
)


@pytest.fixture(scope="module", name="python")
def python_() -> str:
    return python_with("openai")


def told(python: str, **given: Any) -> dict[str, Any]:
    """What the SDK says of it."""
    return answered(python, PROGRAM, NOTHING | given)


def history() -> tuple[Message, ...]:
    summary = [{"type": "summary_text", "text": "why"}]
    token = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "enc"}
    pictures = (DataContent("aGk=", "image/png"), UriContent("https://example.com/a.png", "image/png"))
    failure = {"code": "TOOL_FAILED", "message": "No."}
    calls = (FunctionCallContent("a", "system.echo", {"text": "x"}), FunctionCallContent("b", "strict", {}))
    return (
        Message.of(Role.SYSTEM, "Be brief."),
        Message(role=Role.USER, contents=(TextContent("look"), *pictures)),
        Message(
            role=Role.ASSISTANT, contents=(ReasoningContent("why", json.dumps(token)), TextContent("Both."), *calls)
        ),
        Message(role=Role.TOOL, contents=(FunctionResultContent("a", "system.echo", "x"),)),
        Message(role=Role.TOOL, contents=(FunctionResultContent("b", "strict", None, CallStatus.FAILED, failure),)),
        Message.of(Role.USER, "The page.", source=Source.CONTEXT_PROVIDER),
        HELLO,
    )


def asked() -> list[tuple[ChatRequest, Target]]:
    limits = ChatOptions(max_output_tokens=64, temperature=0.5, response_schema=EMPTY, response_strict=True)
    capable = Target(profile=ModelProfile(reasoning=True, json_schema=True, max_tokens_field="max_completion_tokens"))
    one_by_one = Target(profile=ModelProfile(parallel_tools=False))
    return [
        (ChatRequest(model="gpt", messages=(HELLO,)), Target()),
        (ChatRequest(model="gpt", messages=history()), Target()),
        (ChatRequest(model="gpt", messages=(HELLO,), options=limits), capable),
        (ChatRequest(model="gpt", messages=(HELLO,), options=limits), Target()),
        *(
            (ChatRequest(model="gpt", messages=history(), tools=TOOLS, options=ChatOptions(tool_choice=choice)), target)
            for choice in ToolChoice
            for target in (capable, one_by_one)
        ),
    ]


def with_ids(body: dict[str, Any]) -> dict[str, Any]:
    """The type of an answer that goes back asks for the id and the state that the server gave it; the API does not."""
    extra = {"id": "msg_1", "status": "completed"}
    items = [item | extra if item.get("role") == "assistant" else item for item in body["input"]]
    for item in items:
        if item.get("role") == "assistant":
            item["content"] = [part | {"annotations": []} for part in item["content"]]
    return body | {"input": items}


def test_what_we_send_is_what_the_types_of_the_sdk_allow(python: str) -> None:
    chat = [OPENAI_CHAT.encode(request, target) for request, target in asked()]
    responses = [with_ids(OPENAI_RESPONSES.encode(request, target)) for request, target in asked()]

    faults = told(python, chat=chat, responses=responses)["faults"]

    assert faults == {"chat": [""] * len(chat), "responses": [""] * len(responses)}


def test_the_sdk_would_say_what_is_wrong(python: str) -> None:
    request, target = asked()[0]
    chat = OPENAI_CHAT.encode(request, target) | {"made_up": 1}
    responses = OPENAI_RESPONSES.encode(request, target) | {"input": [{"type": "message", "role": "robot"}]}

    faults = told(python, chat=[chat], responses=[responses])["faults"]

    assert all(faults["chat"] + faults["responses"])


def completion(finish: str, **said: Any) -> dict[str, Any]:
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 9,
        "total_tokens": 29,
        "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    message = {"role": "assistant", "content": None, **said}
    choices = [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}]
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt", "choices": choices, "usage": usage}


def response(*output: dict[str, Any], **fields: Any) -> dict[str, Any]:
    details = {
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
        "output_tokens_details": {"reasoning_tokens": 5},
    }
    told_ = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt", "status": "completed"}
    asked_ = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
    return told_ | asked_ | {"output": list(output), "usage": TOKENS | details} | fields


CALLS = [
    {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": arguments}}
    for name, arguments in (("f", '{"x": "ü😀", "y": [1, 2]}'), ("g", "{}"))
]
COMPLETIONS = [
    completion("stop", content="Hello 😀 wörld"),
    completion("length", content="Once upon"),
    completion("stop", refusal="I will not."),
    completion("tool_calls", content="Looking.", tool_calls=CALLS),
]
PARTS = [{"type": "summary_text", "text": text} for text in ("First why.", "Then how.")]
TEXT = {"type": "output_text", "text": "Hello 😀 wörld", "annotations": []}
REFUSAL = {"type": "refusal", "refusal": "I will not."}
MESSAGE = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [TEXT]}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": PARTS, "encrypted_content": "enc"}
OUTPUTS = [
    response(MESSAGE),
    response(REASONING, MESSAGE),
    response(MESSAGE | {"content": [REFUSAL]}),
    response(MESSAGE, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
    response(
        REASONING,
        *(
            {"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], "status": "completed"}
            | call["function"]
            for call in CALLS
        ),
    ),
]


def summed(events: list[Any]) -> dict[str, Any]:
    """What was read, added up; the last of ``events`` is the usage."""
    *said, usage = events
    return {
        "text": "".join(event.text for event in said if isinstance(event, TextDelta)),
        "thinking": "".join(event.text for event in said if isinstance(event, ReasoningDelta)),
        "calls": [(event.call_id, event.name, event.arguments) for event in said if isinstance(event, ToolCall)],
        "finish": said[-1].reason.value,
        "usage": usage,
    }


def of_completion(whole: dict[str, Any]) -> dict[str, Any]:
    """The same, as the SDK has it."""
    choice = whole["choices"][0]
    said = choice["message"]
    calls = [(call["id"], call["function"]) for call in said["tool_calls"] or ()]
    return {
        "text": said["content"] or said["refusal"],
        "thinking": "",
        "calls": [(call_id, made["name"], json.loads(made["arguments"])) for call_id, made in calls],
        "finish": choice["finish_reason"],
        "usage": USAGE,
    }


def of_response(whole: dict[str, Any]) -> dict[str, Any]:
    items = whole["output"]
    parts = [part for item in items if item["type"] == "message" for part in item["content"]]
    calls = [item for item in items if item["type"] == "function_call"]
    thoughts = [part["text"] for item in items if item["type"] == "reasoning" for part in item["summary"]]
    finish = "length" if whole["status"] == "incomplete" else "tool_calls" if calls else "stop"
    return {
        "text": "".join(part.get("text") or part["refusal"] for part in parts),
        "thinking": "\n\n".join(thoughts),
        "calls": [(item["call_id"], item["name"], json.loads(item["arguments"])) for item in calls],
        "finish": finish,
        "usage": USAGE,
    }


@pytest.mark.parametrize("number", range(len(COMPLETIONS)))
def test_a_completion_reads_the_same(python: str, number: int) -> None:
    stream = told(python, completions=[COMPLETIONS[number]])["chat"][0]
    body, wanted = stream["body"].encode(), of_completion(stream["whole"])

    assert summed(decoded([body], "openai_chat")) == wanted
    assert summed(decoded([body[at : at + 7] for at in range(0, len(body), 7)], "openai_chat")) == wanted
    assert summed(decoded([json.dumps(COMPLETIONS[number]).encode()], "openai_chat")) == wanted


@pytest.mark.parametrize("number", range(len(OUTPUTS)))
def test_a_response_reads_the_same(python: str, number: int) -> None:
    stream = told(python, outputs=[OUTPUTS[number]])["responses"][0]
    body, wanted = stream["body"].encode(), of_response(stream["whole"])

    assert summed(decoded([body], "openai_responses")) == wanted
    assert summed(decoded([body[at : at + 7] for at in range(0, len(body), 7)], "openai_responses")) == wanted
    assert summed(decoded([json.dumps(OUTPUTS[number]).encode()], "openai_responses")) == wanted

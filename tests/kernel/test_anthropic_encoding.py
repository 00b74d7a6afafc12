"""Requests as Anthropic takes them: each golden body is one that the strict stand-in for it accepts."""

import json
from typing import Any

import pytest

from agentcore.chat import ChatOptions, ChatRequest, ToolChoice, ToolSchema
from agentcore.messages import (
    CallStatus,
    Content,
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    UriContent,
)
from agentcore.providers.dialects.anthropic import ANTHROPIC
from agentcore.providers.profile import ModelProfile, Target
from tests.strict_anthropic import faults_of

SYSTEM, HELLO = Message.of(Role.SYSTEM, "Be brief."), Message.of(Role.USER, "hello")
PAGE = Message.of(Role.USER, "The page is /flights.", source=Source.CONTEXT_PROVIDER)
ECHO = ToolSchema(name="system.echo", description="Says it again.", parameters={"type": "object", "properties": {}})
ADD = ToolSchema(name="math.add", description="", parameters={})
SEALED = {"type": "thinking", "thinking": "why", "signature": "sig"}
HERE = {"type": "ephemeral"}


def said(*contents: Content) -> Message:
    return Message(role=Role.ASSISTANT, contents=contents)


def called(*call_ids: str, **arguments: Any) -> Message:
    return said(*(FunctionCallContent(call_id, "system.echo", arguments) for call_id in call_ids))


def answered(*call_ids: str) -> Message:
    results = tuple(FunctionResultContent(call_id, "system.echo", call_id) for call_id in call_ids)
    return Message(role=Role.TOOL, contents=results)


def encoded(*messages: Message, target: Target | None = None, **fields: Any) -> dict[str, Any]:
    request = ChatRequest(model="claude", messages=messages or (HELLO,), **fields)
    return ANTHROPIC.encode(request, target or Target())


def blocks(body: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    assert faults_of(body) == []
    return [(turn["role"], turn["content"]) for turn in body["messages"]]


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def test_a_whole_request() -> None:
    thought = ReasoningContent("why", json.dumps({"calls_before": 0, "block": SEALED}), "anthropic", "claude")
    failed = FunctionResultContent("b", "math.add", None, CallStatus.FAILED, {"code": "TOOL_FAILED", "message": "No."})
    body = encoded(
        SYSTEM,
        HELLO,
        said(
            thought,
            TextContent("Both."),
            FunctionCallContent("a", "system.echo", {"z": 1, "a": 2}),
            FunctionCallContent("b", "math.add"),
        ),
        Message(role=Role.TOOL, contents=(FunctionResultContent("a", "system.echo", {"n": 1}),)),
        Message(role=Role.TOOL, contents=(failed,)),
        PAGE,
        Message.of(Role.USER, "and now?"),
        tools=(ECHO, ADD),
        options=ChatOptions(max_output_tokens=99, temperature=0.5),
    )

    assert body == {
        "model": "claude",
        "max_tokens": 99,
        "stream": True,
        "tools": [
            {"name": "math__add", "input_schema": {"type": "object"}},
            {"name": "system__echo", "description": "Says it again.", "input_schema": ECHO.parameters},
        ],
        "system": [text("Be brief.")],
        "messages": [
            {"role": "user", "content": [text("hello")]},
            {
                "role": "assistant",
                "content": [
                    SEALED,
                    text("Both."),
                    {"type": "tool_use", "id": "a", "name": "system__echo", "input": {"a": 2, "z": 1}},
                    {"type": "tool_use", "id": "b", "name": "math__add", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": '{"n":1}'},
                    {
                        "type": "tool_result",
                        "tool_use_id": "b",
                        "content": '{"error":{"code":"TOOL_FAILED","message":"No."},"status":"failed"}',
                        "is_error": True,
                    },
                    text("The page is /flights."),
                    text("and now?"),
                ],
            },
        ],
        "temperature": 0.5,
    }
    assert '"input":{"a":2,"z":1}' in json.dumps(body, separators=(",", ":"))
    assert faults_of(body) == []


def test_a_bare_request_holds_what_must_be() -> None:
    assert encoded() == {
        "model": "claude",
        "max_tokens": 4096,
        "stream": True,
        "messages": [{"role": "user", "content": [text("hello")]}],
    }


def test_neighbours_of_one_role_are_one_turn() -> None:
    body = encoded(HELLO, PAGE, HELLO, said(TextContent("a")), said(TextContent("b")), HELLO)

    assert blocks(body) == [
        ("user", [text("hello"), text("The page is /flights."), text("hello")]),
        ("assistant", [text("a"), text("b")]),
        ("user", [text("hello")]),
    ]


def test_results_stand_first_in_their_turn() -> None:
    body = encoded(HELLO, called("a"), PAGE, answered("a"), tools=(ECHO,))

    assert [block["type"] for block in blocks(body)[2][1]] == ["tool_result", "text"]


def test_the_user_speaks_first_and_last() -> None:
    assert blocks(encoded(said(TextContent("welcome")))) == [
        ("user", [text("Continue.")]),
        ("assistant", [text("welcome")]),
        ("user", [text("Continue.")]),
    ]


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_blanks_are_no_text(blank: str) -> None:
    nothing = Message(role=Role.TOOL, contents=(FunctionResultContent("a", "system.echo", blank),))
    body = encoded(
        Message.of(Role.SYSTEM, blank),
        HELLO,
        said(TextContent(blank), FunctionCallContent("a", "system.echo")),
        nothing,
        Message.of(Role.USER, blank),
        said(TextContent(blank), ReasoningContent("unsigned")),
        HELLO,
        tools=(ECHO,),
    )

    assert "system" not in body
    assert blocks(body)[1:] == [
        ("assistant", [{"type": "tool_use", "id": "a", "name": "system__echo", "input": {}}]),
        ("user", [{"type": "tool_result", "tool_use_id": "a"}, text("hello")]),
    ]


def test_pictures_travel_whole_or_by_address() -> None:
    contents = (
        TextContent("look"),
        DataContent("aGk=", "image/png"),
        UriContent("https://example.com/a.jpg", "image/jpeg"),
        DataContent("aGk=", "image/svg+xml"),
        DataContent("aGk=", "text/plain"),
    )

    assert blocks(encoded(Message(role=Role.USER, contents=contents)))[0][1] == [
        text("look"),
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.jpg"}},
    ]


def test_ids_of_other_servers_are_made_to_fit() -> None:
    body = encoded(
        HELLO,
        called("functions.echo:0"),
        answered("functions.echo:0"),
        called("functions.echo:0"),
        answered("functions.echo:0"),
        called("functions_echo_0"),
        answered("functions_echo_0"),
        tools=(ECHO,),
    )

    ids = [block.get("id") or block["tool_use_id"] for _role, content in blocks(body)[1:] for block in content]
    assert ids == [given for given in ("functions_echo_0", "functions_echo_0_2", "functions_echo_0_3") for _ in "12"]


@pytest.mark.parametrize(
    ("choice", "parallel", "sent"),
    [
        (ToolChoice.AUTO, True, None),
        (ToolChoice.AUTO, False, {"type": "auto", "disable_parallel_tool_use": True}),
        (ToolChoice.REQUIRED, True, {"type": "any"}),
        (ToolChoice.REQUIRED, False, {"type": "any", "disable_parallel_tool_use": True}),
        (ToolChoice.NONE, False, {"type": "none"}),
    ],
)
def test_tool_choice_is_said_where_it_matters(choice: ToolChoice, parallel: bool, sent: Any) -> None:
    target = Target(profile=ModelProfile(parallel_tools=parallel))

    assert encoded(tools=(ECHO,), options=ChatOptions(tool_choice=choice), target=target).get("tool_choice") == sent
    assert "tool_choice" not in encoded(target=target)


def test_a_history_with_calls_names_them_although_no_tool_is_there() -> None:
    body = encoded(HELLO, called("a"), answered("a"))

    assert body["tools"] == [{"name": "system__echo", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}
    assert faults_of(body) == []


def test_a_union_at_the_top_of_a_schema_is_said_in_words() -> None:
    schema = {"properties": {"a": {"anyOf": [{"type": "string"}]}}, "anyOf": [{"required": ["a"]}], "description": "D"}
    (tool,) = encoded(tools=(ToolSchema(name="f", description="F.", parameters=schema),))["tools"]

    assert tool["input_schema"] == {
        "type": "object",
        "properties": {"a": {"anyOf": [{"type": "string"}]}},
        "description": 'D (anyOf: [{"required": ["a"]}])',
    }


SCHEMA = {
    "type": "object",
    "properties": {
        "age": {"type": "integer", "minimum": 0, "description": "In years"},
        "mail": {"type": "string", "format": "email", "maxLength": 9},
        "code": {"type": "string", "format": "zip"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}, "minItems": 2},
        "one": {"oneOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["age"],
    "$defs": {"part": {"type": "object", "properties": {}, "additionalProperties": True}},
}
BOUND = {
    "type": "object",
    "properties": {
        "age": {"type": "integer", "description": "In years (minimum: 0)"},
        "mail": {"type": "string", "format": "email", "description": "(maxLength: 9)"},
        "code": {"type": "string", "description": '(format: "zip")'},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}, "description": "(minItems: 2)"},
        "one": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["age"],
    "$defs": {"part": {"type": "object", "properties": {}, "additionalProperties": False}},
    "additionalProperties": False,
}


def test_an_answer_is_bound_to_a_schema_in_the_subset_that_is_taken() -> None:
    target = Target(profile=ModelProfile(json_schema=True))
    body = encoded(options=ChatOptions(response_schema=SCHEMA), target=target)

    assert "tools" not in body
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": BOUND}}


@pytest.mark.parametrize(
    ("tools", "choice", "sent"),
    [
        ((), ToolChoice.AUTO, {"type": "tool", "name": "structured_answer"}),
        ((ECHO,), ToolChoice.NONE, {"type": "tool", "name": "structured_answer"}),
        ((ECHO,), ToolChoice.AUTO, {"type": "any"}),
    ],
)
def test_an_answer_is_the_input_of_a_tool_where_it_cannot_be_bound(tools: Any, choice: ToolChoice, sent: Any) -> None:
    body = encoded(tools=tools, options=ChatOptions(tool_choice=choice, response_schema=SCHEMA))

    assert body["tools"][-1] == {
        "name": "structured_answer",
        "description": "Gives the whole answer to the user.",
        "input_schema": SCHEMA,
    }
    assert body["tool_choice"] == sent | {"disable_parallel_tool_use": True}
    assert "output_config" not in body


def test_a_strict_tool_is_bound_too() -> None:
    strict = ToolSchema(name="f", description="F.", parameters=SCHEMA, strict=True)

    assert encoded(tools=(strict,))["tools"] == [
        {"name": "f", "description": "F.", "input_schema": BOUND, "strict": True}
    ]


def test_the_option_body_is_laid_over_it() -> None:
    body = {"thinking": {"type": "adaptive"}, "temperature": None, "max_tokens": 64000}
    sent = encoded(options=ChatOptions(temperature=0.5), target=Target(options={"body": body}))

    assert sent["thinking"] == {"type": "adaptive"}
    assert sent["max_tokens"] == 64000
    assert "temperature" not in sent


MARKED = Target(profile=ModelProfile(cache_markers=True))


def marks(*messages: Message) -> list[Any]:
    """What is marked: the system, tools, or the block of a turn."""
    body = encoded(*messages, tools=(ECHO, ADD), target=MARKED)
    assert faults_of(body) == []
    places = [
        ("system", body.get("system", [])),
        ("tools", body["tools"]),
        *enumerate(map(content_of, body["messages"])),
    ]
    return [
        (place, number)
        for place, found in places
        for number, block in enumerate(found)
        if block.get("cache_control") == HERE
    ]


def content_of(turn: dict[str, Any]) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = turn["content"]
    return content


def test_the_ends_of_what_comes_again_are_marked() -> None:
    past = [SYSTEM, HELLO, said(TextContent("a"))]
    prefix = [("system", 0), ("tools", 1)]

    # What a context provider wrote will not come again, nor what follows it in this form.
    assert marks(*past, PAGE, HELLO) == [*prefix, (1, 0)]
    # In the next step of the run it does.
    assert marks(*past, PAGE, HELLO, called("b", "c"), answered("b", "c")) == [*prefix, (1, 0), (4, 1)]
    assert marks(*past, HELLO) == [*prefix, (2, 0)]
    assert marks(SYSTEM, PAGE, HELLO) == prefix
    # A result that became text counts as context, and stays.
    assert marks(SYSTEM, HELLO, said(TextContent("a")), PAGE, HELLO, said(TextContent("b")), PAGE, HELLO) == [
        *prefix,
        (3, 0),
    ]


def test_thinking_is_never_marked() -> None:
    thought = ReasoningContent("why", json.dumps({"calls_before": 1, "block": SEALED}))

    assert marks(HELLO, called("a"), answered("a"), said(TextContent("b"), thought), PAGE, HELLO) == [
        ("tools", 1),
        (3, 0),
    ]


def test_nothing_is_marked_where_the_profile_does_not_say_so() -> None:
    assert "cache_control" not in json.dumps(encoded(SYSTEM, HELLO, tools=(ECHO,)))


def test_a_prefix_stays_as_it_was_when_the_conversation_grows() -> None:
    past = [SYSTEM, HELLO, called("a", z=1, b=2), answered("a"), said(TextContent("done"))]
    grown = [*past, HELLO, called("a"), answered("a")]
    before, after = (encoded(*messages, tools=(ECHO,))["messages"] for messages in ([*past, HELLO], grown))

    assert after[: len(before)] == before

"""The openai_chat decoder: odd spellings of servers are taken, or an error, never a silent empty success."""

import json
from typing import Any

import pytest

from agentcore.chat import (
    ChatOptions,
    ChatRequest,
    Finish,
    FinishReason,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolChoice,
    ToolSchema,
)
from agentcore.errors import ProviderBadResponse, ProviderError, ProviderUnavailable
from agentcore.messages import DataContent, Message, Role, TextContent, UriContent, Usage
from agentcore.providers.answer import AnswerReader
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT
from agentcore.providers.profile import ModelProfile, Target, ToolMode

REQUEST = ChatRequest(
    model="m",
    messages=(Message.of(Role.USER, "hi"),),
    tools=(ToolSchema(name="get_weather", description="W.", parameters={}),),
)
DONE = "data: [DONE]\n\n"


def chunk(finish: str | None = None, usage: Any = None, **choice: Any) -> str:
    payload = {"choices": [{"index": 0, "finish_reason": finish, **choice}], "usage": usage}
    return f"data: {json.dumps(payload)}\n\n"


def function(name: str, arguments: str, **label: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}, **label}


def read(*pieces: str) -> tuple[list[ModelEvent], AnswerReader]:
    events: list[ModelEvent] = []
    reader = AnswerReader(OPENAI_CHAT.decoder(REQUEST), events.append)
    for piece in pieces:
        reader.feed(piece.encode())
    last = reader.end()
    return [*events, *last], reader


def calls_of(*deltas: Any) -> list[tuple[str, dict[str, Any]]]:
    events, _reader = read(*(chunk(delta={"tool_calls": calls}) for calls in deltas), chunk("tool_calls", delta={}))
    return [(event.name, event.arguments) for event in events if isinstance(event, ToolCall)]


@pytest.mark.parametrize(
    "deltas",
    [
        [[function("f", "{}"), function("f", "")]],
        [[function("f", ""), function("f", "")]],
        [[function("f", "{"), function("f", "{")], [function("", "}"), function("", "}")]],
    ],
)
def test_place_in_a_chunk_tells_calls_apart(deltas: list[Any]) -> None:
    assert calls_of(*deltas) == [("f", {}), ("f", {})]


def test_index_may_be_text() -> None:
    both = [function("f", '{"i":', index="0"), function("f", '{"i":', index="1")]

    assert calls_of(both, [function("", "1}", index="0")], [function("", "2}", index="1")]) == [
        ("f", {"i": 1}),
        ("f", {"i": 2}),
    ]


def test_one_call_may_stand_without_a_list() -> None:
    assert calls_of(function("f", "{}")) == [("f", {})]


def test_message_in_place_of_deltas_is_taken() -> None:
    events, _reader = read(chunk(message={"content": "a"}), chunk("stop", message={"content": "b"}))

    assert events == [TextDelta("a"), TextDelta("b"), Finish(FinishReason.STOP)]


def test_message_behind_deltas_repeats_nothing() -> None:
    events, _reader = read(chunk(delta={"content": "a"}), chunk("stop", delta={}, message={"content": "a"}))

    assert events == [TextDelta("a"), Finish(FinishReason.STOP)]


def test_usage_of_only_zeros_takes_no_report_back() -> None:
    zeros = {"prompt_tokens": 0, "completion_tokens": 0}
    _events, reader = read(chunk("stop", {"prompt_tokens": 5, "completion_tokens": 3}, delta={}), chunk(usage=zeros))

    used = reader.usage()
    assert used is not None
    assert (used.input_tokens, used.output_tokens) == (5, 3)


def test_word_that_keeps_the_connection_does_not_end_an_answer() -> None:
    events, _reader = read(chunk(delta={"content": "a"}), "data: ping\n\n", chunk("stop", delta={}), DONE)

    assert events == [TextDelta("a"), Finish(FinishReason.STOP)]


@pytest.mark.parametrize(
    "piece", ['data: {"choices": [{"del\n\n', "data: upstream timed out\n\n", "data: overloaded\n\n"]
)
def test_what_is_no_json_is_no_answer(piece: str) -> None:
    with pytest.raises(ProviderBadResponse):
        read(piece, DONE)


@pytest.mark.parametrize("piece", [": still here\n\n", chunk(delta={"content": "word "}), "x" * 64])
def test_answer_without_an_end_is_refused(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentcore.providers.answer.MAX_BODY_BYTES", 1000)

    with pytest.raises(ProviderBadResponse):
        read(*[piece] * 100)


@pytest.mark.parametrize("more", ["weather", "get_weather"])
def test_name_may_come_in_pieces_before_the_arguments(more: str) -> None:
    begun, named = function("get_", "", index=0, id="c"), function(more, "", index=0)

    assert calls_of([begun], [named], [function("", "{}", index=0)]) == [("get_weather", {})]


def test_call_that_is_told_again_whole_is_one_call() -> None:
    pieces = [function("f", '{"a":', index=0, id="c"), function("", "1}", index=0)]

    assert calls_of(*([piece] for piece in pieces), [function("f", '{"a":1}', index=0, id="c")]) == [("f", {"a": 1})]


def test_call_of_another_id_with_the_same_arguments_is_another() -> None:
    assert calls_of(*([function("f", '{"a":1}', index=0, id=name)] for name in "ab")) == [("f", {"a": 1})] * 2


def test_only_the_first_choice_is_read() -> None:
    both = {"choices": [{"index": number, "delta": {"content": text}} for number, text in enumerate("ab")]}
    other = {"choices": [{"index": 1, "delta": {"content": "c"}, "finish_reason": "length"}]}
    events, _reader = read(*(f"data: {json.dumps(piece)}\n\n" for piece in (both, other)), chunk("stop", delta={}))

    assert events == [TextDelta("a"), Finish(FinishReason.STOP)]


def test_parts_of_one_choice_may_stand_apart() -> None:
    parts = [{"message": {"content": "a"}}, {"message": {"tool_calls": [function("f", "{}", id="c")]}}]

    events, _reader = read(json.dumps({"choices": [part | {"finish_reason": "tool_calls"} for part in parts]}))
    assert events == [TextDelta("a"), ToolCall("c", "f", {}), Finish(FinishReason.TOOL_CALLS)]


@pytest.mark.parametrize(
    ("delta", "thinking"),
    [
        ({"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}, ["hm"]),
        ({"reasoning": "hm", "reasoning_content": "hm"}, ["hm"]),
        ({"reasoning_details": [{"summary": "hm"}, {"type": "reasoning.encrypted", "data": "x"}]}, ["hm"]),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}, ["hm"]),
        ({"content": "<think>hm</think>"}, []),
    ],
)
def test_thinking_is_read_once_whatever_it_is_called(delta: dict[str, Any], thinking: list[str]) -> None:
    events, _reader = read(chunk(delta=delta), chunk("stop", delta={}))

    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == thinking


def test_text_of_an_older_kind_of_completion_is_taken() -> None:
    assert read(chunk(text="a"), chunk("stop", text=""))[0] == [TextDelta("a"), Finish(FinishReason.STOP)]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("MAX_TOKENS", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("sensitive", FinishReason.CONTENT_FILTER),
        ("content_filter: PROHIBITED_CONTENT", FinishReason.CONTENT_FILTER),
        ("whatever", FinishReason.STOP),
    ],
)
def test_finish_reason_is_known_in_many_spellings(finish: str, reason: FinishReason) -> None:
    assert read(chunk(finish, delta={"content": "a"}))[0] == [TextDelta("a"), Finish(reason)]


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        (chunk("function_call_filter: MALFORMED_FUNCTION_CALL", delta={}), ProviderBadResponse),
        (chunk("network_error", delta={}), ProviderUnavailable),
        (chunk("insufficient_system_resource", delta={}), ProviderUnavailable),
        (chunk(delta={"error": {"message": "x"}}), ProviderUnavailable),
        (chunk(delta=None, error={"message": "x"}), ProviderUnavailable),
        ('data: {"choices":[],"x_groq":{"error":"over capacity"}}\n\n', ProviderUnavailable),
        (DONE, ProviderBadResponse),
    ],
)
def test_answer_that_broke_off_is_an_error(piece: str, kind: type[ProviderError]) -> None:
    with pytest.raises(kind):
        read(piece, DONE)


@pytest.mark.parametrize(
    ("usage", "output", "reasoning"),
    [
        ({"total_tokens": 65, "completion_tokens_details": {"reasoning_tokens": 50}}, 55, 50),
        ({"total_tokens": 65}, 55, 50),
        ({"total_tokens": 15, "completion_tokens_details": {"reasoning_tokens": 3}}, 5, 3),
        ({"total_tokens": 1015, "cache_read_input_tokens": 1000}, 5, 0),
        ({"total_tokens": 14}, 5, 0),
    ],
)
def test_thinking_is_a_part_of_the_output_also_where_only_the_total_counts_it(
    usage: dict[str, Any], output: int, reasoning: int
) -> None:
    _events, reader = read(chunk("stop", {"prompt_tokens": 10, "completion_tokens": 5} | usage, delta={"content": "a"}))

    used = reader.usage() or Usage()
    assert (used.input_tokens, used.output_tokens, used.reasoning_tokens) == (10, output, reasoning)


def test_usage_may_stand_in_the_field_of_groq() -> None:
    extra = {"choices": [], "x_groq": {"usage": {"prompt_tokens": 3, "completion_tokens": 2}}}
    _events, reader = read(chunk("stop", delta={"content": "a"}), f"data: {json.dumps(extra)}\n\n")

    assert reader.usage() == Usage(input_tokens=3, output_tokens=2)


SCHEMA = {"type": "object", "properties": {}}


def encoded(profile: ModelProfile, **fields: Any) -> dict[str, Any]:
    request = ChatRequest(**({"model": "m", "messages": (Message.of(Role.USER, "hi"),)} | fields))
    return OPENAI_CHAT.encode(request, Target(profile=profile))


def test_a_request_is_written_as_the_profile_wants_it() -> None:
    tools = (
        ToolSchema(name="b.c", description="C.", parameters=SCHEMA),
        ToolSchema(name="a", description="A.", parameters=SCHEMA, strict=True),
    )
    options = ChatOptions(
        max_output_tokens=9,
        temperature=0.5,
        tool_choice=ToolChoice.REQUIRED,
        response_schema=SCHEMA,
        response_strict=True,
    )
    profile = ModelProfile(
        json_schema=True, parallel_tools=False, stream_usage=False, max_tokens_field="max_completion_tokens"
    )

    assert encoded(profile, tools=tools, options=options) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "max_completion_tokens": 9,
        "temperature": 0.5,
        "tools": [
            {
                "type": "function",
                "function": {"name": "a", "description": "A.", "parameters": SCHEMA, "strict": True},
            },
            {"type": "function", "function": {"name": "b__c", "description": "C.", "parameters": SCHEMA}},
        ],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
        },
    }


def test_a_plain_request_says_no_more_than_it_must() -> None:
    assert encoded(ModelProfile(parallel_tools=False)).keys() == {"model", "messages", "stream", "stream_options"}


@pytest.mark.parametrize(
    ("profile", "bound"),
    [
        (ModelProfile(), "json_object"),
        (ModelProfile(json_schema=True), "json_schema"),
        (ModelProfile(tool_mode=ToolMode.JSON_SCHEMA), "json_schema"),
    ],
)
def test_an_answer_is_bound_as_far_as_the_model_can_be(profile: ModelProfile, bound: str) -> None:
    body = encoded(profile, options=ChatOptions(response_schema=SCHEMA))

    assert body["response_format"]["type"] == bound


def test_pictures_are_parts_of_a_message() -> None:
    pictures = (DataContent("aGk=", "image/png"), UriContent("https://x.example/a.png", "image/png"))
    message = Message(role=Role.USER, contents=(TextContent("look"), *pictures, DataContent("aGk=", "text/csv")))

    assert encoded(ModelProfile(), messages=(message,))["messages"][0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}},
    ]

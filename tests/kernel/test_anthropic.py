"""The anthropic decoder: blocks in any order, odd spellings of servers, and never a silent empty success."""

import json
from contextlib import suppress
from typing import Any

import pytest

from agentcore.chat import (
    ChatOptions,
    ChatRequest,
    Collector,
    Finish,
    FinishReason,
    ModelEvent,
    ReasoningDelta,
    Route,
    TextDelta,
    ToolCall,
)
from agentcore.errors import (
    ContextLengthExceeded,
    ModelNotFound,
    OutputTruncated,
    ProviderAuthFailed,
    ProviderBadRequest,
    ProviderBadResponse,
    ProviderError,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
)
from agentcore.messages import FunctionCallContent, Message, ReasoningContent, Role, TextContent, Usage
from agentcore.providers.answer import AnswerReader
from agentcore.providers.dialects.anthropic import ANTHROPIC
from agentcore.providers.profile import Target
from tests.contracts.wires_anthropic import STOP, block, call, delta, event, finish, started, text, thinking

HELLO = Message.of(Role.USER, "hi")
REQUEST = ChatRequest(model="m", messages=(HELLO,))
TOOL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}


def read(*pieces: bytes, request: ChatRequest = REQUEST) -> tuple[list[ModelEvent], AnswerReader]:
    events: list[ModelEvent] = []
    reader = AnswerReader(ANTHROPIC.decoder(request), events.append, ANTHROPIC.splitter())
    for piece in pieces:
        if not reader.feed(piece):
            break
    last = reader.end()
    return [*events, *last], reader


def calls_of(*pieces: bytes) -> list[tuple[str, dict[str, Any]]]:
    events, _reader = read(*pieces, finish("tool_calls"), STOP)
    return [(event.call_id, event.arguments) for event in events if isinstance(event, ToolCall)]


def json_delta(index: int, piece: Any) -> bytes:
    return delta(index, {"type": "input_json_delta", "partial_json": piece})


def begun(index: int | None, given: dict[str, Any]) -> bytes:
    return event("content_block_start", content_block=given, **({} if index is None else {"index": index}))


def test_blocks_may_arrive_at_once() -> None:
    pieces = [
        begun(0, TOOL),
        begun(1, TOOL | {"id": "toolu_2"}),
        json_delta(1, '{"b":'),
        json_delta(0, '{"a":'),
        json_delta(1, "2}"),
        json_delta(0, "1}"),
    ]

    assert calls_of(*pieces) == [("toolu_1", {"a": 1}), ("toolu_2", {"b": 2})]


def test_an_index_that_is_used_again_is_a_new_block() -> None:
    pieces = [begun(0, TOOL), json_delta(0, '{"a":1}'), begun(0, TOOL | {"id": "toolu_2"}), json_delta(0, '{"b":2}')]

    assert calls_of(*pieces) == [("toolu_1", {"a": 1}), ("toolu_2", {"b": 2})]


def test_without_an_index_the_newest_block_goes_on() -> None:
    piece = event("content_block_delta", delta={"type": "input_json_delta", "partial_json": '{"a":1}'})

    assert calls_of(begun(None, TOOL), piece) == [("toolu_1", {"a": 1})]
    assert calls_of(begun(0, TOOL), piece) == [("toolu_1", {"a": 1})]


@pytest.mark.parametrize(
    ("given", "pieces", "arguments"),
    [
        ({"input": {"a": 1}}, [], {"a": 1}),
        ({"input": {"a": 1}}, ['{"a":', "2}"], {"a": 2}),
        ({"input": {"a": 1}}, [""], {"a": 1}),
        ({"input": None}, [], {}),
        ({"input": {}}, [""], {}),
        ({"input": {}}, [{"a": 1}], {"a": 1}),
    ],
)
def test_input_may_come_with_the_block_or_after_it(given: Any, pieces: Any, arguments: dict[str, Any]) -> None:
    assert calls_of(begun(0, TOOL | given), *(json_delta(0, piece) for piece in pieces)) == [("toolu_1", arguments)]


def test_a_call_that_never_began_is_no_answer() -> None:
    with pytest.raises(ProviderBadResponse):
        read(json_delta(0, "{}"), finish("tool_calls"), STOP)


def test_what_the_server_runs_itself_is_passed_over() -> None:
    pieces = [
        text("before "),
        block(1, {"type": "server_tool_use", "id": "s", "name": "web_search"}, {"type": "input_json_delta"}),
        block(2, {"type": "server_tool_use", "id": "s"}, {"type": "input_json_delta", "partial_json": '{"q": "'}),
        block(3, {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"text": "found"}]}),
        block(4, {"type": "of_next_year"}, {"type": "of_next_year_delta", "text": "what"}),
        block(5, {"type": "text", "text": ""}, {"type": "citations_delta", "citation": {"cited_text": "found"}}),
        event("of_next_year", message="not an error"),
        event("ping"),
        b"data: ping\n\n",
        text("after", 6),
    ]

    events, _reader = read(*pieces, finish("stop"), STOP)

    assert events == [TextDelta("before "), TextDelta("after"), Finish(FinishReason.STOP)]


def tokens(events: list[ModelEvent]) -> list[Any]:
    found = [json.loads(event.opaque) for event in events if isinstance(event, ReasoningDelta) and event.opaque]
    return [token["block"] for token in found]


def test_thinking_ends_with_a_token_that_holds_all_of_it() -> None:
    redacted = {"type": "redacted_thinking", "data": "enc"}
    events, _reader = read(thinking("why", "sig"), thinking("", "sig2", 1), block(2, redacted), finish("stop"), STOP)

    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == ["why", "", "", ""]
    assert tokens(events) == [
        {"type": "thinking", "thinking": "why", "signature": "sig"},
        {"type": "thinking", "thinking": "", "signature": "sig2"},
        redacted,
    ]


def test_thinking_without_a_signature_has_no_token() -> None:
    half = begun(0, {"type": "thinking", "thinking": ""}) + delta(0, {"type": "thinking_delta", "thinking": "half"})
    events, _reader = read(half, thinking("unsigned", "", 1), finish("stop"), STOP)

    assert tokens(events) == []
    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == ["half", "unsigned"]


def test_thinking_that_nobody_stopped_has_its_token_when_the_answer_is_whole() -> None:
    pieces = [
        delta(0, {"type": "thinking_delta", "thinking": "why"}),
        delta(0, {"type": "signature_delta", "signature": "sig"}),
        delta(0, {"type": "signature_delta", "signature": ""}),
    ]
    events, _reader = read(*pieces, finish("stop"))

    assert tokens(events) == [{"type": "thinking", "thinking": "why", "signature": "sig"}]


def test_a_block_whose_index_is_taken_over_has_its_token() -> None:
    sealed = begun(0, {"type": "thinking", "thinking": "why", "signature": "sig"})
    events, _reader = read(sealed, begun(0, {"type": "text", "text": "so"}), finish("stop"))

    assert tokens(events) == [{"type": "thinking", "thinking": "why", "signature": "sig"}]
    assert events[-2:] == [TextDelta("so"), Finish(FinishReason.STOP)]


def test_a_block_is_replayed_as_it_came_and_where_it_was() -> None:
    pieces = [
        thinking("one", "s1"),
        text("said", 1),
        call("a", "f", []),
        thinking("two", "s2", 2),
        text("more", 3),
        call("b", "f", []),
    ]
    collected = Collector(lambda event: None)
    for emitted in read(*pieces, finish("tool_calls"), STOP)[0]:
        collected(emitted)
    said = Message(role=Role.ASSISTANT, contents=collected.contents(Route("anthropic", "m")))

    turns = ANTHROPIC.encode(ChatRequest(model="m", messages=(HELLO, said)), Target())["messages"]

    assert turns[1]["content"] == [
        {"type": "thinking", "thinking": "one", "signature": "s1"},
        {"type": "text", "text": "said"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "thinking", "thinking": "two", "signature": "s2"},
        {"type": "text", "text": "more"},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}},
    ]


@pytest.mark.parametrize(
    ("reason", "meant"),
    [
        ("end_turn", FinishReason.STOP),
        ("stop_sequence", FinishReason.STOP),
        ("tool_use", FinishReason.STOP),
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("pause_turn", FinishReason.LENGTH),
        ("refusal", FinishReason.CONTENT_FILTER),
        ("of_next_year", FinishReason.STOP),
    ],
)
def test_a_stop_reason_is_what_it_means(reason: str, meant: FinishReason) -> None:
    assert read(text("a"), finish(reason), STOP)[0][-1] == Finish(meant)


def test_a_refusal_runs_nothing() -> None:
    events, _reader = read(call("a", "f", ["{}"]), finish("refusal"), STOP)

    assert events == [Finish(FinishReason.CONTENT_FILTER)]


@pytest.mark.parametrize("ending", [finish("stop"), STOP])
def test_a_stop_reason_or_the_stop_is_evidence(ending: bytes) -> None:
    assert read(text("a"), ending)[0] == [TextDelta("a"), Finish(FinishReason.STOP)]


def test_an_answer_that_breaks_off_keeps_its_usage() -> None:
    reader = AnswerReader(ANTHROPIC.decoder(REQUEST), lambda event: None)
    reader.feed(
        started(input_tokens=10, cache_read_input_tokens=5, output_tokens=1) + text("half") + b"data: [DONE]\n\n"
    )

    with pytest.raises(ProviderBadResponse):
        reader.end()
    assert reader.usage() == Usage(input_tokens=15, cached_input_tokens=5, output_tokens=1)


def test_usage_is_the_last_value_of_each_field_in_inclusive_buckets() -> None:
    pieces = [
        started(input_tokens=4, cache_creation_input_tokens=100, cache_read_input_tokens=50, output_tokens=1),
        event(
            "message_delta", delta={}, usage={"input_tokens": 0, "cache_read_input_tokens": None, "output_tokens": 7}
        ),
        event("message_delta", delta={}, usage={"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 3}}),
    ]
    _events, reader = read(*pieces, finish("stop"), STOP)

    assert reader.usage() == Usage(
        input_tokens=154, cached_input_tokens=50, cache_write_tokens=100, output_tokens=9, reasoning_tokens=3
    )


def test_the_default_limit_is_a_limit() -> None:
    body = call("a", "f", ["{}"]) + event("message_delta", delta={}, usage={"output_tokens": 4096}) + finish("tool_use")
    with pytest.raises(OutputTruncated):
        read(body)
    another = ChatRequest(model="m", messages=(HELLO,), options=ChatOptions(max_output_tokens=64000))
    assert len(read(body, request=another)[0]) == 2


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, ProviderUnavailable),
        ({"type": "api_error", "message": "Internal server error"}, ProviderUnavailable),
        ({"type": "rate_limit_error", "message": "Slow down"}, ProviderRateLimited),
        ({"type": "authentication_error", "message": "invalid x-api-key"}, ProviderAuthFailed),
        ({"type": "permission_error", "message": "No"}, ProviderAuthFailed),
        ({"type": "not_found_error", "message": "model: x"}, ModelNotFound),
        ({"type": "timeout_error", "message": "Took long"}, ProviderTimeout),
        ({"type": "request_too_large", "message": "Too many bytes"}, ProviderBadRequest),
        ({"type": "invalid_request_error", "message": "max_tokens: required"}, ProviderBadRequest),
        ({"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}, ContextLengthExceeded),
        ({"type": "billing_error", "message": "Pay"}, ProviderQuotaExceeded),
        ({"type": "invalid_request_error", "message": "Your credit balance is too low"}, ProviderQuotaExceeded),
    ],
)
def test_an_error_in_a_stream_has_its_kind(error: dict[str, str], kind: type[ProviderError]) -> None:
    for spelt in (event("error", error=error), b"data: " + json.dumps({"error": error}).encode() + b"\n\n"):
        with pytest.raises(kind):
            read(text("a"), spelt, finish("stop"), STOP)


@pytest.mark.parametrize(
    "piece",
    [
        b"event: error\ndata: Overloaded\n\n",
        b'data: {"type": "overloaded_error", "message": "Overloaded"}\n\n',
        b'data: {"message": "Overloaded"}\n\n',
        b'event: error\ndata: {"type": "odd"}\n\n',
    ],
)
def test_an_error_may_be_bare(piece: bytes) -> None:
    with pytest.raises(ProviderUnavailable):
        read(text("a"), piece, finish("stop"), STOP)


@pytest.mark.parametrize("piece", [b'data: {"type": "content_bl\n\n', b"data: upstream timed out\n\n"])
def test_what_is_no_json_is_no_answer(piece: bytes) -> None:
    with pytest.raises(ProviderBadResponse):
        read(piece, finish("stop"), STOP)


def test_events_that_no_blank_line_parts_are_all_read() -> None:
    lines = [line for line in (text("a") + finish("stop")).split(b"\n") if line.startswith(b"data")]

    assert read(b"\n".join(lines) + b"\n\n", STOP)[0] == [TextDelta("a"), Finish(FinishReason.STOP)]


def test_an_answer_that_is_the_input_of_a_tool_is_text() -> None:
    streamed = [*read(call("a", "structured_answer", ["", '{"n":', " 1}"]), finish("tool_use"), STOP)[0]]
    content = [{"type": "tool_use", "id": "a", "name": "structured_answer", "input": {"n": 1}}]
    whole, _reader = read(json.dumps({"content": content, "stop_reason": "tool_use"}).encode())

    assert streamed == [TextDelta('{"n":'), TextDelta(" 1}"), Finish(FinishReason.STOP)]
    assert whole == [TextDelta('{"n": 1}'), Finish(FinishReason.STOP)]


WHOLE = {
    "type": "message",
    "content": [
        {"type": "thinking", "thinking": "why", "signature": "sig"},
        {"type": "text", "text": "said"},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 3, "output_tokens": 4},
}


def test_a_whole_message_says_what_a_streamed_one_says() -> None:
    streamed = [
        started(input_tokens=3, output_tokens=1),
        thinking("why", "sig"),
        text("said", 1),
        call("toolu_1", "f", ['{"a": 1}']),
        event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 4}),
        STOP,
    ]
    (whole, one), (stream, other) = read(json.dumps(WHOLE).encode()), read(*streamed)

    assert whole == stream
    assert one.usage() == other.usage() == Usage(input_tokens=3, output_tokens=4)
    assert whole[-2:] == [ToolCall("toolu_1", "f", {"a": 1}), Finish(FinishReason.TOOL_CALLS)]


@pytest.mark.parametrize("payload", [{"input_tokens": 25}, {"content": "text"}, [], {"type": "message"}, None, 1])
def test_json_that_is_no_message_is_no_answer(payload: Any) -> None:
    with pytest.raises(ProviderBadResponse):
        read(json.dumps(payload).encode())


@pytest.mark.parametrize(
    "odd", [None, 1, "x", [], {}, [[]], {"type": []}, {"type": {}}, {"type": "tool_use", "name": "f", "input": [1]}]
)
def test_oddities_are_passed_over_or_a_typed_error(odd: Any) -> None:
    pieces = [
        event("message_start", message=odd),
        event("content_block_start", index=odd, content_block=odd),
        event("content_block_delta", index=odd, delta=odd),
        *(
            event("content_block_delta", index=odd, delta={"type": kind, field: odd})
            for kind, field in [
                ("text_delta", "text"),
                ("thinking_delta", "thinking"),
                ("signature_delta", "signature"),
                ("input_json_delta", "partial_json"),
            ]
        ),
        event("content_block_stop", index=odd),
        event("message_delta", delta=odd, usage=odd),
        b"data: " + json.dumps(odd).encode() + b"\n\n",
    ]
    for piece in pieces:
        with suppress(ProviderBadResponse):
            read(piece, finish("stop"), STOP)


def test_thinking_of_another_kind_of_token_is_not_replayed() -> None:
    opaque = ["", "enc", "[1]", '{"block": {"type": "text", "text": "x"}, "calls_before": 0}', "{}", "null", "1"]
    unsigned = '{"calls_before": 0, "block": {"type": "thinking", "thinking": "x", "signature": ""}}'
    contents = [ReasoningContent("x", token) for token in [*opaque, unsigned, None]]
    said = Message(role=Role.ASSISTANT, contents=(*contents, TextContent("y"), FunctionCallContent("a", "f")))

    turns = ANTHROPIC.encode(ChatRequest(model="m", messages=(HELLO, said)), Target())["messages"]

    assert [given["type"] for given in turns[1]["content"]] == ["text", "tool_use"]

"""The Responses dialect: nothing lost, nothing twice, and thinking that stands where the API takes it back."""

import json
from collections.abc import Iterable
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
    ToolChoice,
    ToolSchema,
)
from agentcore.errors import (
    ContextLengthExceeded,
    OutputTruncated,
    ProviderBadResponse,
    ProviderError,
    ProviderRateLimited,
    ProviderUnavailable,
)
from agentcore.messages import (
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
    Usage,
)
from agentcore.providers.answer import AnswerReader
from agentcore.providers.dialects.openai_responses import OPENAI_RESPONSES
from agentcore.providers.profile import ModelProfile, Target
from tests.contracts.wires_responses import call, done, ended, event, message, thinking

REQUEST = ChatRequest(model="m", messages=(Message.of(Role.USER, "hi"),))
STOP = Finish(FinishReason.STOP)
CALLED = Finish(FinishReason.TOOL_CALLS)


def read(*pieces: bytes, request: ChatRequest = REQUEST) -> list[ModelEvent]:
    events: list[ModelEvent] = []
    reader = AnswerReader(OPENAI_RESPONSES.decoder(request), events.append)
    for piece in pieces:
        if not reader.feed(piece):
            break
    last = reader.end()
    return [*events, *last]


def used(*pieces: bytes) -> Usage | None:
    reader = AnswerReader(OPENAI_RESPONSES.decoder(REQUEST), lambda _event: None)
    for piece in pieces:
        reader.feed(piece)
    return reader.usage()


def contents(events: Iterable[ModelEvent]) -> tuple[Content, ...]:
    collected = Collector(lambda _event: None)
    for item in events:
        collected(item)
    return collected.contents(Route("p", "m"))


def said(events: Iterable[ModelEvent]) -> tuple[str, str]:
    """Thinking and text."""
    events = list(events)
    thoughts = [item.text for item in events if isinstance(item, ReasoningDelta)]
    return "".join(thoughts), "".join(item.text for item in events if isinstance(item, TextDelta))


def tokens(events: Iterable[ModelEvent | Content]) -> list[str]:
    """The kinds of what came, in order; a token of thinking by the id of its item."""
    names = []
    for item in events:
        opaque = item.opaque if isinstance(item, ReasoningDelta | ReasoningContent) else None
        names.append(json.loads(opaque)["id"] if opaque else type(item).__name__)
    return names


def text(delta: str, **fields: Any) -> bytes:
    return event(
        "output_text.delta", **{"item_id": "msg_1", "output_index": 0, "content_index": 0} | fields, delta=delta
    )


def thought(delta: str, part: int = 0, item_id: str = "rs_1") -> bytes:
    return event("reasoning_summary_text.delta", item_id=item_id, output_index=0, summary_index=part, delta=delta)


@pytest.mark.parametrize(
    "pieces",
    [
        [text("ab"), ended()],
        [text("ab"), ended(message("ab"))],
        [text("a"), ended(message("ab"))],
        [text("a"), done(message("ab")), ended(message("ab"))],
        [done(message("ab")), ended(message("ab"))],
        [done(message("ab")), done(message("ab")), ended()],
        [ended(message("ab"))],
        [event("output_text.done", item_id="msg_1", content_index=0, text="ab"), ended(message("ab"))],
        [text("a"), event("content_part.done", item_id="msg_1", part={"type": "output_text", "text": "ab"}), ended()],
        [event("output_text.delta", delta="a"), event("output_text.delta", delta="b"), done(message("ab")), ended()],
        [text("a", item_id="x"), text("b", item_id="y"), done(message("ab", "z")), ended(message("ab", "w"))],
        [text("a", content_index=0), text("b", content_index=1), ended(message("ab"))],
        [
            event("refusal.delta", item_id="msg_1", delta="a"),
            event("refusal.done", item_id="msg_1", refusal="ab"),
            ended(),
        ],
        [ended(message("ab") | {"content": [{"type": "refusal", "refusal": "ab"}]})],
        [ended(message("a"), message("b", "msg_2"))],
        [text("ab"), done(message(" ab, tidied")), ended()],
    ],
)
def test_text_is_said_once_wherever_it_stands(pieces: list[bytes]) -> None:
    events = read(*pieces)

    assert (said(events), events[-1]) == (("", "ab"), STOP)


def test_items_of_one_index_are_told_apart_by_their_ids() -> None:
    both = [text("a"), done(message("a")), text("b", item_id="msg_2"), done(message("b", "msg_2"))]

    assert said(read(*both, ended(message("a"), message("b", "msg_2")))) == ("", "ab")


@pytest.mark.parametrize(
    "pieces",
    [
        [thought("one"), thought("two", 1), done(thinking("rs_1", "")), ended()],
        [done(thinking("rs_1", "") | {"summary": [{"text": "one"}, {"text": "two"}]}), ended()],
        [thought("one"), ended(thinking("rs_1", "") | {"summary": [{"text": "one"}, {"text": "two"}]})],
        [
            event("reasoning_text.delta", item_id="rs_1", content_index=0, delta="one\n\ntwo"),
            event("reasoning_text.done", item_id="rs_1", content_index=0, text="one\n\ntwo"),
            ended(thinking("rs_1", "") | {"content": [{"type": "reasoning_text", "text": "one\n\ntwo"}]}),
        ],
    ],
)
def test_thinking_is_said_once_in_paragraphs(pieces: list[bytes]) -> None:
    assert said(read(*pieces)) == ("one\n\ntwo", "")


ADD = ("call_9", "add", '{"a":1}')


@pytest.mark.parametrize(
    "pieces",
    [
        [done(call(*ADD)), ended(call(*ADD))],
        [ended(call(*ADD))],
        [event("output_item.added", output_index=0, item=call(*ADD)), ended()],
        [
            event("output_item.added", item=call("call_9", "add", "", status="in_progress")),
            event("function_call_arguments.delta", item_id="fc_call_9", delta='{"a":'),
            event("function_call_arguments.delta", item_id="fc_call_9", delta="1}"),
            event("function_call_arguments.done", item_id="fc_call_9", arguments='{"a":1}'),
            done(call(*ADD)),
            ended(call(*ADD)),
        ],
        [
            event("output_item.added", output_index=3, item=call("call_9", "add", "", id="x")),
            event("function_call_arguments.delta", output_index=3, item_id="y", delta='{"a":1}'),
            done(call(*ADD, id="z"), 3),
            ended(call(*ADD, id="w")),
        ],
        [ended(call("call_9", "add", "") | {"arguments": {"a": 1}})],
    ],
)
def test_call_is_made_once_wherever_it_stands(pieces: list[bytes]) -> None:
    assert read(*pieces) == [ToolCall("call_9", "add", {"a": 1}), CALLED]


def test_parallel_calls_keep_their_order_and_their_arguments() -> None:
    begun = [event("output_item.added", output_index=n, item=call(f"c{n}", "f", "", status="x")) for n in (0, 1)]
    pieces = [event("function_call_arguments.delta", output_index=n, delta=f'{{"n":{n}}}') for n in (1, 0)]

    assert read(*begun, *pieces, ended()) == [ToolCall("c0", "f", {"n": 0}), ToolCall("c1", "f", {"n": 1}), CALLED]


def test_call_without_an_id_gets_one_and_one_without_a_name_is_refused() -> None:
    made = read(ended(call("", "f", ""), call("", "f", "{}", id="fc_2")))

    assert len({item.call_id for item in made if isinstance(item, ToolCall) and item.call_id}) == 2
    with pytest.raises(ProviderBadResponse):
        read(ended(call("c", "", "{}")))


def test_call_that_its_item_says_is_cut_off_runs_nothing() -> None:
    with pytest.raises(OutputTruncated):
        read(done(call("c", "f", "{}", status="incomplete")), ended())


def test_token_stands_before_what_its_thinking_led_to() -> None:
    first, second, third = (thinking(f"rs_{n}", "") for n in (1, 2, 3))
    streamed = [thought("hm"), done(first), text("a"), done(message("a"))]
    calls = [done(second), done(call("c1", "f", "{}")), done(third), done(call("c2", "f", "{}"))]

    events = read(*streamed, *calls, ended(first, message("a"), second, call("c1", "f", "{}"), third))

    assert tokens(events) == [
        *["ReasoningDelta", "rs_1", "TextDelta"],
        *["rs_2", "ToolCall", "rs_3", "ToolCall", "Finish"],
    ]
    assert json.loads(next(part.opaque for part in contents(events) if isinstance(part, ReasoningContent)) or "") == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [],
        "encrypted_content": "enc",
    }


@pytest.mark.parametrize(
    "pieces",
    [
        [done(thinking("rs_1", "a")), ended()],
        [done(thinking("rs_1", "a", None)), done(message("b")), ended()],
        [done(thinking("rs_1", "a") | {"status": "incomplete"}), done(message("b")), ended()],
        [done(thinking("rs_1", "a")), done({"type": "web_search_call", "id": "ws_1"}), done(message("b")), ended()],
        [thought("a"), event("output_item.added", item=thinking("rs_1", "")), text("b"), ended()],
    ],
)
def test_thinking_that_could_not_be_sent_back_has_no_token(pieces: list[bytes]) -> None:
    assert not {"rs_1"} & set(tokens(read(*pieces)))


def test_what_was_answered_goes_back_as_it_came() -> None:
    first, second = thinking("rs_1", "why"), thinking("rs_2", "")
    output = (first, message("a"), second, call("c1", "add", '{"x":1}'))
    answered = Message(role=Role.ASSISTANT, contents=contents(read(ended(*output))))
    result = Message(role=Role.TOOL, contents=(FunctionResultContent("c1", "add", 3),))

    sent = encoded(Message.of(Role.USER, "q"), answered, result)["input"]

    assert sent == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]},
        first,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
        second,
        {"type": "function_call", "call_id": "c1", "name": "add", "arguments": '{"x":1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
    ]


@pytest.mark.parametrize(
    "thoughts",
    [
        (ReasoningContent("no token"),),
        (ReasoningContent("", "a token of another format"),),
        (ReasoningContent("", '{"type":"thinking"}'),),
        (TextContent("a"), ReasoningContent("", json.dumps(thinking("rs_1", "led to nothing")))),
    ],
)
def test_thinking_without_what_it_led_to_is_not_sent(thoughts: tuple[Content, ...]) -> None:
    sent = encoded(Message(role=Role.ASSISTANT, contents=thoughts))["input"]

    assert [item["type"] for item in sent] == ["message"] * isinstance(thoughts[0], TextContent)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"status": "completed"}, FinishReason.STOP),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, FinishReason.LENGTH),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, FinishReason.CONTENT_FILTER),
        ({"status": "incomplete", "incomplete_details": None}, FinishReason.LENGTH),
    ],
)
def test_end_has_its_reason(response: dict[str, Any], reason: FinishReason) -> None:
    assert read(text("a"), ended(**response)) == [TextDelta("a"), Finish(reason)]
    assert read(json.dumps(response | {"output": [message("a")]}).encode()) == [TextDelta("a"), Finish(reason)]


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        (ended(status="failed", error={"code": "rate_limit_exceeded", "message": "slow down"}), ProviderRateLimited),
        (ended(status="failed", error=None), ProviderUnavailable),
        (ended(status="cancelled"), ProviderBadResponse),
        (b'data: {"type":"error","code":"context_length_exceeded","message":"too long"}\n\n', ContextLengthExceeded),
        (b'event: error\ndata: {"error":{"type":"server_error","message":"x"}}\n\n', ProviderUnavailable),
        (b'{"status":"failed","output":[],"error":{"code":"server_error","message":"x"}}', ProviderUnavailable),
        (b'{"status":"in_progress","output":[]}', ProviderBadResponse),
        (b'{"status":"completed"', ProviderBadResponse),
        (text("a"), ProviderBadResponse),
    ],
)
def test_what_is_no_answer_is_an_error(piece: bytes, kind: type[ProviderError]) -> None:
    with pytest.raises(kind):
        read(piece)


def test_events_may_be_named_or_typed_and_unknown_ones_mean_nothing() -> None:
    named = b'event: response.output_text.delta\ndata: {"delta":"a","item_id":"m"}\n\n'
    typed = b'data: {"type":"response.output_text.delta","delta":"b","item_id":"m","error":null}\n\n'
    odd = [
        b'data: {"type":"response.content_part.done","part":{"type":[]}}\n\n',
        b'data: {"type":["x"],"delta":{}}\n\ndata: {"type":"keepalive"}\n\ndata: [1]\n\ndata: ping\n\n',
    ]

    assert read(named, *odd, typed, ended()) == [TextDelta("a"), TextDelta("b"), STOP]


def test_done_alone_ends_an_answer() -> None:
    assert read(text("a"), b"data: [DONE]\n\n") == [TextDelta("a"), STOP]


def test_items_are_bounded() -> None:
    with pytest.raises(ProviderBadResponse):
        read(ended(*({"type": "x"} for _number in range(2000))))


def test_usage_has_its_inclusive_parts() -> None:
    usage = {
        "input_tokens": 200,
        "input_tokens_details": {"cached_tokens": 50},
        "output_tokens": 1970,
        "output_tokens_details": {"reasoning_tokens": 956},
        "total_tokens": 2170,
    }

    assert used(ended(usage=usage)) == Usage(
        input_tokens=200, output_tokens=1970, cached_input_tokens=50, reasoning_tokens=956
    )


def encoded(*messages: Message, profile: ModelProfile | None = None, **fields: Any) -> dict[str, Any]:
    options = fields.pop("body", {})
    request = ChatRequest(model="m", messages=messages, **fields)
    return OPENAI_RESPONSES.encode(
        request, Target(profile=profile or ModelProfile(), options={"body": options} if options else {})
    )


def test_a_request_says_all_that_is_asked() -> None:
    tools = (
        ToolSchema(name="b.c", description="C.", parameters={}),
        ToolSchema(name="a", description="A.", parameters={}),
    )
    options = ChatOptions(
        max_output_tokens=100, temperature=0.5, tool_choice=ToolChoice.REQUIRED, response_schema={"type": "object"}
    )

    body = encoded(
        Message.of(Role.SYSTEM, "be brief"),
        Message.of(Role.USER, "time: noon", source=Source.CONTEXT_PROVIDER),
        Message(role=Role.USER, contents=(TextContent("look"), DataContent("aGk=", "image/png"))),
        Message(role=Role.USER, contents=(UriContent("https://x.example/a.png", "image/png"),)),
        tools=tools,
        options=options,
        profile=ModelProfile(reasoning=True, parallel_tools=False),
        body={"reasoning": {"effort": "low"}, "temperature": None},
    )

    assert body == {
        "model": "m",
        "input": [
            {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "be brief"}]},
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "time: noon"},
                    {"type": "input_text", "text": "look"},
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"},
                ],
            },
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_image", "image_url": "https://x.example/a.png", "detail": "auto"}],
            },
        ],
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 100,
        "tools": [
            {"type": "function", "name": "a", "description": "A.", "parameters": {}, "strict": False},
            {"type": "function", "name": "b__c", "description": "C.", "parameters": {}, "strict": False},
        ],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "text": {
            "format": {"type": "json_schema", "name": "answer", "schema": {"type": "object"}, "strict": False},
        },
        "reasoning": {"effort": "low"},
    }


def test_a_plain_request_says_no_more_than_it_must() -> None:
    assert encoded(Message.of(Role.USER, "hi")).keys() == {"model", "input", "stream", "store"}


def test_calls_go_back_without_the_ids_of_their_items() -> None:
    contents_ = (FunctionCallContent("call_9", "add", {"b": 2, "a": 1}),)

    assert encoded(Message(role=Role.ASSISTANT, contents=contents_))["input"] == [
        {"type": "function_call", "call_id": "call_9", "name": "add", "arguments": '{"a":1,"b":2}'}
    ]

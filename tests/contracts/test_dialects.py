"""What every dialect keeps: one suite, run over each wire of ``tests/contracts/wires.py``."""

import json
from typing import Any

import pytest

from agentcore.chat import (
    ChatOptions,
    ChatRequest,
    Finish,
    FinishReason,
    ModelEvent,
    TextDelta,
    ToolCall,
    ToolChoice,
    ToolSchema,
)
from agentcore.errors import OutputTruncated, ProviderBadResponse, ProviderError, ProviderUnavailable
from agentcore.messages import (
    CallStatus,
    ErrorContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    TextContent,
    Usage,
)
from agentcore.providers.answer import AnswerReader
from agentcore.providers.profile import Target
from tests.contracts.wire import Wire
from tests.contracts.wires import WIRES

TOOLS = tuple(
    ToolSchema(name=name, description=f"{name}.", parameters={"type": "object", "properties": {}})
    for name in ("system.echo", "math.add")
)


@pytest.fixture(params=WIRES, name="wire")
def wire_(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


def asking(*messages: Message, **fields: Any) -> ChatRequest:
    return ChatRequest(model="m", messages=messages or (Message.of(Role.USER, "hello"),), **fields)


class Read:
    """A body as the reader understood it."""

    def __init__(self, wire: Wire, *pieces: bytes, request: ChatRequest | None = None) -> None:
        self.events: list[ModelEvent] = []
        self.error: ProviderError | None = None
        reader = AnswerReader(wire.dialect.decoder(request or asking()), self.events.append, wire.dialect.splitter())
        try:
            for piece in pieces:
                if not reader.feed(piece):
                    break
            self.events += reader.end()
        except ProviderError as error:
            self.error = error
        self.usage = reader.usage()

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def calls(self) -> list[ToolCall]:
        return [event for event in self.events if isinstance(event, ToolCall)]

    @property
    def summary(self) -> tuple[Any, ...]:
        code = self.error.code if self.error else None
        return self.text, [(call.call_id, call.name, call.arguments) for call in self.calls], self.usage, code


def test_text_streams_in_order(wire: Wire) -> None:
    read = Read(wire, wire.text("one "), wire.text("two\u2028😀"), wire.finish("stop"), wire.end)

    assert read.events == [TextDelta("one "), TextDelta("two\u2028😀"), Finish(FinishReason.STOP)]


def test_the_stream_is_the_same_wherever_it_is_cut(wire: Wire) -> None:
    body = b"".join(
        [
            wire.text("é😀"),
            wire.call("a", "f", ['{"x"', ': "ü"}']),
            wire.call("b", "g", []),
            wire.usage(7, 3),
            wire.finish("tool_calls"),
            wire.end,
        ]
    )
    whole = Read(wire, body).summary

    assert whole == ("é😀", [("a", "f", {"x": "ü"}), ("b", "g", {})], Usage(input_tokens=7, output_tokens=3), None)
    assert all(Read(wire, body[:at], body[at:]).summary == whole for at in range(len(body)))
    assert Read(wire, *(body[at : at + 1] for at in range(len(body)))).summary == whole


def test_calls_come_whole_and_before_the_finish(wire: Wire) -> None:
    read = Read(wire, wire.call("a", "f", ['{"x":', "1}"]), wire.finish("tool_calls"), wire.end)

    assert read.events == [ToolCall("a", "f", {"x": 1}), Finish(FinishReason.TOOL_CALLS)]


def test_usage_is_the_last_value(wire: Wire) -> None:
    read = Read(wire, wire.text("a"), wire.usage(7, 1), wire.usage(7, 2), wire.finish("stop"), wire.end)

    assert read.usage == Usage(input_tokens=7, output_tokens=2)


def test_usage_is_known_also_of_an_answer_that_was_cut_off(wire: Wire) -> None:
    read = Read(wire, wire.text("a"), wire.usage(7, 1))

    assert (read.usage, type(read.error)) == (Usage(input_tokens=7, output_tokens=1), ProviderBadResponse)


def test_no_usage_is_none_and_not_zero(wire: Wire) -> None:
    assert Read(wire, wire.text("a"), wire.finish("stop"), wire.end).usage is None


def test_an_answer_without_evidence_is_not_whole(wire: Wire) -> None:
    read = Read(wire, wire.text("half"))

    assert (read.text, type(read.error)) == ("half", ProviderBadResponse)


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls"])
def test_a_call_that_is_cut_off_runs_nothing(wire: Wire, reason: str) -> None:
    read = Read(wire, wire.call("a", "f", ["{}"]), wire.call("b", "g", ['{"x": "']), wire.finish(reason), wire.end)

    assert (read.calls, type(read.error)) == ([], OutputTruncated)


def test_a_length_stop_with_calls_runs_nothing(wire: Wire) -> None:
    read = Read(wire, wire.call("a", "f", ["{}"]), wire.finish("length"), wire.end)

    assert (read.calls, type(read.error)) == ([], OutputTruncated)


def test_an_answer_of_exactly_the_cap_with_calls_runs_nothing(wire: Wire) -> None:
    request = asking(options=ChatOptions(max_output_tokens=5))
    body = wire.call("a", "f", ["{}"]) + wire.usage(1, 5) + wire.finish("tool_calls") + wire.end

    assert isinstance(Read(wire, body, request=request).error, OutputTruncated)


def test_text_before_an_error_in_the_same_chunk_is_shown(wire: Wire) -> None:
    read = Read(wire, wire.text("a") + wire.error("engine overloaded") + wire.text("b"))

    assert (read.text, type(read.error)) == ("a", ProviderUnavailable)
    assert "engine overloaded" in read.error.message if read.error else False


def test_a_whole_json_answer_is_accepted(wire: Wire) -> None:
    assert Read(wire, wire.whole("hi")).events == [TextDelta("hi"), Finish(FinishReason.STOP)]


def test_silence_is_no_event(wire: Wire) -> None:
    body = wire.silence + wire.text("a") + wire.silence + wire.finish("stop") + wire.end

    assert Read(wire, body).text == "a"


def test_blanks_before_the_answer_do_not_hide_what_it_is(wire: Wire) -> None:
    blanks = b" \n" * 200
    stream = wire.text("hi") + wire.finish("stop") + wire.end

    assert Read(wire, blanks, b"\n", stream).text == "hi"
    assert Read(wire, *(blanks[at : at + 1] for at in range(400)), wire.whole("hi")).text == "hi"
    assert Read(wire, b"\xef", b"\xbb\xbf", wire.whole("hi")).text == "hi"


def test_a_json_answer_is_bounded(wire: Wire) -> None:
    megabyte = b'"' + b"x" * 1024 * 1024

    assert isinstance(Read(wire, b"{", *[megabyte] * 33).error, ProviderBadResponse)


def test_tools_are_sorted_and_their_names_come_back(wire: Wire) -> None:
    request = asking(tools=TOOLS)
    names = wire.tools_of(wire.dialect.encode(request, Target()))
    read = Read(wire, wire.call("a", names[1], []), wire.finish("tool_calls"), wire.end, request=request)

    assert read.calls == [ToolCall("a", "system.echo", {})]
    assert all(name.replace("_", "").replace("-", "").isalnum() for name in names)


def test_the_prefix_does_not_depend_on_the_order_of_the_tools(wire: Wire) -> None:
    bodies = [wire.dialect.encode(asking(tools=tools), Target()) for tools in (TOOLS, TOOLS[::-1])]

    assert json.dumps(bodies[0]) == json.dumps(bodies[1])


def test_definitions_stay_when_no_tool_may_be_called(wire: Wire) -> None:
    request = asking(tools=TOOLS, options=ChatOptions(tool_choice=ToolChoice.NONE))
    body = wire.dialect.encode(request, Target())

    assert len(wire.tools_of(body)) == 2
    assert ("none" in json.dumps(body.get("tool_choice"))) == wire.forbids_tools


def test_results_follow_their_calls_as_text(wire: Wire) -> None:
    calls = tuple(FunctionCallContent(call_id, "system.echo", {"text": "x"}) for call_id in ("a", "b", "c"))
    failed = {"code": "TOOL_FAILED", "message": "The tool failed."}
    results = (
        FunctionResultContent("a", "system.echo", {"n": 1}),
        FunctionResultContent("b", "system.echo", "plain"),
        FunctionResultContent("c", "system.echo", None, CallStatus.FAILED, failed),
    )
    history = [Message(role=Role.ASSISTANT, contents=calls), Message(role=Role.TOOL, contents=results)]

    told = wire.results_of(wire.dialect.encode(asking(Message.of(Role.USER, "go"), *history), Target()))

    assert (told["a"], told["b"]) == ('{"n":1}', "plain")
    assert json.loads(told["c"]) == {"status": "failed", "error": failed}


def test_what_no_model_may_read_is_not_sent(wire: Wire) -> None:
    contents = (TextContent("kept"), ErrorContent("X", "hidden-error"), ReasoningContent("hidden-thought"))
    body = wire.dialect.encode(asking(Message(role=Role.ASSISTANT, contents=contents)), Target())

    assert "kept" in json.dumps(body)
    assert "hidden" not in json.dumps(body)


def test_an_encoded_request_is_json(wire: Wire) -> None:
    request = asking(tools=TOOLS, options=ChatOptions(max_output_tokens=5, temperature=0.5))

    assert json.loads(json.dumps(wire.dialect.encode(request, Target())))["model"] == "m"

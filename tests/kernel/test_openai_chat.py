"""The openai_chat decoder: odd spellings of servers are taken, or an error, never a silent empty success."""

import json
from typing import Any

import pytest

from agentcore.chat import ChatRequest, Finish, FinishReason, ModelEvent, TextDelta, ToolCall
from agentcore.errors import ProviderBadResponse
from agentcore.messages import Message, Role
from agentcore.providers.answer import AnswerReader
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT

REQUEST = ChatRequest(model="m", messages=(Message.of(Role.USER, "hi"),))
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
    return [*events, *reader.end()], reader


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

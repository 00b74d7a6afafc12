"""Thinking that a chat completion wants back: as text, or as the signature of a call."""

import json
from typing import Any

import pytest

from agentcore.chat import ChatRequest, Collector, ReasoningDelta, Route
from agentcore.messages import FunctionCallContent, FunctionResultContent, Message, ReasoningContent, Role, TextContent
from agentcore.providers.answer import AnswerReader
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT
from agentcore.providers.profile import ModelProfile, Replay, Target
from tests.fake_upstream import chunk

ASKED = Message.of(Role.USER, "Weather?")
CALLS = (FunctionCallContent("c1", "weather", {}), FunctionCallContent("c2", "weather", {}))
RESULTS = Message(
    role=Role.TOOL, contents=tuple(FunctionResultContent(call.call_id, "weather", "sun") for call in CALLS)
)
SIGNED = {"google": {"thought_signature": "sIgNaTuRe=="}}
SKIPPED = {"google": {"thought_signature": "skip_thought_signature_validator"}}
GEMINI = ModelProfile(reasoning_field="thought_signature", replay_reasoning=Replay.TOOLS)


def called(*thinking: ReasoningContent) -> Message:
    return Message(role=Role.ASSISTANT, contents=(*thinking, *CALLS))


def turns(profile: ModelProfile, *messages: Message) -> list[dict[str, Any]]:
    """What is sent of the assistant's turns."""
    body = OPENAI_CHAT.encode(ChatRequest(model="m", messages=messages), Target(profile=profile))
    return [message for message in body["messages"] if message["role"] == "assistant"]


@pytest.mark.parametrize(
    ("replay", "sent"),
    [
        (Replay.NEVER, [None, None, None]),
        (Replay.TOOLS, [None, None, "Second."]),
        (Replay.ALWAYS, ["First.", " ", "Second."]),
    ],
)
def test_thinking_is_sent_back_as_far_as_the_profile_wants_it(replay: Replay, sent: list[str | None]) -> None:
    history = (
        *(ASKED, called(ReasoningContent("First.")), RESULTS, Message.of(Role.ASSISTANT, "Sun.")),
        *(ASKED, called(ReasoningContent("Second.")), RESULTS),
    )
    found = turns(ModelProfile(replay_reasoning=replay), *history)
    assert [turn.get("reasoning_content") for turn in found] == sent


@pytest.mark.parametrize("replay", [Replay.TOOLS, Replay.ALWAYS])
def test_a_call_that_another_model_made_is_not_without_thinking(replay: Replay) -> None:
    profile = ModelProfile(replay_reasoning=replay, reasoning_field="reasoning")
    assert [turn["reasoning"] for turn in turns(profile, ASKED, called(), RESULTS)] == [" "]


@pytest.mark.parametrize(
    ("thinking", "sent"),
    [
        ((ReasoningContent("", json.dumps(SIGNED)),), SIGNED),
        ((ReasoningContent("Hm."), ReasoningContent("", json.dumps(SIGNED))), SIGNED),
        ((), SKIPPED),
        ((ReasoningContent("Hm.", "a token of another kind"),), SKIPPED),
        ((ReasoningContent("Hm.", "[1]"),), SKIPPED),
        ((ReasoningContent("Hm.", '{"google": 1}'),), SKIPPED),
    ],
)
def test_the_first_call_is_signed(thinking: tuple[ReasoningContent, ...], sent: dict[str, Any]) -> None:
    [turn] = turns(GEMINI, ASKED, called(*thinking), RESULTS)
    assert [call.get("extra_content") for call in turn["tool_calls"]] == [sent, None]
    assert "thought_signature" not in turn


def test_only_calls_of_the_turn_at_hand_are_signed() -> None:
    old = called(ReasoningContent("", json.dumps(SIGNED)))
    done = Message(role=Role.ASSISTANT, contents=(TextContent("Sun."),))
    [first, text] = turns(GEMINI, ASKED, old, RESULTS, done, ASKED)
    assert "extra_content" not in json.dumps([first, text])


def fragment(**fields: Any) -> bytes:
    return chunk({"tool_calls": [{"type": "function", **fields}]})


@pytest.mark.parametrize(
    "chunks",
    [
        [fragment(id="a", function={"name": "weather", "arguments": "{}"}, extra_content=SIGNED)],
        # On its own, behind the call.
        [fragment(id="a", function={"name": "weather", "arguments": "{}"}), fragment(id="a", extra_content=SIGNED)],
        [
            fragment(id="a", function={"name": "weather", "arguments": "{}"}, extra_content=SIGNED),
            fragment(
                id="b",
                function={"name": "weather", "arguments": "{}"},
                extra_content={"google": {"thought_signature": "x"}},
            ),
        ],
    ],
)
def test_a_signature_comes_with_a_call_and_goes_back_with_it(chunks: list[bytes]) -> None:
    collected = Collector(lambda event: None)
    reader = AnswerReader(OPENAI_CHAT.decoder(ChatRequest(model="m", messages=(ASKED,))), collected)
    for piece in [*chunks, chunk(finish="stop")]:
        reader.feed(piece)
    for event in reader.end():
        collected(event)

    assert [item.opaque for item in collected.said if isinstance(item, ReasoningDelta)] == [json.dumps(SIGNED)]
    answer = Message(role=Role.ASSISTANT, contents=collected.contents(Route("gemini", "m")))
    [turn] = turns(GEMINI, ASKED, answer)
    assert turn["tool_calls"][0]["extra_content"] == SIGNED


@pytest.mark.parametrize("extra", [None, 1, [], {}, {"google": None}, {"google": {"thought_signature": ""}}])
def test_a_call_that_is_not_signed_is_a_call(extra: Any) -> None:
    collected = Collector(lambda event: None)
    reader = AnswerReader(OPENAI_CHAT.decoder(ChatRequest(model="m", messages=(ASKED,))), collected)
    reader.feed(fragment(id="a", function={"name": "weather", "arguments": "{}"}, extra_content=extra))
    reader.feed(chunk(finish="stop"))
    assert [type(event).__name__ for event in reader.end()] == ["ToolCall", "Finish"]
    assert collected.said == []

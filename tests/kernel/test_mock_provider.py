"""The mock provider: every row of its script language."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcore.chat import (
    ChatCall,
    ChatOptions,
    ChatRequest,
    ChatResponse,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    ToolChoice,
)
from agentcore.errors import AgentError
from agentcore.messages import (
    CallStatus,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    Role,
    Source,
    Usage,
)
from agentcore.providers.mock import script as script_module
from agentcore.providers.mock.client import MockChatClient
from agentcore.providers.mock.script import parse


async def played(
    *messages: Message | str,
    attempt: int = 1,
    events: list[ModelEvent] | None = None,
    clock: Any = None,
    **options: Any,
) -> ChatResponse:
    history = tuple(item if isinstance(item, Message) else Message.of(Role.USER, item) for item in messages)
    request = ChatRequest(model="mock-1", messages=history, options=ChatOptions(**options))
    client = MockChatClient(**({"clock": clock} if clock else {}))
    emit = (events if events is not None else []).append
    return await client.complete(ChatCall(request=request, emit=emit, attempt=attempt))


def texts(events: list[ModelEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, TextDelta)]


def tool_round(name: str, result: Any = None, error: dict[str, str] | None = None) -> list[Message]:
    status = CallStatus.FAILED if error else CallStatus.DONE
    return [
        Message(role=Role.ASSISTANT, contents=(FunctionCallContent("c", name),)),
        Message(role=Role.TOOL, contents=(FunctionResultContent("c", name, result, status, error),)),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello there", "You said: hello there"),
        ("one\ntwo", "You said: one\ntwo"),
        ("/help", "You said: /help"),
        ("/tool x {bad", "You said: /tool x {bad"),
        ("/tool x [1]", "You said: /tool x [1]"),
        ('/tool x {"n": NaN}', 'You said: /tool x {"n": NaN}'),
        ("/fail NO_SUCH_CODE", "You said: /fail NO_SUCH_CODE"),
        ("/stream many", "You said: /stream many"),
        ("/stream -1", "You said: /stream -1"),
        ("/stream ²", "You said: /stream ²"),
        ("/stream 99999999999", "You said: /stream 99999999999"),
        ("/usage 1", "You said: /usage 1"),
        ("", ""),
        (" \n ", ""),
        ("/stream 2\nhi", "w1 w2 You said: hi"),
    ],
)
async def test_anything_else_is_said_back(text: str, said: str) -> None:
    response = await played(text)

    assert (response.text, response.finish_reason) == (said, "stop")


async def test_the_answer_streams_word_by_word() -> None:
    events: list[ModelEvent] = []
    await played("good  day", events=events)

    assert texts(events) == ["You ", "said: ", "good  ", "day"]


async def test_tools_are_called_in_parallel() -> None:
    response = await played('/tool math.add {"left": 1, "right": 2}\n/tool time.now')

    assert [(call.name, call.arguments) for call in response.calls] == [
        ("math.add", {"left": 1, "right": 2}),
        ("time.now", {}),
    ]
    assert len({call.call_id for call in response.calls}) == 2
    assert (response.text, response.finish_reason) == ("", "tool_calls")


async def test_a_round_of_tools_is_told_result_by_result() -> None:
    failed = {"code": "TOOL_FAILED", "message": "The tool failed."}
    rounds = Message(
        role=Role.ASSISTANT, contents=(FunctionCallContent("a", "math.add"), FunctionCallContent("b", "f"))
    )
    results = Message(
        role=Role.TOOL,
        contents=(
            FunctionResultContent("a", "math.add", {"sum": 3, "of": [1, 2]}),
            FunctionResultContent("b", "f", None, CallStatus.FAILED, failed),
        ),
    )

    response = await played("/tool math.add\n/tool f", rounds, results)

    assert response.text == 'math.add returned: {"sum":3,"of":[1,2]}\nf failed: TOOL_FAILED: The tool failed.'


async def test_then_belongs_to_the_next_step() -> None:
    script = "/tool a\n/then\n/tool b\n/then\nbye"

    first = await played(script)
    second = await played(script, *tool_round("a"))
    third = await played(script, *tool_round("a"), *tool_round("b"))

    assert [call.name for call in first.calls] == ["a"]
    assert [call.name for call in second.calls] == ["b"]
    assert third.text == "You said: bye"
    assert first.calls[0].call_id != second.calls[0].call_id


async def test_a_then_that_says_nothing_leaves_it_to_the_results() -> None:
    response = await played("/tool a\n/then\n", *tool_round("a", "x"))

    assert response.text == 'a returned: "x"'


async def test_it_answers_the_newest_message_that_the_user_wrote() -> None:
    response = await played(
        "/tool old",
        *tool_round("old"),
        "/stream 1",
        Message.of(Role.USER, "injected", source=Source.CONTEXT_PROVIDER),
        Message.of(Role.SYSTEM, "system"),
    )

    assert response.text == "w1 "


async def test_think_gives_a_reasoning_delta_for_each_word() -> None:
    events: list[ModelEvent] = []
    response = await played("/think let me see\nhi", events=events)

    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == ["let ", "me ", "see"]
    assert response.text == "You said: hi"
    assert response.usage == Usage(input_tokens=5, output_tokens=6, reasoning_tokens=3)


class Waits:
    """A clock that only notes how long it was asked to sleep."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def test_stream_pauses_between_deltas() -> None:
    clock = Waits()
    response = await played("/stream 3 20", clock=clock)

    assert response.text == "w1 w2 w3 "
    assert clock.slept == [0.02, 0.02]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("/fail PROVIDER_TIMEOUT", ""),
        ("/fail PROVIDER_TIMEOUT 2", "w1 w2 "),
        ("/stream 5\n/fail PROVIDER_TIMEOUT", ""),
        ("hello\n/fail PROVIDER_TIMEOUT 0", ""),
        ("/stream 2\n/fail PROVIDER_TIMEOUT 2\n/stream 2", "w1 w2 "),
        ("/stream 2\n/stream 2\n/fail PROVIDER_TIMEOUT 3", "w1 w2 w1 "),
        ("/fail PROVIDER_TIMEOUT 1\n/fail MODEL_NOT_FOUND 2", "w1 "),
        ("/fail MODEL_NOT_FOUND 2\n/fail PROVIDER_TIMEOUT 1", "w1 "),
        ("/stream 1\n/fail PROVIDER_TIMEOUT 1\n/then\n/fail MODEL_NOT_FOUND", "w1 "),
        ("/stream 5\n/fail PROVIDER_TIMEOUT 2", "w1 w2 "),
        ("/fail PROVIDER_TIMEOUT 2\n/stream 5", "w1 w2 "),
        ("hello\n/fail PROVIDER_TIMEOUT 1", "You "),
        ("/stream 1\n/fail PROVIDER_TIMEOUT 3", "w1 w2 w3 "),
        ("/tool a\n/fail PROVIDER_TIMEOUT", ""),
    ],
)
async def test_fail_fails_after_that_many_deltas(script: str, said: str) -> None:
    events: list[ModelEvent] = []
    with pytest.raises(AgentError) as caught:
        await played(script, events=events)

    assert caught.value.code == "PROVIDER_TIMEOUT"
    assert "".join(texts(events)) == said
    assert len(events) == len(texts(events))


@pytest.mark.parametrize("script", ["/fail-once PROVIDER_UNAVAILABLE\nhi", "/fail-once PROVIDER_UNAVAILABLE 1\nhi"])
async def test_fail_once_fails_only_on_the_first_attempt(script: str) -> None:
    with pytest.raises(AgentError):
        await played(script)

    assert (await played(script, attempt=2)).text == "You said: hi"


async def test_usage_is_what_the_script_says() -> None:
    script = "/usage 100 7 60\n/tool a"

    first = await played(script)
    second = await played(script, *tool_round("a"))

    assert first.usage == second.usage == Usage(input_tokens=100, output_tokens=7, cached_input_tokens=60)


async def test_usage_none_is_estimated_and_flagged() -> None:
    events: list[ModelEvent] = []
    response = await played("/usage none\nhello", events=events)

    assert response.usage.estimated
    assert response.usage.output_tokens > 0
    assert not any(hasattr(event, "usage") for event in events)


async def test_without_usage_a_word_is_a_token() -> None:
    response = await played(Message.of(Role.SYSTEM, "be kind"), "one two three")

    assert response.usage == Usage(input_tokens=5, output_tokens=5)


async def test_it_calls_tools_even_when_told_not_to() -> None:
    assert (await played("/tool a", tool_choice=ToolChoice.NONE)).calls


async def test_others_run_while_it_streams() -> None:
    events: list[ModelEvent] = []
    task = asyncio.create_task(played("/stream 1000000", events=events))
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert 0 < len(events) < 25


def test_every_directive_is_documented() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "mock-provider.md"

    documented = re.findall(r"^\| `(/[^`]+)` \|", page.read_text("utf-8"), re.M)

    assert documented == re.findall(r"^    (/\S+(?: [A-Z\[{][\w\]}]*)*)", script_module.__doc__ or "", re.M)


@given(text=st.text(alphabet=st.characters(exclude_categories=[])))
def test_any_text_is_a_script(text: str) -> None:
    assert parse(text).steps


@given(text=st.text(min_size=1).filter(lambda text: not text.lstrip().startswith("/")))
async def test_any_plain_text_comes_back_whole(text: str) -> None:
    plain = "\n".join(line.lstrip("/ \t") for line in text.split("\n")).replace("\r", "").strip()
    response = await played(plain)

    assert response.text == (f"You said: {plain}" if plain else "")

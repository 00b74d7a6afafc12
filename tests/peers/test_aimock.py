"""aimock, a mock server of many providers from npm: its answers, its errors, and its chaos."""

import pytest

from agentcore.chat import ChatOptions, FinishReason, ReasoningDelta
from agentcore.providers.clients import DIALECTS
from tests.peers.asking import WEATHER, Server, asked, with_result

pytestmark = [pytest.mark.peer, pytest.mark.parametrize("dialect", DIALECTS)]


async def test_text_comes_in_pieces_with_usage(aimock: Server, dialect: str) -> None:
    outcome = await asked(aimock, dialect, "hello")

    assert outcome.whole.text == "Hello from aimock, in more than one chunk."
    assert len(outcome.deltas) > 1
    assert outcome.whole.finish_reason is FinishReason.STOP
    assert outcome.whole.usage.output_tokens > 0


@pytest.mark.parametrize("question", ["hello", "think", "both", "then"])
async def test_a_whole_answer_says_the_same_as_a_stream(aimock: Server, dialect: str, question: str) -> None:
    streamed = await asked(aimock, dialect, question, tools=(WEATHER,))

    whole = await asked(aimock, dialect, question, tools=(WEATHER,), stream=False)

    assert whole.whole.text == streamed.whole.text
    assert whole.calls == streamed.calls
    assert whole.whole.finish_reason is streamed.whole.finish_reason
    assert whole.whole.usage == streamed.whole.usage


async def test_thinking_is_no_text(aimock: Server, dialect: str) -> None:
    outcome = await asked(aimock, dialect, "think", model="deepseek-reasoner")

    assert outcome.whole.text == "Forty-two."
    thought = "".join(event.text for event in outcome.events if isinstance(event, ReasoningDelta))
    assert thought in {"Six times seven.", ""}


@pytest.mark.parametrize(("question", "cities"), [("weather", ["Paris"]), ("both", ["Paris", "Oslo"])])
async def test_tool_calls_are_whole(aimock: Server, dialect: str, question: str, cities: list[str]) -> None:
    outcome = await asked(aimock, dialect, question, tools=(WEATHER,))

    assert outcome.calls == [("get_weather", {"city": city}) for city in cities]
    assert outcome.whole.finish_reason is FinishReason.TOOL_CALLS
    assert len({call.call_id for call in outcome.whole.calls}) == len(cities)


async def test_text_before_a_call_is_kept(aimock: Server, dialect: str) -> None:
    outcome = await asked(aimock, dialect, "then", tools=(WEATHER,))

    assert outcome.whole.text == "Looking. "
    assert outcome.calls == [("get_weather", {"city": "Rome"})]


async def test_a_result_is_answered(aimock: Server, dialect: str) -> None:
    call = await asked(aimock, dialect, "weather", tools=(WEATHER,))

    outcome = await asked(aimock, dialect, *with_result("weather", call.whole, {"sky": "clear"}), tools=(WEATHER,))

    assert outcome.whole.text == "Clear in Paris."


async def test_an_answer_that_is_cut_off_is_no_answer(aimock: Server, dialect: str) -> None:
    outcome = await asked(aimock, dialect, "cut")

    assert outcome.code in {"PROVIDER_BAD_RESPONSE", "PROVIDER_UNAVAILABLE"}
    assert outcome.error is not None
    assert outcome.error.retryable
    assert outcome.deltas[0] == "This "


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("rate", "PROVIDER_RATE_LIMITED"),
        ("broken", "PROVIDER_UNAVAILABLE"),
        ("overloaded", "PROVIDER_UNAVAILABLE"),
        ("key", "PROVIDER_AUTH_FAILED"),
    ],
)
async def test_its_errors_have_their_codes(aimock: Server, dialect: str, question: str, code: str) -> None:
    outcome = await asked(aimock, dialect, question)

    assert outcome.code == code
    assert outcome.events == []


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("dropped", {"PROVIDER_UNAVAILABLE"}),
        ("malformed", {"PROVIDER_BAD_RESPONSE"}),
        ("disconnect", {"PROVIDER_UNAVAILABLE", "PROVIDER_BAD_RESPONSE"}),
        ("limited", {"PROVIDER_RATE_LIMITED"}),
        ("late", {None}),
    ],
)
async def test_chaos_is_events_or_a_typed_error(
    aimock: Server, dialect: str, question: str, codes: set[str | None]
) -> None:
    outcome = await asked(aimock, dialect, question)

    assert outcome.code in codes


async def test_a_question_that_it_has_no_answer_to_is_a_typed_error(aimock: Server, dialect: str) -> None:
    outcome = await asked(aimock, dialect, "xyzzy", options=ChatOptions())

    assert outcome.code == "MODEL_NOT_FOUND"

"""The site's own keys never leave in a model's text, however the deltas are cut."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from agentcore.agents.showing import shown_content
from agentcore.chat import ModelEvent, ReasoningDelta, TextDelta, ToolCall, UsageUpdate
from agentcore.gateway.cleaning import CleanEmit
from agentcore.gateway.secrets import SecretEmit
from agentcore.messages import ReasoningContent, Usage
from agentcore.redaction import REDACTED, Redactor

KEY = "sk-aab-aac"
REDACTOR = Redactor([KEY])


def shown(*events: ModelEvent, redactor: Redactor = REDACTOR) -> list[ModelEvent]:
    seen: list[ModelEvent] = []
    emit = SecretEmit(seen.append, redactor)
    for event in events:
        emit(event)
    emit.flush()
    return seen


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta | ReasoningDelta))


@given(
    parts=st.lists(st.sampled_from([KEY, "s", "sk-", "sk-aab", "-aac", "a", " plain "]), max_size=8),
    cuts=st.lists(st.integers(0, 60), max_size=12),
)
def test_key_is_never_shown_and_nothing_else_is_lost(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]

    seen = text_of(shown(*map(TextDelta, pieces)))

    assert KEY not in seen
    assert seen == text.replace(KEY, REDACTED)


SHORT, LONG, OTHER = "abcdabcd", "abcdabcd-1234", "cdabcd-9999"


@given(
    parts=st.lists(st.sampled_from([SHORT, LONG, "abcd", "a", "-12", " "]), max_size=8),
    cuts=st.lists(st.integers(0, 80), max_size=12),
)
def test_rest_of_a_key_that_begins_like_another_is_not_shown(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [TextDelta(text[start:end]) for start, end in itertools.pairwise(places)]
    redactor = Redactor([SHORT, LONG, OTHER])

    assert text_of(shown(*pieces, redactor=redactor)) == redactor.without_credentials(text)


def test_text_that_holds_no_beginning_is_passed_on_at_once() -> None:
    seen: list[ModelEvent] = []

    SecretEmit(seen.append, REDACTOR)(TextDelta("hello"))

    assert seen == [TextDelta("hello")]


def test_other_events_let_go_of_what_waits_and_keep_their_place() -> None:
    usage = UsageUpdate(Usage())

    assert shown(TextDelta("a sk-"), usage, ReasoningDelta("", "opaque")) == [
        TextDelta("a "),
        TextDelta("sk-"),
        usage,
        ReasoningDelta("", "opaque"),
    ]


def test_a_token_ends_its_thinking_and_nothing_waits_behind_it() -> None:
    assert shown(ReasoningDelta("think sk-"), ReasoningDelta("", "signed")) == [
        ReasoningDelta("think "),
        ReasoningDelta("sk-", "signed"),
    ]


def test_a_token_that_holds_a_key_is_not_kept() -> None:
    kept, gone = (ReasoningContent("so", opaque, "p", "m") for opaque in ("signed", f'{{"thinking":"{KEY}"}}'))

    assert shown_content(kept, REDACTOR) == kept
    assert shown_content(gone, REDACTOR) == ReasoningContent("so", None, "p", "m")


def test_a_token_can_be_stored() -> None:
    seen: list[ModelEvent] = []
    CleanEmit(seen.append)(ReasoningDelta("so", "a\x00b\ud800"))

    assert seen == [ReasoningDelta("so", "a\ufffdb\ufffd")]


def test_an_id_of_a_call_that_is_a_key_is_another_one_and_what_the_call_says_stays() -> None:
    said = {"text": KEY}
    first, second, third = shown(*(ToolCall(call_id, "echo", said) for call_id in (KEY, f"x-{KEY}", "call_1")))

    assert isinstance(first, ToolCall)
    assert isinstance(second, ToolCall)
    assert KEY not in first.call_id + second.call_id
    assert first.call_id != second.call_id
    assert (first.arguments, third) == (said, ToolCall("call_1", "echo", said))

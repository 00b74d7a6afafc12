"""Pairing: every call has one result right behind it, whatever the history."""

from hypothesis import given
from hypothesis import strategies as st

from agentcore.agents.pairing import paired
from agentcore.messages import CallStatus, FunctionCallContent, FunctionResultContent, Message, Role, TextContent
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_messages import encoded_messages
from agentcore.providers.profile import ModelProfile
from tests.fake_upstream import unpaired

USER = Message.of(Role.USER, "hello")


def calling(*ids: str, text: str = "") -> Message:
    calls = tuple(FunctionCallContent(call_id, "f") for call_id in ids)
    return Message(role=Role.ASSISTANT, contents=((TextContent(text),) if text else ()) + calls)


def results(*ids: str) -> Message:
    return Message(role=Role.TOOL, contents=tuple(FunctionResultContent(call_id, "f", call_id) for call_id in ids))


def settled(messages: list[Message]) -> list[list[tuple[str, CallStatus]]]:
    return [[(item.call_id, item.status) for item in message.results] for message in messages if message.results]


def test_a_whole_history_stays_as_it_is() -> None:
    history = [USER, calling("a", "b", text="so"), results("a", "b"), Message.of(Role.ASSISTANT, "done")]

    repaired = paired(history)

    assert [message.contents for message in repaired] == [message.contents for message in history]


def test_a_call_without_a_result_is_told_as_cancelled() -> None:
    repaired = paired([USER, calling("a", "b"), results("a"), USER])

    assert settled(repaired) == [[("a", CallStatus.DONE), ("b", CallStatus.CANCELLED)]]
    assert "cancelled" in (repaired[2].results[1].error or {})["message"]


def test_a_result_without_a_call_is_dropped() -> None:
    assert paired([results("x"), USER, results("a"), calling("a")])[:1] == [USER]
    assert settled(paired([USER, results("a"), calling("a")])) == [[("a", CallStatus.CANCELLED)]]


def test_a_second_result_is_dropped() -> None:
    assert settled(paired([calling("a"), results("a", "a")])) == [[("a", CallStatus.DONE)]]


def test_a_late_result_moves_up_to_its_call() -> None:
    repaired = paired([calling("a"), USER, results("a")])

    assert [message.role for message in repaired] == [Role.ASSISTANT, Role.TOOL, Role.USER]
    assert settled(repaired) == [[("a", CallStatus.DONE)]]


def test_results_follow_in_the_order_of_the_calls_in_one_message() -> None:
    repaired = paired([calling("a", "b"), results("b"), results("a")])

    assert settled(repaired) == [[("a", CallStatus.DONE), ("b", CallStatus.DONE)]]


def test_an_id_that_comes_again_belongs_to_its_own_turn() -> None:
    repaired = paired([calling("a"), USER, calling("a"), results("a")])

    assert settled(repaired) == [[("a", CallStatus.CANCELLED)], [("a", CallStatus.DONE)]]


def test_the_same_history_makes_the_same_messages() -> None:
    history = [USER, calling("a"), USER]

    assert paired(history) == paired(history) == paired(paired(history))


MESSAGES = st.one_of(
    st.just(USER),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True).map(lambda ids: calling(*ids)),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=3).map(lambda ids: results(*ids)),
)


@given(history=st.lists(MESSAGES, max_size=12))
def test_a_strict_server_accepts_any_history(history: list[Message]) -> None:
    wire = encoded_messages(paired(history), WireNames([]), ModelProfile())

    assert unpaired(wire) == []

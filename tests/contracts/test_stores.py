"""One suite for every pair of conversation store and history provider."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth import get_user_model

from agentcore.agents.history import HistoryProvider
from agentcore.errors import NotFound
from agentcore.ids import uuid7
from agentcore.messages import (
    CallStatus,
    ErrorContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    Usage,
    UsageContent,
)
from agentcore.store import ConversationStore
from conversations.history import DatabaseHistory
from conversations.memory import MemoryConversationStore, MemoryHistory
from conversations.store import DatabaseConversationStore

pytestmark = pytest.mark.database


@dataclass
class Pair:
    """A store, the history over it, and two people."""

    store: ConversationStore
    history: HistoryProvider
    alice: Any
    bob: Any

    def open(self, text: str = "hello", conversation_id: UUID | None = None, user: Any = None) -> tuple[UUID, UUID]:
        run_id = uuid7()
        message = Message.of(Role.USER, text)
        owner = user or self.alice
        conversation_id = self.store.turn_open(
            run_id=run_id, conversation_id=conversation_id, user=owner, agent="assistant", message=message
        )
        return run_id, conversation_id

    def close(self, run_id: UUID, conversation_id: UUID, *messages: Message, status: str = "completed") -> None:
        self.store.turn_close(run_id=run_id, conversation_id=conversation_id, messages=list(messages), status=status)

    def turn(self, text: str, answer: str, conversation_id: UUID | None = None) -> UUID:
        run_id, conversation_id = self.open(text, conversation_id)
        self.close(run_id, conversation_id, Message.of(Role.ASSISTANT, answer))
        return conversation_id

    def load(self, conversation_id: UUID, run_id: UUID | None = None) -> list[Message]:
        return async_to_sync(self.history.load)(conversation_id, run_id=run_id or uuid7())

    def texts(self, conversation_id: UUID, run_id: UUID | None = None) -> list[str]:
        return [message.text for message in self.load(conversation_id, run_id)]


def _in_memory() -> Pair:
    shelf: dict = {}
    people = SimpleNamespace(pk=1), SimpleNamespace(pk=2)
    return Pair(MemoryConversationStore(shelf), MemoryHistory(shelf), *people)


def _in_database() -> Pair:
    users = get_user_model().objects
    people = users.create_user("alice"), users.create_user("bob")
    return Pair(DatabaseConversationStore(), DatabaseHistory(), *people)


@pytest.fixture(params=["memory", pytest.param("database", marks=pytest.mark.django_db(transaction=True))])
def pair(request):
    return _in_memory() if request.param == "memory" else _in_database()


def test_turn_open_makes_a_conversation_when_none_is_given(pair):
    _run, conversation_id = pair.open()
    assert pair.texts(conversation_id) == ["hello"]


def test_agent_of_is_the_one_that_the_conversation_began_with(pair):
    _run, conversation_id = pair.open()
    assert pair.store.agent_of(conversation_id=conversation_id, user=pair.alice) == "assistant"


def test_agent_of_a_foreign_and_an_unknown_conversation_is_not_found(pair):
    _run, conversation_id = pair.open()
    with pytest.raises(NotFound):
        pair.store.agent_of(conversation_id=conversation_id, user=pair.bob)
    with pytest.raises(NotFound):
        pair.store.agent_of(conversation_id=uuid7(), user=pair.alice)


def test_turn_open_refuses_a_foreign_and_an_unknown_conversation_alike(pair):
    _run, conversation_id = pair.open()
    with pytest.raises(NotFound) as foreign:
        pair.open(conversation_id=conversation_id, user=pair.bob)
    with pytest.raises(NotFound) as unknown:
        pair.open(conversation_id=uuid7())
    assert str(foreign.value) == str(unknown.value)
    assert pair.texts(conversation_id) == ["hello"]


def test_history_is_what_was_said_before_this_run_oldest_first(pair):
    conversation_id = pair.turn("one", "1")
    pair.turn("two", "2", conversation_id)
    run_id, _ = pair.open("three", conversation_id)
    assert pair.texts(conversation_id, run_id) == ["one", "1", "two", "2"]


def test_history_is_stamped_and_keeps_ids_roles_and_names(pair):
    run_id, conversation_id = pair.open("hello")
    answer = Message.of(Role.ASSISTANT, "hi", author_name="assistant")
    pair.close(run_id, conversation_id, answer)
    loaded = pair.load(conversation_id)
    assert {message.source for message in loaded} == {Source.CHAT_HISTORY}
    assert (loaded[1].id, loaded[1].role, loaded[1].author_name) == (answer.id, Role.ASSISTANT, "assistant")


def test_history_leaves_out_what_this_run_wrote_itself(pair):
    conversation_id = pair.turn("one", "1")
    run_id, _ = pair.open("two", conversation_id)
    pair.close(run_id, conversation_id, Message.of(Role.ASSISTANT, "2"))
    assert pair.texts(conversation_id, run_id) == ["one", "1"]


def test_history_of_an_unknown_conversation_is_empty(pair):
    assert pair.load(uuid7()) == []


def test_calls_results_and_reasoning_come_back_as_they_were(pair):
    run_id, conversation_id = pair.open("add")
    call = FunctionCallContent("c1", "math.add", {"left": 1, "right": 2})
    result = FunctionResultContent("c1", "math.add", None, CallStatus.FAILED, {"code": "TOOL_FAILED", "message": "no"})
    thinking = ReasoningContent("hm", opaque="sig", provider_id="p", model="m")
    messages = [
        Message(role=Role.ASSISTANT, contents=(thinking, call)),
        Message(role=Role.TOOL, contents=(result,)),
        Message.of(Role.ASSISTANT, "3"),
    ]
    pair.close(run_id, conversation_id, *messages)
    assert [m.contents for m in pair.load(conversation_id)[1:]] == [m.contents for m in messages]


def test_a_second_turn_close_stores_nothing(pair):
    run_id, conversation_id = pair.open("one")
    pair.close(run_id, conversation_id, Message.of(Role.ASSISTANT, "1"))
    pair.close(run_id, conversation_id, Message.of(Role.ASSISTANT, "again"), status="failed")
    assert pair.texts(conversation_id) == ["one", "1"]


def test_turn_close_of_a_conversation_that_is_gone_does_nothing(pair):
    pair.close(uuid7(), uuid7(), Message.of(Role.ASSISTANT, "1"))


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_partial_answer_is_kept_as_it_was_given(pair, status):
    run_id, conversation_id = pair.open("count")
    partial = Message(role=Role.ASSISTANT, contents=(TextContent("one, two, th"), ErrorContent("RUN_TIMEOUT", "late")))
    pair.close(run_id, conversation_id, partial, status=status)
    assert pair.texts(conversation_id) == ["count", "one, two, th"]


def test_errors_and_usage_never_reach_a_model(pair):
    run_id, conversation_id = pair.open("one")
    contents = (TextContent("1"), UsageContent(Usage(input_tokens=3)), ErrorContent("INTERNAL_ERROR", "oops"))
    only_error = Message(role=Role.ASSISTANT, contents=(ErrorContent("INTERNAL_ERROR", "oops"),))
    pair.close(run_id, conversation_id, Message(role=Role.ASSISTANT, contents=contents), only_error)
    assert [message.contents for message in pair.load(conversation_id)] == [(TextContent("one"),), (TextContent("1"),)]


def test_an_input_without_an_answer_stays_and_the_conversation_goes_on(pair):
    run_id, conversation_id = pair.open("my name is Li")
    pair.close(run_id, conversation_id, status="failed")
    second, _ = pair.open("who am I?", conversation_id)
    assert pair.texts(conversation_id, second) == ["my name is Li"]


def test_a_blocked_turn_is_never_seen_by_a_model(pair):
    conversation_id = pair.turn("one", "1")
    run_id, _ = pair.open("something forbidden", conversation_id)
    marker = Message(role=Role.ASSISTANT, contents=(TextContent("No."), ErrorContent("GUARDRAIL_BLOCKED", "blocked")))
    pair.close(run_id, conversation_id, marker)
    assert pair.texts(conversation_id) == ["one", "1"]


def test_a_run_that_never_closed_is_on_no_later_branch(pair):
    conversation_id = pair.turn("one", "1")
    pair.open("lost", conversation_id)
    run_id, _ = pair.open("two", conversation_id)
    assert pair.texts(conversation_id, run_id) == ["one", "1"]

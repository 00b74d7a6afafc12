"""The database store: what it costs, what it writes, and how the rows hang together."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agentcore import messages as kernel
from agentcore.errors import NotFound
from agentcore.ids import uuid7
from conversations.models import Conversation, Message
from conversations.store import DatabaseConversationStore

pytestmark = pytest.mark.database

STORE = DatabaseConversationStore()


def opened(user, text="hello", conversation_id=None):
    run_id = uuid7()
    message = kernel.Message.of("user", text)
    conversation_id = STORE.turn_open(
        run_id=run_id, conversation_id=conversation_id, user=user, agent="assistant", message=message
    )
    return run_id, conversation_id


def closed(run_id, conversation_id, *texts):
    messages = [kernel.Message.of("assistant", text) for text in texts]
    STORE.turn_close(run_id=run_id, conversation_id=conversation_id, messages=messages, status="completed")


@pytest.fixture
def alice(django_user_model):
    return django_user_model.objects.create_user("alice")


@pytest.fixture
def bob(django_user_model):
    return django_user_model.objects.create_user("bob")


def verbs(queries: CaptureQueriesContext) -> list[str]:
    return [query["sql"].split(" ", 1)[0] for query in queries.captured_queries]


@pytest.mark.django_db
def test_a_new_conversation_costs_two_inserts(alice):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        opened(alice)
    assert verbs(queries) == ["INSERT", "INSERT"]


@pytest.mark.django_db
def test_a_turn_in_an_old_conversation_costs_a_select_and_an_insert(alice):
    run_id, conversation_id = opened(alice)
    closed(run_id, conversation_id, "hi")
    with CaptureQueriesContext(connection) as queries:
        opened(alice, "more", conversation_id)
    assert verbs(queries) == ["SELECT", "INSERT"]


@pytest.mark.django_db
def test_closing_costs_three_statements_whatever_the_number_of_messages(alice):
    run_id, conversation_id = opened(alice)
    with CaptureQueriesContext(connection) as queries:
        closed(run_id, conversation_id, *map(str, range(20)))
    assert verbs(queries) == ["SELECT", "INSERT", "UPDATE"]


@pytest.mark.django_db
def test_messages_are_a_chain_with_the_head_at_its_end(alice):
    first, conversation_id = opened(alice, "one")
    closed(first, conversation_id, "1a", "1b")
    second, _ = opened(alice, "two", conversation_id)
    closed(second, conversation_id, "2")
    rows = list(Message.objects.filter(conversation_id=conversation_id))
    assert [row.text for row in rows] == ["one", "1a", "1b", "two", "2"]
    assert [row.position for row in rows] == [0, 1, 2, 3, 4]
    assert [row.parent_id for row in rows] == [None, *(row.id for row in rows[:-1])]
    assert [row.run_id for row in rows] == [first] * 3 + [second] * 2
    assert Conversation.objects.get().head == rows[-1].id


@pytest.mark.django_db
def test_an_answer_without_messages_leaves_the_input_as_head(alice):
    run_id, conversation_id = opened(alice)
    closed(run_id, conversation_id)
    assert Conversation.objects.get().head == Message.objects.get().id


@pytest.mark.django_db
def test_a_foreign_conversation_leaves_nothing_behind(alice, bob):
    _run, conversation_id = opened(alice)
    with pytest.raises(NotFound):
        opened(bob, "mine now", conversation_id)
    assert Message.objects.count() == 1


@pytest.mark.django_db
def test_a_conversation_made_empty_is_named_by_its_first_input(alice):
    conversation = Conversation.objects.create(user=alice, updated_at=timezone.now())
    opened(alice, "Flights to Oslo\nplease", conversation.pk)
    conversation.refresh_from_db()
    assert conversation.title == "Flights to Oslo"


@pytest.mark.django_db
def test_a_title_that_a_person_cleared_stays_empty(alice):
    run_id, conversation_id = opened(alice)
    closed(run_id, conversation_id, "hi")
    Conversation.objects.update(title="")
    opened(alice, "Something else", conversation_id)
    assert Conversation.objects.get().title == ""


@pytest.mark.django_db
def test_the_title_is_the_first_line_of_the_first_input(alice):
    _run, conversation_id = opened(alice, "\n  Flights to Oslo \nplease")
    assert Conversation.objects.get(pk=conversation_id).title == "Flights to Oslo"


@pytest.mark.django_db
def test_text_that_no_database_holds_is_cleaned_everywhere(alice):
    run_id, conversation_id = opened(alice, "a\x00b\ud800c")
    message = kernel.Message(
        role=kernel.Role.TOOL, contents=(kernel.FunctionResultContent("c", "t", {"k\x00": "v\udfff"}),)
    )
    STORE.turn_close(run_id=run_id, conversation_id=conversation_id, messages=[message], status="completed")
    first, second = Message.objects.all()
    assert first.text == "a\ufffdb\ufffdc"
    assert first.as_kernel().text == first.text
    assert second.as_kernel().results[0].result == {"k\ufffd": "v\ufffd"}


@pytest.mark.django_db(transaction=True)
def test_the_migration_goes_back_and_forth():
    call_command("migrate", "conversations", "zero", verbosity=0)
    assert "conversations_message" not in connection.introspection.table_names()
    call_command("migrate", "conversations", verbosity=0)
    assert "conversations_message" in connection.introspection.table_names()


@pytest.mark.django_db
def test_models_and_migrations_agree():
    call_command("makemigrations", "conversations", check=True, dry_run=True, verbosity=0)

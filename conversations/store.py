"""The conversation store: what the ground writes of a turn, in its own transaction."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from agentcore import messages as kernel
from agentcore.errors import NotFound
from conversations.models import Conversation, Message
from conversations.selectors import conversation_visible
from conversations.titles import title_of


class DatabaseConversationStore:
    """Conversations in the database. Implements ``agentcore.store.ConversationStore``."""

    def turn_open(
        self, *, run_id: UUID, conversation_id: UUID | None, user: Any, agent: str, message: kernel.Message
    ) -> UUID:
        """Two statements; three for the first turn of a conversation that was made without one.

        Raises:
            NotFound: the conversation is unknown or belongs to somebody else.
        """
        if conversation_id is None:
            return _turn_open_new(run_id, user, agent, message)
        conversation = _owned(conversation_id, user)
        _title_set(conversation, message.text)
        position = 0 if conversation.head_position is None else conversation.head_position + 1
        row = Message.of(message, run_id=run_id, position=position, created_at=timezone.now())
        row.conversation_id, row.parent_id = conversation.pk, conversation.head
        row.save(force_insert=True)
        return conversation.pk

    def turn_close(self, *, run_id: UUID, conversation_id: UUID, messages: list[kernel.Message], status: str) -> None:
        """Three statements. Does nothing when the turn was closed before, or when its conversation is gone."""
        own = list(Message.objects.filter(run_id=run_id).only("id", "role", "position").order_by("position"))
        if len(own) != 1:
            return
        now = timezone.now()
        rows = _chain(own[0], messages, run_id=run_id, conversation_id=conversation_id, now=now)
        Message.objects.bulk_create(rows)
        newest = rows[-1] if rows else own[0]
        Conversation.objects.filter(pk=conversation_id).update(head=newest.pk, updated_at=now)

    def agent_of(self, *, conversation_id: UUID, user: Any) -> str:
        """One statement.

        Raises:
            NotFound: the conversation is unknown or belongs to somebody else.
        """
        return conversation_visible(conversation_id, user).agent


def _turn_open_new(run_id: UUID, user: Any, agent: str, message: kernel.Message) -> UUID:
    now = timezone.now()
    row = Message.of(message, run_id=run_id, position=0, created_at=now)
    conversation = Conversation(user_id=user.pk, agent=agent, title=title_of(row.text), head=row.pk, updated_at=now)
    conversation.save(force_insert=True)
    row.conversation_id = conversation.pk
    row.save(force_insert=True)
    return conversation.pk


def _owned(conversation_id: UUID, user: Any) -> Any:
    """The conversation with ``head_position``, in one statement."""
    head = Message.objects.filter(pk=OuterRef("head")).values("position")
    found = Conversation.objects.visible_to(user).filter(pk=conversation_id)
    conversation = found.annotate(head_position=Subquery(head)).first()
    if conversation is None:
        raise NotFound()
    return conversation


def _title_set(conversation: Conversation, text: str) -> None:
    """Name a conversation that was made before anything was said in it."""
    if not conversation.title and conversation.head is None:
        Conversation.objects.filter(pk=conversation.pk).update(title=title_of(text))


def _chain(
    parent: Message, messages: list[kernel.Message], *, run_id: UUID, conversation_id: UUID, now: datetime
) -> list[Message]:
    """Rows for ``messages``, each the continuation of the one before."""
    rows: list[Message] = []
    for message in messages:
        row = Message.of(message, run_id=run_id, position=parent.position + 1, created_at=now)
        row.conversation_id, row.parent_id = conversation_id, parent.pk
        rows.append(row)
        parent = row
    return rows

"""Conversations that the process forgets: the same contracts as the database's pair, for tests and trials."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from agentcore import messages as kernel
from agentcore.errors import NotFound
from agentcore.ids import uuid7
from conversations.branches import before_run, for_model
from conversations.titles import title_of


@dataclass
class StoredMessage:
    """A message on its branch."""

    id: str
    parent_id: str | None
    run_id: UUID
    message: kernel.Message


@dataclass
class StoredConversation:
    """A thread of one person; ``messages`` are in the order in which they were stored."""

    user_id: Any
    title: str
    agent: str
    head: str | None = None
    messages: list[StoredMessage] = field(default_factory=list)

    def append(self, run_id: UUID, parent_id: str | None, message: kernel.Message) -> None:
        self.messages.append(StoredMessage(message.id, parent_id, run_id, message))


Shelf = dict[UUID, StoredConversation]
SHELF: Shelf = {}


class MemoryConversationStore:
    """Implements ``agentcore.store.ConversationStore`` without a transaction: nothing is rolled back."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.shelf = SHELF if shelf is None else shelf

    def turn_open(
        self, *, run_id: UUID, conversation_id: UUID | None, user: Any, agent: str, message: kernel.Message
    ) -> UUID:
        """
        Raises:
            NotFound: the conversation is unknown or belongs to somebody else.
        """
        if conversation_id is None:
            conversation_id = uuid7()
            self.shelf[conversation_id] = StoredConversation(user.pk, title_of(message.text), agent)
        conversation = self._owned(conversation_id, user)
        conversation.append(run_id, conversation.head, message)
        return conversation_id

    def turn_close(self, *, run_id: UUID, conversation_id: UUID, messages: list[kernel.Message], status: str) -> None:
        """Does nothing when the turn was closed before, or when its conversation is gone."""
        conversation = self.shelf.get(conversation_id)
        own = [item for item in conversation.messages if item.run_id == run_id] if conversation else []
        if conversation is None or len(own) != 1:
            return
        conversation.head = own[0].id
        for message in messages:
            conversation.append(run_id, conversation.head, message)
            conversation.head = message.id

    def agent_of(self, *, conversation_id: UUID, user: Any) -> str:
        """
        Raises:
            NotFound: the conversation is unknown or belongs to somebody else.
        """
        return self._owned(conversation_id, user).agent

    def _owned(self, conversation_id: UUID, user: Any) -> StoredConversation:
        conversation = self.shelf.get(conversation_id)
        if conversation is None or conversation.user_id != user.pk:
            raise NotFound()
        return conversation


class MemoryHistory:
    """Implements ``agentcore.agents.history.HistoryProvider`` over the same shelf."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.shelf = SHELF if shelf is None else shelf

    async def load(self, conversation_id: UUID, *, run_id: UUID) -> list[kernel.Message]:
        """The branch before this run's input, oldest first, stamped ``ChatHistory``; no error among it."""
        conversation = self.shelf.get(conversation_id)
        stored = conversation.messages if conversation else []
        return for_model((item.run_id, item.message) for item in before_run(run_id, stored))

"""What the ground needs of whoever keeps conversations, inside the ground's own transaction."""

from typing import Any, Protocol
from uuid import UUID

from agentcore.messages import Message


class ConversationStore(Protocol):
    """Keeps what a person sees, named by a dotted path in ``STEWARD["CONVERSATION_STORE"]``.

    Synchronous on purpose: a turn is opened and closed inside the transaction that opens or ends the run, so that a
    run and its messages exist together or not at all.
    """

    def turn_open(self, *, run_id: UUID, conversation_id: UUID | None, user: Any, agent: str, message: Message) -> UUID:
        """Store the person's message; return the conversation, a new one when ``conversation_id`` is None.

        Raises:
            NotFound: the conversation is unknown or belongs to somebody else.
        """

    def turn_close(self, *, run_id: UUID, conversation_id: UUID, messages: list[Message], status: str) -> None:
        """Store what the run added, calls paired with their results, and how it ended. Called once a run."""

    def agent_of(self, *, conversation_id: UUID, user: Any) -> str:
        """The agent that answers in this conversation unless the person asks for another; empty when none was named.

        Raises:
            NotFound: the conversation is unknown or belongs to somebody else.
        """

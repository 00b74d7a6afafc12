"""History: what was said before, read at the start of a run and stamped as such."""

from typing import Protocol
from uuid import UUID

from agentcore.messages import Message


class HistoryProvider(Protocol):
    """Reads the messages of a conversation, named by a dotted path in ``STEWARD["HISTORY_PROVIDER"]``.

    It only reads: what is new is stored with the run's own rows, in their transaction.
    """

    async def load(self, conversation_id: UUID, *, run_id: UUID) -> list[Message]:
        """The messages before this run's, oldest first, stamped ``ChatHistory``."""

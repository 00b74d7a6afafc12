"""The history provider: what was said before, read from the database."""

from uuid import UUID

from agentcore.messages import Message
from conversations.bridge import ahistory_load


class DatabaseHistory:
    """Implements ``agentcore.agents.history.HistoryProvider``. One query a run."""

    async def load(self, conversation_id: UUID, *, run_id: UUID) -> list[Message]:
        """The branch before this run's input, oldest first, stamped ``ChatHistory``; no error among it."""
        return await ahistory_load(conversation_id, run_id=run_id)

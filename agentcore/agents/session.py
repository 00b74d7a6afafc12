"""A session: what joins the runs of one conversation."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class AgentSession:
    """Without a conversation an agent remembers nothing."""

    conversation_id: UUID | None = None

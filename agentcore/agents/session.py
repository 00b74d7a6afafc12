"""A session: what an agent keeps between two runs of one conversation."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(kw_only=True)
class AgentSession:
    """Opaque to callers: they hand back the one that the agent gave them."""

    conversation_id: UUID | None = None
    state: dict[str, Any] = field(default_factory=dict)

"""What the ground needs of whoever keeps conversations: see ``agentcore.store``."""

from agentcore.store import ConversationStore

__all__ = ["ConversationStore"]

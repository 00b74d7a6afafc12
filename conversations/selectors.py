"""Reads of conversations."""

from uuid import UUID

from agentcore import messages as kernel
from conversations.branches import before_run, for_model
from conversations.models import Conversation, Message


def history_load(conversation_id: UUID, *, run_id: UUID) -> list[kernel.Message]:
    """What a model may read of the conversation before this run's input, oldest first. One query."""
    columns = ("id", "parent_id", "run_id", "role", "contents", "author_name")
    rows = Message.objects.filter(conversation_id=conversation_id).only(*columns)
    return for_model((row.run_id, row.as_kernel()) for row in before_run(run_id, rows))


def conversation_title(conversation_id: UUID) -> str:
    """Empty when it has none, or is gone. One query."""
    return Conversation.objects.filter(pk=conversation_id).values_list("title", flat=True).first() or ""

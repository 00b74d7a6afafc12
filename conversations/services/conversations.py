"""Conversations as a person changes them: made, named, pinned, deleted."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agentcore.conf import steward
from agentcore.errors import NotFound
from agentcore.models import AgentProfile
from agentcore.services.purge import runs_purge
from conversations.models import Conversation


def conversation_create(*, user: Any, agent: str = "", title: str = "", pinned: bool = False) -> Conversation:
    """An empty conversation; its first input names it unless ``title`` does.

    Raises:
        NotFound: the agent is unknown or disabled.
    """
    if agent and not AgentProfile.objects.filter(slug=agent, enabled=True).exists():
        raise NotFound()
    return Conversation.objects.create(
        user=user, agent=agent or steward().DEFAULT_AGENT, title=title, pinned=pinned, updated_at=timezone.now()
    )


def conversation_update(*, user: Any, conversation_id: UUID, **changes: Any) -> None:
    """Set ``title`` and ``pinned``; neither makes a conversation newer.

    Raises:
        NotFound: unknown, or somebody else's.
    """
    found = Conversation.objects.visible_to(user).filter(pk=conversation_id)
    if not found.exists():
        raise NotFound()
    if changes:
        found.update(**changes)


@transaction.atomic
def conversation_delete(*, user: Any, conversation_id: UUID) -> None:
    """Delete a conversation, its messages, and their text in the runs. What is on record stays.

    Raises:
        NotFound: unknown, or somebody else's.
        ConversationBusy: it has a run that has not ended.
    """
    # Locked: a run that opens now inserts a message, which waits for this row and then finds it gone.
    conversation = Conversation.objects.visible_to(user).select_for_update().filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound()
    conversation_purge(conversation)


@transaction.atomic
def conversation_purge(conversation: Conversation) -> None:
    """The same for whoever may delete it without being its owner.

    Raises:
        ConversationBusy: it has a run that has not ended.
    """
    runs_purge(conversation.pk)
    conversation.delete()

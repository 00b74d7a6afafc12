"""Feedback: what a person thinks of an answer."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from agentcore.errors import NotFound, ValidationFailed
from conversations.models import Conversation, Feedback, Message


@transaction.atomic
def feedback_give(
    *, user: Any, conversation_id: UUID, message_id: UUID, rating: str | None, comment: str = ""
) -> Feedback:
    """Put this in the place of what was said before; neither rating nor comment takes it back.

    Raises:
        NotFound: the conversation or the message in it is unknown, or somebody else's.
        ValidationFailed: the message is no answer.
    """
    conversations = Conversation.objects.visible_to(user).filter(pk=conversation_id)
    message = Message.objects.filter(pk=message_id, conversation__in=conversations).only("role").first()
    if message is None:
        raise NotFound()
    if message.role != Message.Role.ASSISTANT:
        raise ValidationFailed(_("Only an answer can be rated."))
    if rating is None and not comment:
        Feedback.objects.filter(message=message).delete()
        return Feedback(message=message)
    return Feedback.objects.update_or_create(message=message, defaults={"rating": rating, "comment": comment})[0]

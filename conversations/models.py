"""Conversations: the threads that a person sees, and the messages in them."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agentcore import messages as kernel
from agentcore.ids import uuid7
from agentcore.serialisation import contents_from_json, contents_to_json
from agentcore.text import clean_json, clean_text


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def visible_to(self, user: Any) -> "ConversationQuerySet":
        """The conversations of ``user``; nobody reads another's."""
        return self.filter(user_id=user.pk)

    def matching(self, words: str) -> "ConversationQuerySet":
        """Those whose title or messages hold ``words``, without regard to case."""
        if not words:
            return self
        said = Message.objects.filter(conversation=models.OuterRef("pk"), text__icontains=words)
        return self.filter(Q(title__icontains=words) | models.Exists(said))


class Conversation(models.Model):
    """A thread of one person. It points at its newest message, the end of the branch that is shown."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        related_name="steward_conversations",
        db_index=False,
    )
    title = models.CharField(_("title"), max_length=200, blank=True)
    agent = models.CharField(_("agent"), max_length=64, blank=True)
    pinned = models.BooleanField(_("pinned"), default=False)
    # No foreign key: messages point here already, and a cycle would make both hard to insert and to delete.
    head = models.UUIDField(null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"))

    objects = ConversationQuerySet.as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering = ["-updated_at", "-id"]
        indexes = [models.Index(fields=["user", "updated_at", "id"], name="conversation_by_user_newest")]

    def __str__(self) -> str:
        # Not the title: this stands on admin pages and in their log, and a title is the person's own text.
        return str(self.id)


class Message(models.Model):
    """A stored message. Its parent is what it answers, so one message may have several continuations."""

    class Role(models.TextChoices):
        SYSTEM = "system", _("system")
        USER = "user", _("user")
        ASSISTANT = "assistant", _("assistant")
        TOOL = "tool", _("tool")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    conversation = models.ForeignKey(
        Conversation, verbose_name=_("conversation"), on_delete=models.CASCADE, related_name="messages", db_index=False
    )
    parent = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="continuations")
    # No foreign key: runs are rows of the ground, and retention may delete them before the conversation.
    run_id = models.UUIDField(null=True, db_index=True)
    role = models.CharField(_("role"), max_length=16, choices=Role.choices)
    # The text contents once more, plain: for display and search.
    text = models.TextField(_("text"), blank=True)
    contents = models.JSONField(_("contents"), encoder=DjangoJSONEncoder)
    author_name = models.CharField(max_length=150, null=True, blank=True)  # noqa: DJ001 - null is the kernel's own
    # How many messages come before it on its branch.
    position = models.PositiveIntegerField()
    created_at = models.DateTimeField(_("created"))

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["position", "created_at", "id"]
        indexes = [models.Index(fields=["conversation", "position"], name="message_by_conversation")]
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=["system", "user", "assistant", "tool"]), name="message_role_is_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.id}"

    @classmethod
    def of(cls, message: kernel.Message, **fields: Any) -> "Message":
        """The row of a kernel message, not saved yet."""
        return cls(
            id=UUID(message.id),
            role=message.role.value,
            text=clean_text(message.text),
            contents=clean_json(contents_to_json(message.contents)),
            author_name=message.author_name,
            **fields,
        )

    def as_kernel(self) -> kernel.Message:
        """
        Raises:
            UnknownFormat: the contents were stored by a version that this code does not know.
        """
        return kernel.Message(
            id=str(self.id),
            role=kernel.Role(self.role),
            contents=contents_from_json(self.contents),
            author_name=self.author_name,
        )


class Feedback(models.Model):
    """What the person thinks of an answer. No row is no opinion."""

    class Rating(models.TextChoices):
        UP = "up", _("good")
        DOWN = "down", _("bad")

    message = models.OneToOneField(
        Message, verbose_name=_("message"), on_delete=models.CASCADE, primary_key=True, related_name="feedback"
    )
    # Null: a comment without a rating.
    rating = models.CharField(_("rating"), max_length=4, choices=Rating.choices, null=True)  # noqa: DJ001
    comment = models.TextField(_("comment"), blank=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("feedback")
        verbose_name_plural = _("feedback")
        constraints = [models.CheckConstraint(condition=Q(rating__in=["up", "down"]), name="feedback_rating_is_known")]

    def __str__(self) -> str:
        return f"{self.rating} {self.message_id}"

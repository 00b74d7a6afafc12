"""Reads of conversations."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agentcore import messages as kernel
from agentcore.errors import NotFound
from agentcore.models import Run
from conversations.branches import before_run, for_model, path_to
from conversations.models import Conversation, Message

RUN_COLUMNS = (
    "status",
    "finish_reason",
    "cancel_reason",
    "provider_id",
    "model",
    "usage",
    "cost",
    "currency",
    "error",
    "finished_at",
)


@dataclass(frozen=True)
class Thread:
    """The messages that a person sees, oldest first, their runs, and the one that is still answering, if any."""

    messages: list[Message]
    runs: list[Run]
    open_run_id: UUID | None


def conversation_title(conversation_id: UUID) -> str:
    """Empty when it has none, or is gone. 1 query."""
    return Conversation.objects.filter(pk=conversation_id).values_list("title", flat=True).first() or ""


def conversation_visible(conversation_id: UUID, user: Any) -> Conversation:
    """1 query.

    Raises:
        NotFound: unknown, or somebody else's.
    """
    conversation = Conversation.objects.visible_to(user).filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound()
    return conversation


def open_runs(conversation_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """The run that has not ended, by conversation. 1 query."""
    rows = Run.objects.open().filter(conversation_id__in=list(conversation_ids))
    return {conversation: run for conversation, run in rows.values_list("conversation_id", "id") if conversation}


def thread_load(conversation: Conversation) -> Thread:
    """The branch that ends with the newest message, or with the input that is being answered. 3 queries."""
    open_run_id = open_runs([conversation.pk]).get(conversation.pk)
    rows = {row.pk: row for row in Message.objects.filter(conversation=conversation).select_related("feedback")}
    unanswered = next((row.pk for row in rows.values() if open_run_id and row.run_id == open_run_id), None)
    messages = path_to(unanswered or conversation.head, rows)
    shown = {message.run_id for message in messages}
    # All of the conversation: a list of ids would grow with it, beyond what a statement takes.
    runs = Run.objects.filter(conversation_id=conversation.pk).only(*RUN_COLUMNS)
    return Thread(messages, [run for run in runs if run.pk in shown], open_run_id)


def history_load(conversation_id: UUID, *, run_id: UUID) -> list[kernel.Message]:
    """What a model may read of the conversation before this run's input, oldest first. 1 query."""
    columns = ("id", "parent_id", "run_id", "role", "contents", "author_name")
    rows = Message.objects.filter(conversation_id=conversation_id).only(*columns)
    return for_model((row.run_id, row.as_kernel()) for row in before_run(run_id, rows))

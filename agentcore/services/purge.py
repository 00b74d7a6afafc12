"""Purging: takes a person's text out of the ground's rows, and leaves what is on record."""

from uuid import UUID

from django.db import transaction

from agentcore.errors import ConversationBusy
from agentcore.models import PermissionRequest, Run, RunEvent, RunStep, ToolCall


@transaction.atomic
def runs_purge(conversation_id: UUID) -> None:
    """Delete the events of a conversation's runs, and blank what was asked, answered and passed to tools.

    The runs stay, with their ids, usage and cost: ledger and audit point at them. The caller keeps new runs out, by
    a lock on whatever a run of this conversation must touch.

    Raises:
        ConversationBusy: one of its runs has not ended.
    """
    runs = Run.objects.filter(conversation_id=conversation_id)
    if runs.open().exists():
        raise ConversationBusy()
    RunEvent.objects.filter(run__in=runs).delete()
    RunStep.objects.filter(run__in=runs).delete()
    ToolCall.objects.filter(run__in=runs).update(arguments={}, result=None, error=None)
    PermissionRequest.objects.filter(run__in=runs).update(arguments={}, decided_arguments=None, summary="", reason="")
    runs.update(input="", output="", citations=[], error=None)

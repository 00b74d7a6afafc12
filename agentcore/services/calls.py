"""Tool call rows: proposed, claimed before the effect, settled once."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from agentcore.models import ToolCall
from agentcore.services.leases import LeaseLost


@dataclass(frozen=True, kw_only=True)
class CallRow:
    """A proposed call, as it is stored."""

    call_id: str
    step: int
    name: str
    arguments: dict[str, Any]
    argument_hash: str
    definition_hash: str
    effect: str
    idempotent: bool
    created_at: datetime


def calls_propose(*, run_id: UUID, fence: int, rows: list[CallRow]) -> None:
    """Insert the calls of a step, in the caller's transaction."""
    ToolCall.objects.bulk_create(ToolCall(run_id=run_id, fence=fence, **asdict(row)) for row in rows)


def call_claim(*, run_id: UUID, call_id: str, fence: int) -> None:
    """Mark a proposed call as executing, before its effect.

    Raises:
        LeaseLost: it is not proposed any more, or belongs to another owner by now: it must not run.
    """
    proposed = ToolCall.objects.filter(run_id=run_id, call_id=call_id, fence=fence, status=ToolCall.Status.PROPOSED)
    if not proposed.update(status=ToolCall.Status.EXECUTING):
        raise LeaseLost(run_id)


def call_settle(
    *,
    run_id: UUID,
    call_id: str,
    fence: int,
    status: str,
    result: Any,
    error: dict[str, str] | None,
    finished_at: datetime,
) -> None:
    """Store the one result of a call.

    Raises:
        LeaseLost: it was settled before, or by another owner.
    """
    unsettled = ToolCall.objects.filter(run_id=run_id, call_id=call_id, fence=fence, status__in=ToolCall.UNSETTLED)
    if not unsettled.update(status=status, result=result, error=error, finished_at=finished_at):
        raise LeaseLost(run_id)

"""How a run ends: its last event, its row, and the observation that its records need."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from agentcore.agents.agent import answer_text
from agentcore.agents.context import Total, cost_text
from agentcore.chat import Route
from agentcore.events import EventType
from agentcore.messages import ErrorContent, Message, Role, Usage
from agentcore.models import Run
from agentcore.observers import Cost, RunEnded, RunStarted
from agentcore.services.runs import RunEnding

TERMINAL_EVENT = {
    Run.Status.COMPLETED: EventType.RUN_COMPLETED,
    Run.Status.FAILED: EventType.RUN_FAILED,
    Run.Status.CANCELLED: EventType.RUN_CANCELLED,
}


def ending_of(
    status: str,
    *,
    messages: list[Message],
    total: Total,
    model_calls: int,
    finished_at: datetime,
    last_sequence: int,
    answered: Route | None = None,
    finish_reason: str = "",
    cancel_reason: str = "",
    error: dict[str, str] | None = None,
) -> RunEnding:
    """The ending; an error becomes a marker in the conversation, which the person sees and no model does."""
    if error is not None:
        marker = ErrorContent(error["code"], error["message"])
        messages = [*messages, Message(role=Role.ASSISTANT, contents=(marker,))]
    return RunEnding(
        status=status,
        finish_reason=finish_reason,
        cancel_reason=cancel_reason,
        output=answer_text(messages),
        messages=tuple(messages),
        provider_id=answered.provider_id if answered else "",
        model=answered.model if answered else "",
        usage=total.usage.as_json(),
        cost=total.cost,
        currency=total.currency,
        model_calls=model_calls,
        error=error,
        last_sequence=last_sequence,
        finished_at=finished_at,
    )


def terminal_data(ending: RunEnding) -> dict[str, Any]:
    """The data of the run's last event."""
    data: dict[str, Any] = {
        "output": ending.output,
        "usage": ending.usage,
        "cost": cost_text(ending.cost),
        "currency": ending.currency,
    }
    if ending.status == Run.Status.COMPLETED:
        route = {"provider_id": ending.provider_id, "model": ending.model}
        return data | route | {"finish_reason": ending.finish_reason}
    if ending.status == Run.Status.FAILED:
        return data | {"error": ending.error}
    return data | {"reason": ending.cancel_reason}


def started_observation(run: Run) -> RunStarted:
    requested = Route(run.requested_provider_id, run.requested_model) if run.requested_provider_id else None
    return RunStarted(
        at=run.started_at or run.created_at,
        agent=run.agent,
        purpose=run.purpose,
        conversation_id=run.conversation_id,
        user_id=str(run.user_id),
        username=run.username,
        tenant=run.tenant,
        requested=requested,
        input=run.input,
        config=run.config,
    )


def ended_observation(run: Run, *, tool_calls: int) -> RunEnded:
    """The observation of an ended run, made from its row: the same whoever delivers it, and whenever."""
    finished_at = run.finished_at or run.created_at
    began = run.started_at or run.created_at
    return RunEnded(
        at=finished_at,
        started=started_observation(run),
        status=run.status,
        finish_reason=run.finish_reason,
        answered=Route(run.provider_id, run.model) if run.provider_id else None,
        usage=Usage(**run.usage),
        cost=Cost(amount=None if run.cost is None else Decimal(run.cost), currency=run.currency),
        model_calls=run.model_calls,
        tool_calls=tool_calls,
        error=run.error,
        cancel_reason=run.cancel_reason,
        duration_ms=max(0, round((finished_at - began).total_seconds() * 1000)),
    )

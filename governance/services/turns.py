"""The turn's row: made by whichever observation comes first, made whole by the last."""

from collections.abc import Iterable
from typing import Any, TypeVar
from uuid import UUID

from agentcore.observers import Observation, RunEnded, RunStarted
from governance.models import Turn
from governance.services.columns import counted, fitted, metered
from governance.services.rollups import day_open

Kind = TypeVar("Kind")


def turn_put(run_id: UUID, observations: list[Observation]) -> None:
    """Write what ``observations`` say of the run itself, in one statement; none when they say nothing of it.

    One more when it began on a day that is over. A start that comes again after the end changes nothing of how the
    run ended.
    """
    started, ended = first_of(RunStarted, observations), first_of(RunEnded, observations)
    values = turn_values(started, ended)
    if values:
        day_open(values["started_at"])
        Turn.objects.bulk_create(
            [Turn(run_id=run_id, **values)],
            update_conflicts=True,
            unique_fields=["run_id"],
            update_fields=list(values),
        )


def turn_ensure(run_id: UUID, observations: list[Observation]) -> None:
    """Make the row when nobody did: a late observation is never lost for want of its turn."""
    values = turn_values(first_of(RunStarted, observations), first_of(RunEnded, observations))
    turn = Turn(run_id=run_id, **({"started_at": observations[0].at} | values))
    day_open(turn.started_at)
    Turn.objects.bulk_create([turn], ignore_conflicts=True)


def first_of(kind: type[Kind], observations: Iterable[Observation]) -> Kind | None:
    return next((item for item in observations if isinstance(item, kind)), None)


def turn_values(started: RunStarted | None, ended: RunEnded | None) -> dict[str, Any]:
    """The columns that a start, an end, or both say."""
    begun = started or (ended.started if ended else None)
    values = _started_values(begun) if begun else {}
    return fitted(Turn, values | (_ended_values(ended) if ended else {}))


def _started_values(started: RunStarted) -> dict[str, Any]:
    return {
        "user_id": started.user_id or "",
        "username": started.username,
        "tenant": started.tenant,
        "agent": started.agent,
        "conversation_id": started.conversation_id,
        "purpose": started.purpose,
        "requested_provider_id": started.requested.provider_id if started.requested else "",
        "requested_model": started.requested.model if started.requested else "",
        "started_at": started.at,
    }


def _ended_values(ended: RunEnded) -> dict[str, Any]:
    return {
        "provider_id": ended.answered.provider_id if ended.answered else "",
        "model": ended.answered.model if ended.answered else "",
        "status": ended.status,
        "finish_reason": ended.finish_reason,
        "cancel_reason": ended.cancel_reason,
        "error_code": (ended.error or {}).get("code", ""),
        **metered(ended.usage, ended.cost),
        "model_calls": counted(ended.model_calls),
        "tool_calls": counted(ended.tool_calls),
        "finished_at": ended.at,
        "duration_ms": counted(ended.duration_ms),
    }

"""Settled steps: the exact messages that a resumed run goes on from."""

from typing import Any
from uuid import UUID

from agentcore.models import RunStep


def step_settle(*, run_id: UUID, step: int, messages: list[dict[str, Any]]) -> None:
    """Store everything the run added up to this step, in the caller's transaction."""
    RunStep.objects.create(run_id=run_id, step=step, messages=messages)

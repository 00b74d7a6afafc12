"""JSON shapes of the contract."""

from datetime import datetime
from typing import Any

from agentcore.agents.context import cost_text
from agentcore.conf import loaded, steward
from agentcore.messages import Usage
from agentcore.models import Run
from agentcore.selectors import Trace, last_sequence


def _time(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def run_json(run: Run) -> dict[str, Any]:
    """A run, for its owner."""
    return {
        "run_id": str(run.id),
        "conversation_id": str(run.conversation_id) if run.conversation_id else None,
        "agent": run.agent,
        "status": run.status,
        "finish_reason": run.finish_reason or None,
        "input": run.input,
        "output": run.output,
        "provider_id": run.provider_id or None,
        "model": run.model or None,
        "requested_provider_id": run.requested_provider_id or None,
        "requested_model": run.requested_model or None,
        "usage": run.usage or Usage().as_json(),
        "cost": cost_text(run.cost),
        "currency": run.currency,
        "citations": run.citations,
        "error": run.error,
        "pending_permissions": [],
        "config": run.config,
        "links": [found for link in loaded(steward().RUN_LINKS) if (found := link(run))],
        "last_sequence": last_sequence(run),
        "created_at": _time(run.created_at),
        "started_at": _time(run.started_at),
        "finished_at": _time(run.finished_at),
    }


def trace_json(trace: Trace) -> dict[str, Any]:
    """One page of a trace."""
    run = trace.run
    return {
        "run": run_json(run),
        "events": [event.envelope() for event in trace.events],
        "next_after_sequence": trace.after,
        "has_more": trace.has_more,
        "summary": {
            "model_calls": run.model_calls,
            "tool_calls": trace.tool_calls,
            "duration_ms": _duration_ms(run),
            "usage": run.usage or Usage().as_json(),
            "cost": cost_text(run.cost),
        },
    }


def _duration_ms(run: Run) -> int | None:
    if run.started_at is None or run.finished_at is None:
        return None
    return round((run.finished_at - run.started_at).total_seconds() * 1000)

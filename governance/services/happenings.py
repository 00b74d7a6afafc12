"""What each observation is in the audit: an action, a key that makes it unique in its turn, a payload."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agentcore.observers import (
    ApprovalAsked,
    ApprovalDecided,
    GuardrailHit,
    Observation,
    RunEnded,
    RunStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from governance.models import AuditEvent

Action = AuditEvent.Action
AGENT, SYSTEM = "agent", "system"


@dataclass(frozen=True, kw_only=True)
class Happening:
    """An audit event before it has a number. The payload is not yet masked."""

    key: str
    action: Action
    at: datetime
    actor: str
    payload: dict[str, Any]


def happenings(observations: list[Observation]) -> list[Happening]:
    """In order, each once. The request of a run comes with its start, else with its end, which repeats the start."""
    found = {item.key: item for observation in observations for item in _of(observation)}
    return list(found.values())


def _of(observation: Observation) -> list[Happening]:
    match observation:
        case RunStarted():
            return [_request(observation)]
        case ToolCallStarted():
            return [_tool_call(observation)]
        case ToolCallFinished():
            return [_tool_result(observation)]
        case GuardrailHit():
            return [_guardrail(observation)]
        case ApprovalAsked():
            return [_asked(observation)]
        case ApprovalDecided():
            return [_decided(observation)]
        case RunEnded():
            return [_request(observation.started), *_error(observation), _stop(observation)]
        case _:
            return []


def _request(item: RunStarted) -> Happening:
    payload = {
        "input": item.input,
        "agent": item.agent,
        "purpose": item.purpose,
        "requested": str(item.requested) if item.requested else None,
        "conversation_id": str(item.conversation_id) if item.conversation_id else None,
        "config": item.config,
    }
    return Happening(key="request", action=Action.REQUEST, at=item.at, actor=item.username, payload=payload)


def _tool_call(item: ToolCallStarted) -> Happening:
    payload = {
        "call_id": item.call_id,
        "tool": item.name,
        "step": item.step,
        "effect": item.effect,
        "category": item.category,
        "arguments": item.arguments,
    }
    key = f"tool_call:{item.call_id}"
    return Happening(key=key, action=Action.TOOL_CALL, at=item.at, actor=AGENT, payload=payload)


def _tool_result(item: ToolCallFinished) -> Happening:
    payload = {
        "call_id": item.call_id,
        "tool": item.name,
        "step": item.step,
        "status": item.status.value,
        "result": item.result,
        "error": item.error,
        "detail": item.detail,
        "duration_ms": item.duration_ms,
    }
    key = f"tool_result:{item.call_id}"
    return Happening(key=key, action=Action.TOOL_RESULT, at=item.at, actor=AGENT, payload=payload)


def _guardrail(item: GuardrailHit) -> Happening:
    payload = {"guardrail": item.guardrail, "stage": item.stage, "message": item.message}
    key = f"guardrail:{item.guardrail}:{item.stage}:{item.at.isoformat()}"
    return Happening(key=key, action=Action.GUARDRAIL, at=item.at, actor=SYSTEM, payload=payload)


def _asked(item: ApprovalAsked) -> Happening:
    payload = {
        "request_id": item.request_id,
        "call_id": item.call_id,
        "tool": item.tool,
        "permission": item.permission,
        "arguments": item.arguments,
    }
    key = f"asked:{item.request_id}"
    return Happening(key=key, action=Action.APPROVAL, at=item.at, actor=AGENT, payload=payload)


def _decided(item: ApprovalDecided) -> Happening:
    payload = {
        "request_id": item.request_id,
        "call_id": item.call_id,
        "tool": item.tool,
        "decision": item.decision,
        "reason": item.reason,
    }
    key = f"decided:{item.request_id}"
    return Happening(key=key, action=Action.APPROVAL, at=item.at, actor=item.decided_by, payload=payload)


def _error(item: RunEnded) -> list[Happening]:
    if item.error is None:
        return []
    return [Happening(key="error", action=Action.ERROR, at=item.at, actor=SYSTEM, payload={"error": item.error})]


def _stop(item: RunEnded) -> Happening:
    payload = {
        "status": item.status,
        "finish_reason": item.finish_reason,
        "cancel_reason": item.cancel_reason,
        "duration_ms": item.duration_ms,
        "model_calls": item.model_calls,
        "tool_calls": item.tool_calls,
    }
    by_person = item.cancel_reason in {"user", "superseded"}
    actor = item.started.username if by_person else SYSTEM if item.status != "completed" else AGENT
    return Happening(key="stop", action=Action.STOP, at=item.at, actor=actor, payload=payload)

"""Labels: the names and codes of a record in the reader's words. A name that has none stands for itself."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from agentcore.models import PermissionRequest, Run, ToolCall
from governance.pages.reasons import reason_words
from governance.pages.withholding import Fact

NAMES = {
    "agent": _("agent"),
    "arguments": _("arguments"),
    "call_id": _("call"),
    "cancel_reason": _("cancelled by"),
    "category": _("category"),
    "config": _("configuration"),
    "conversation_id": _("conversation"),
    "cost": _("cost"),
    "currency": _("currency"),
    "decided_by": _("decided by"),
    "decision": _("decision"),
    "detail": _("detail"),
    "discard": _("void messages"),
    "duration_ms": _("duration (ms)"),
    "editable": _("editable"),
    "effect": _("effect"),
    "error": _("error"),
    "expires_at": _("expires at"),
    "finish_reason": _("finish reason"),
    "for_ui": _("shown on the card"),
    "from": _("from"),
    "guardrail": _("guardrail"),
    "input": _("input"),
    "invalidates": _("makes out of date"),
    "message": _("message"),
    "message_id": _("message id"),
    "model": _("model"),
    "model_calls": _("model calls"),
    "name": _("name"),
    "number": _("number"),
    "output": _("output"),
    "permission": _("permission"),
    "provider_id": _("provider"),
    "purpose": _("purpose"),
    "reason": _("reason"),
    "request_id": _("request"),
    "requested": _("requested"),
    "result": _("result"),
    "score": _("score"),
    "snippet": _("snippet"),
    "source": _("source"),
    "stage": _("stage"),
    "status": _("status"),
    "step": _("step"),
    "strategy": _("strategy"),
    "summary": _("summary"),
    "text": _("text"),
    "title": _("title"),
    "to": _("to"),
    "tokens_after": _("tokens after"),
    "tokens_before": _("tokens before"),
    "tool": _("tool"),
    "tool_calls": _("tool calls"),
    "url": _("address"),
    "usage": _("usage"),
}
_STATUSES = dict([*Run.Status.choices, *ToolCall.Status.choices])
_DECISIONS = dict(PermissionRequest.Decision.choices)
_CODES: dict[str, Callable[[str], object]] = {
    "status": lambda code: _STATUSES.get(code, code),
    "decision": lambda code: _DECISIONS.get(code, code),
    "finish_reason": reason_words,
    "cancel_reason": reason_words,
    "reason": reason_words,
}


def labelled(facts: Iterable[Fact]) -> list[Fact]:
    """``facts`` as a page shows them."""
    return [
        replace(fact, name=str(NAMES.get(fact.name, fact.name)), text=str(_CODES.get(fact.name, str)(fact.text)))
        for fact in facts
    ]

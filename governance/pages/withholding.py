"""Whose text it is: a run's text belongs to its owner; everyone else sees that it is there, and how long it is.

An allow list: what is not named here counts as text, so that a new field is hidden until somebody thought about it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Fields that say what happened and nothing of what was said.
PLAIN = frozenset(
    {
        *("message_id", "call_id", "request_id", "conversation_id", "step", "number", "discard"),
        *("agent", "purpose", "requested", "config", "provider_id", "model", "from", "to"),
        *("name", "tool", "category", "effect", "permission", "guardrail", "stage", "invalidates"),
        *("status", "finish_reason", "cancel_reason", "decision", "decided_by", "editable", "expires_at"),
        *("usage", "cost", "currency", "duration_ms", "model_calls", "tool_calls", "score"),
        *("strategy", "tokens_before", "tokens_after"),
    }
)
# A failure's class, as in "ValueError: …".
_CLASS = re.compile(r"[A-Za-z_][\w.]{0,80}(?=:|\Z)")
_LONG = 140


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A field of a record. ``length`` is that of withheld text, in characters; its ``text`` is then empty."""

    name: str
    text: str
    length: int | None = None

    @property
    def is_long(self) -> bool:
        return len(self.text) > _LONG or "\n" in self.text


def facts_of(data: Mapping[str, Any], *, may_read: bool) -> list[Fact]:
    """The fields of an event or a payload, empty ones left out, for a reader who may or may not read its text."""
    fields = data.items() if may_read else _split(data).items()
    return [_fact(name, value, may_read=may_read) for name, value in fields if not _is_empty(value)]


def _split(data: Mapping[str, Any]) -> dict[str, Any]:
    """An error's code and a detail's class say what went wrong; the rest of them may quote the person."""
    fields = dict(data)
    if isinstance(fields.get("error"), Mapping):
        fields["error_code"] = fields["error"].get("code", "")
    detail = fields.get("detail")
    if isinstance(detail, str) and (found := _CLASS.match(detail)):
        fields["detail_class"] = found[0]
    reason = fields.get("reason")
    if isinstance(reason, str) and _REASON.fullmatch(reason):
        fields["reason_code"] = fields.pop("reason")
    return fields


# A reason of ours, "user" or "PROVIDER_TIMEOUT"; one that a person wrote is text.
_REASON = re.compile(r"user|superseded|shutdown|[A-Z]+(?:_[A-Z]+)+")
_MADE_HERE = frozenset({"error_code", "detail_class", "reason_code"})


def _fact(name: str, value: Any, *, may_read: bool) -> Fact:
    text = _text(value)
    if may_read or name in PLAIN or name in _MADE_HERE:
        return Fact(name=name, text=text)
    return Fact(name=name, text="", length=len(text))


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and all(_is_flat(item) for item in value.values()):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items() if not _is_empty(item))
    flat = json.dumps(value, ensure_ascii=False)
    return flat if len(flat) <= _LONG else json.dumps(value, ensure_ascii=False, indent=2)


def _is_flat(value: Any) -> bool:
    return not isinstance(value, Mapping | list)

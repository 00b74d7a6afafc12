"""Whose text it is: a run's text belongs to its owner; everyone else sees that it is there, and how long it is.

An allow list: what is not named here counts as text, so that a new field is hidden until somebody thought about it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.failures import failure_class
from governance.models import Turn

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
# A reason of ours, "user" or "PROVIDER_TIMEOUT"; one that a person wrote is text.
_REASON = re.compile(r"user|superseded|shutdown|[A-Z]+(?:_[A-Z]+)+")
_LONG, _MANY_LINES = 400, 6


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A field of a record: what may be read of it, and the length in characters of what is withheld."""

    name: str
    text: str = ""
    length: int | None = None

    @property
    def is_long(self) -> bool:
        return len(self.text) > _LONG or self.text.count("\n") >= _MANY_LINES


def may_read_text(turn: Turn | None, user: Any) -> bool:
    """Whether the text of a turn is the user's own; of one whose record is gone nobody knows whose it is."""
    return turn is not None and turn.user_id == str(user.pk)


def facts_of(data: Mapping[str, Any], *, may_read: bool) -> list[Fact]:
    """The fields of an event or a payload, empty ones left out, for a reader who may or may not read its text."""
    read = _whole if may_read else _withheld
    return [read(name, value) for name, value in data.items() if not _is_empty(value)]


def payload_shown(data: Mapping[str, Any], *, may_read: bool) -> dict[str, Any]:
    """``data`` for a program: as it is, or with ``{"withheld": length}`` in place of text of another person."""
    if may_read:
        return dict(data)
    facts = {fact.name: fact for fact in facts_of(data, may_read=False)}
    return {
        name: value if name not in facts or facts[name].length is None else _withheld_json(facts[name])
        for name, value in data.items()
    }


def _withheld_json(fact: Fact) -> dict[str, Any]:
    shown = {"shown": fact.text} if fact.text else {}
    return {**shown, "withheld": fact.length}


def _whole(name: str, value: Any) -> Fact:
    return Fact(name=name, text=_text(value))


def _withheld(name: str, value: Any) -> Fact:
    """An error's code, a detail's class and a reason of ours say what went wrong; the rest may quote the person."""
    if name in PLAIN:
        return _whole(name, value)
    if name == "error" and isinstance(value, Mapping):
        return Fact(name=name, text=str(value.get("code", "")), length=len(str(value.get("message", ""))))
    if name == "reason" and isinstance(value, str) and _REASON.fullmatch(value):
        return _whole(name, value)
    if name == "detail" and isinstance(value, str):
        return Fact(name=name, text=failure_class(value), length=len(value))
    return Fact(name=name, length=len(_text(value)))


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and all(_is_flat(item) for item in value.values()):
        return ", ".join(f"{key} {item}" for key, item in value.items() if item)
    flat = json.dumps(value, ensure_ascii=False)
    return flat if len(flat) <= _LONG // 4 else json.dumps(value, ensure_ascii=False, indent=2)


def _is_flat(value: Any) -> bool:
    return not isinstance(value, Mapping | list)

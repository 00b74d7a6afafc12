"""The events of a run as a reader sees them: in order, the deltas of one message as one line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils.translation import gettext_lazy as _

from agentcore.events import DELTAS, EventType
from agentcore.models import RunEvent
from governance.models import AuditEvent
from governance.pages.cells import duration, moment
from governance.pages.labels import labelled
from governance.pages.withholding import Fact, facts_of
from governance.services.happenings import AGENT, SYSTEM

_TONES = {
    EventType.RUN_FAILED: "danger",
    EventType.RUN_CANCELLED: "quiet",
    EventType.RUN_COMPLETED: "ok",
    EventType.GUARDRAIL_BLOCKED: "warn",
    EventType.PERMISSION_REQUIRED: "warn",
    EventType.ROUTE_CHANGED: "warn",
}
# Who did it, where it was no person.
_ACTORS = {AGENT: _("agent"), SYSTEM: _("system")}
_AUDIT_TONES = {"error": "danger", "guardrail": "warn", "approval": "warn", "stop": "quiet"}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a story: ``number`` is its place, or the places of the events that it stands for."""

    number: str
    type: str
    count: int
    at: str
    iso: str
    since: str
    tone: str
    actor: str
    facts: Sequence[Fact]


def event_lines(events: Iterable[RunEvent], *, began: datetime, may_read: bool) -> list[Line]:
    """``events`` in order; consecutive deltas of one message are one line with their text joined."""
    return [_event_line(group, began, may_read) for group in _groups(events)]


def audit_lines(events: Iterable[AuditEvent], *, began: datetime, may_read: bool) -> list[Line]:
    return [
        Line(
            number=str(event.seq),
            type=str(event.get_action_display()),
            count=1,
            at=moment(event.at),
            iso=event.at.isoformat(),
            since=_since(began, event.at),
            tone=_AUDIT_TONES.get(event.action, ""),
            actor=str(_ACTORS.get(event.actor, event.actor)),
            facts=labelled(facts_of(event.payload, may_read=may_read)),
        )
        for event in events
    ]


def _groups(events: Iterable[RunEvent]) -> Iterator[list[RunEvent]]:
    def place(event: RunEvent) -> tuple[Any, ...]:
        return (event.type, event.data.get("message_id")) if event.type in DELTAS else (event.sequence,)

    for _place, group in groupby(events, key=place):
        yield list(group)


def _event_line(group: list[RunEvent], began: datetime, may_read: bool) -> Line:
    first, last = group[0], group[-1]
    data = dict(first.data)
    if len(group) > 1:
        data["text"] = "".join(str(event.data.get("text", "")) for event in group)
    return Line(
        number=f"{first.sequence}" if len(group) == 1 else f"{first.sequence}–{last.sequence}",
        type=first.type,
        count=len(group),
        at=moment(first.created_at),
        iso=first.created_at.isoformat(),
        since=_since(began, first.created_at),
        tone=_TONES.get(EventType(first.type), "") if first.type in set(EventType) else "",
        actor="",
        facts=labelled(facts_of(data, may_read=may_read)),
    )


def _since(began: datetime, at: datetime) -> str:
    milliseconds = round((at - began).total_seconds() * 1000)
    return f"+{duration(max(0, milliseconds))}"

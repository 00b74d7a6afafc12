"""The audit replay: what agents did, the newest turn first, and inside a turn in the order in which it happened."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy

from agentcore.paging import Order
from governance.days import Span
from governance.models import AuditEvent, Turn
from governance.pages.cells import Cell, duration, moment_cell
from governance.pages.events import Line, audit_lines
from governance.pages.filters import equals
from governance.pages.page import Listing, Page
from governance.pages.turn_filters import RecordFilters
from governance.pages.turns import TURNS, status_cell
from governance.pages.withholding import may_read_text
from governance.question import begun_during
from governance.selectors import turns_of


def _of_turns(condition: Q) -> Q:
    return Q(run_id__in=Turn.objects.filter(condition).order_by().values("run_id"))


def _asked_of_turns(asks: Callable[[Any], Q]) -> Callable[[Any], Q]:
    return lambda value: _of_turns(asks(value))


class AuditFilters(RecordFilters):
    """The filters of the stream. Days are those on which a turn began, so that none is cut in two."""

    action = forms.ChoiceField(
        label=gettext_lazy("Action"), required=False, choices=[("", gettext_lazy("Any")), *AuditEvent.Action.choices]
    )
    actor = forms.CharField(label=gettext_lazy("Actor"), required=False, max_length=150)

    field_order = ["action", "user", "agent", "provider", "model", "tool", "actor", "status", "since", "until"]
    conditions = {
        **{name: _asked_of_turns(asks) for name, asks in RecordFilters.conditions.items()},
        # What an event knows by itself.
        **{name: equals(name) for name in ("action", "tool", "actor", "run_id")},
    }

    @staticmethod
    def during(span: Span) -> Q:
        return begun_during(span)


@dataclass(frozen=True, kw_only=True)
class Group:
    """The events of one turn that are on a page, under what is known of the turn."""

    url: str
    is_gone: bool
    started: Cell
    status: Cell | None
    username: str
    agent: str
    duration: str
    lines: Sequence[Line]


def audit_groups(events: Sequence[AuditEvent], user: Any) -> list[Group]:
    """1 query, for the turns. A turn has its link for who may open it."""
    turns = turns_of(events)
    return [
        _group(run_id, list(found), turns.get(run_id), user)
        for run_id, found in groupby(events, key=attrgetter("run_id"))
    ]


def _group(run_id: UUID, events: list[AuditEvent], turn: Turn | None, user: Any) -> Group:
    began = turn.started_at if turn else events[0].at
    return Group(
        url=reverse("governance:turn", kwargs={"run_id": run_id}) if turn and user.has_perm(TURNS.permission) else "",
        is_gone=turn is None,
        started=moment_cell(began),
        status=status_cell(turn) if turn else None,
        username=turn.username if turn else "",
        agent=turn.agent if turn else "",
        duration=duration(turn.duration_ms) if turn and turn.duration_ms is not None else "",
        lines=audit_lines(events, began=began, may_read=may_read_text(turn, user)),
    )


def audit_source(condition: Q) -> "QuerySet[AuditEvent]":
    return AuditEvent.objects.filter(condition)


AUDIT = Page(
    slug="audit",
    title=gettext_lazy("Audit replay"),
    lead=gettext_lazy("What was asked, which tools ran, who approved, and how it ended: turn by turn, newest first."),
    empty=gettext_lazy("What an agent does appears here as it happens."),
    permission="governance.view_auditevent",
    filters=AuditFilters,
    listing=Listing(
        source=audit_source,
        order=Order(first="run_id", second="seq", is_second_ascending=True),
        groups=audit_groups,
    ),
    segments="action",
)

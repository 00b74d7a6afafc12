"""The usage ledger: one row a turn, newest first."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, npgettext

from agentcore.paging import Order
from governance.days import DAY, Span
from governance.models import AuditEvent, Turn
from governance.models.ledger import Metered
from governance.pages.cells import Cell, count, duration, moment_cell, money, route, share
from governance.pages.filters import FilterForm, UpperField, equals
from governance.pages.page import Card, Column, Listing, Page, Summary
from governance.pages.reasons import reason_words
from governance.pages.turn_filters import RecordFilters
from governance.question import Question, begun_during, since_midnight
from governance.tallies import Tally, added
from governance.usage import MOST_TURNS, usage_total

TONES = {"running": "live", "completed": "ok", "failed": "danger", "cancelled": "quiet"}


class TurnFilters(RecordFilters):
    """The ledger's filters."""

    unpriced = forms.ChoiceField(
        label=gettext_lazy("Price"),
        required=False,
        choices=[("", gettext_lazy("Any")), ("1", gettext_lazy("unknown"))],
    )
    currency = UpperField(label=gettext_lazy("Currency"), required=False, max_length=3)

    field_order = ["user", "agent", "provider", "model", "tool", "status", "error_code", "since", "until"]
    conditions = {
        **RecordFilters.conditions,
        "tool": lambda value: _used(value, Span()),
        "unpriced": lambda _value: Q(cost=None, model_calls__gt=0) & ~Q(status=Turn.Status.RUNNING),
        "currency": equals("currency"),
    }

    @staticmethod
    def during(span: Span) -> Q:
        return since_midnight("started_at", span)

    def condition(self, name: str, value: Any) -> Q:
        return _used(value, self.span()) if name == "tool" else super().condition(name, value)


def _used(tool: str, span: Span) -> Q:
    """Turns that used a tool; uses from before ``span`` are not looked at."""
    # A run is opened before its turn begins, maybe on the day before.
    opened = Span(span.first - DAY) if span.first else Span()
    return Q(run_id__in=AuditEvent.objects.filter(begun_during(opened), tool=tool).values("run_id"))


def turns_source(condition: Q) -> "QuerySet[Turn]":
    return Turn.objects.filter(condition)


def turns_summary(form: FilterForm, question: Question) -> Summary:
    """1 query; 2 where roll-ups answer."""
    found = usage_total(question)
    note = _("These figures are those of the newest %(count)s turns of the list.") % {"count": count(MOST_TURNS)}
    return Summary(cards=summary_cards(found.tallies, form.asked()), note=note if found.is_newest else "")


def summary_cards(found: Sequence[Tally], asked: Mapping[str, str] = MappingProxyType({})) -> list[Card]:
    """The cards of tallies, one a currency. A card leads to the ledger of ``asked`` and what the card counts."""
    costs = [money(tally.cost, tally.currency) for tally in found if tally.cost is not None]
    total = (added(found, key=lambda _tally: None) or [Tally()])[0]
    return [
        Card(label=_("Turns"), value=count(total.turns), note=_running(total.running)),
        Card(
            label=_("Input tokens"),
            value=count(total.input_tokens),
            note=_("%(count)s from cache") % {"count": count(total.cached_input_tokens)},
        ),
        Card(
            label=_("Output tokens"),
            value=count(total.output_tokens),
            note=_("%(count)s for reasoning") % {"count": count(total.reasoning_tokens)},
        ),
        # Nothing to price is no unknown price.
        Card(
            label=_("Cost"),
            value=costs[0] if costs else money(None, "") if total.unpriced else count(None),
            note=" · ".join(costs[1:]),
        ),
        Card(
            label=_("Unpriced"),
            value=count(total.unpriced),
            note=_("turns without a known price"),
            tone="warn" if total.unpriced else "",
            href=ledger_url({**asked, "unpriced": "1"}) if total.unpriced else "",
        ),
        Card(
            label=_("Failure rate"),
            value=share(total.failed, total.ended),
            note=_("%(failed)s of %(ended)s that ended") % {"failed": count(total.failed), "ended": count(total.ended)},
            tone="danger" if total.failed else "",
            href=ledger_url({**asked, "status": "failed"}) if total.failed else "",
        ),
    ]


def ledger_url(values: Mapping[str, str]) -> str:
    """The ledger with these filters; those of another page that it does not know are left out."""
    known = {name: text for name, text in values.items() if text and name in TurnFilters.base_fields}
    return f"{reverse('governance:turns')}?{urlencode(known)}"


def _running(number: int) -> str:
    return (
        ngettext("%(count)s is running", "%(count)s are running", number) % {"count": count(number)} if number else ""
    )


def _tools(number: int) -> str:
    said = npgettext("calls", "%(count)s tool", "%(count)s tools", number)
    return said % {"count": count(number)} if number else ""


def turn_url(turn: Turn) -> str:
    return reverse("governance:turn", kwargs={"run_id": turn.pk})


def status_cell(turn: Turn) -> Cell:
    """The status, and why it is that one: the error, the reason to cancel, or an end other than the usual."""
    why = turn.error_code or turn.cancel_reason or (turn.finish_reason if turn.finish_reason != "stop" else "")
    return Cell(text=str(turn.get_status_display()), tone=TONES.get(turn.status, "quiet"), note=reason_words(why))


def route_cell(turn: Turn) -> Cell:
    """The route that answered; the one that was asked for when it is another."""
    answered = route(turn.provider_id, turn.model)
    requested = route(turn.requested_provider_id, turn.requested_model)
    is_other = (turn.requested_model or turn.requested_provider_id) and requested != answered
    return Cell(text=answered, note=_("asked for %(route)s") % {"route": requested} if is_other else "", is_code=True)


def input_cell(turn: Turn) -> Cell:
    cached = _("%(count)s cached") % {"count": count(turn.cached_input_tokens)} if turn.cached_input_tokens else ""
    return Cell(text=tokens_text(turn.input_tokens, turn), note=cached)


def tokens_text(tokens: int, metered: Metered) -> str:
    """What was counted, or ``≈`` what was estimated."""
    return f"≈ {count(tokens)}" if metered.usage_estimated else count(tokens)


def cost_cell(turn: Turn) -> Cell:
    if turn.is_open or (turn.cost is None and not turn.model_calls):
        return Cell(text=count(None))
    return Cell(text=money(turn.cost, turn.currency), tone="" if turn.cost is not None else "warn")


COLUMNS = [
    Column(
        label=gettext_lazy("Started"),
        cell=lambda turn: moment_cell(turn.started_at, href=turn_url(turn)),
        is_lead=True,
    ),
    Column(label=gettext_lazy("Status"), cell=status_cell, is_lead=True),
    Column(label=gettext_lazy("User"), cell=lambda turn: Cell(text=turn.username or count(None), note=turn.tenant)),
    Column(label=gettext_lazy("Agent"), cell=lambda turn: Cell(text=turn.agent or count(None))),
    Column(label=gettext_lazy("Model"), cell=route_cell),
    Column(label=gettext_lazy("Input"), cell=input_cell, is_numeric=True),
    Column(
        label=gettext_lazy("Output"),
        cell=lambda turn: Cell(text=tokens_text(turn.output_tokens, turn)),
        is_numeric=True,
    ),
    Column(label=gettext_lazy("Cost"), cell=cost_cell, is_numeric=True),
    Column(
        label=gettext_lazy("Calls"),
        cell=lambda turn: Cell(
            text=count(turn.model_calls),
            note=_tools(turn.tool_calls),
        ),
        is_numeric=True,
    ),
    Column(
        label=gettext_lazy("Duration"),
        cell=lambda turn: Cell(text=duration(turn.duration_ms)),
        is_numeric=True,
    ),
]
EXPORT: dict[str, Callable[[Turn], Any]] = {
    "run_id": attrgetter("run_id"),
    "started_at": lambda turn: turn.started_at.isoformat(),
    "finished_at": lambda turn: turn.finished_at.isoformat() if turn.finished_at else "",
    **{
        name: attrgetter(name)
        for name in (
            *("user_id", "username", "tenant", "agent", "purpose", "conversation_id"),
            *("requested_provider_id", "requested_model", "provider_id", "model"),
            *("status", "finish_reason", "cancel_reason", "error_code", "model_calls", "tool_calls"),
            *("input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens"),
            "usage_estimated",
        )
    },
    "cost": lambda turn: "" if turn.cost is None else f"{turn.cost:f}",
    "currency": attrgetter("currency"),
    "duration_ms": attrgetter("duration_ms"),
}

TURNS = Page(
    slug="turns",
    title=gettext_lazy("Usage ledger"),
    lead=gettext_lazy("Every turn of every agent: who asked, which model answered, what it used and what it cost."),
    empty=gettext_lazy("A turn appears here as soon as somebody talks to an agent."),
    permission="governance.view_turn",
    filters=TurnFilters,
    summary=turns_summary,
    listing=Listing(
        source=turns_source,
        order=Order(first="started_at", second="run_id"),
        columns=COLUMNS,
        export=EXPORT,
    ),
    segments="status",
)

"""The usage ledger: one row a turn, newest first."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from governance.models import Turn
from governance.pages.cells import Cell, count, duration, moment_cell, money, route, share
from governance.pages.filters import DayField, FilterForm, equals, from_day, to_day
from governance.pages.page import Card, Column, Page
from governance.pages.reasons import reason_words
from governance.selectors import LedgerSummary, ledger_summary

TONES = {"running": "live", "completed": "ok", "failed": "danger", "cancelled": "quiet"}


class TurnFilters(FilterForm):
    """The ledger's filters."""

    user = forms.CharField(label=gettext_lazy("User"), required=False, max_length=150)
    agent = forms.CharField(label=gettext_lazy("Agent"), required=False, max_length=64)
    provider = forms.CharField(label=gettext_lazy("Provider"), required=False, max_length=64)
    model = forms.CharField(label=gettext_lazy("Model"), required=False, max_length=200)
    status = forms.ChoiceField(
        label=gettext_lazy("Status"), required=False, choices=[("", gettext_lazy("Any")), *Turn.Status.choices]
    )
    error_code = forms.CharField(label=gettext_lazy("Error code"), required=False, max_length=64)
    conversation_id = forms.UUIDField(label=gettext_lazy("Conversation"), required=False)
    since = DayField(label=gettext_lazy("From"))
    until = DayField(label=gettext_lazy("To"))

    conditions = {
        "user": lambda value: Q(username=value) | Q(user_id=value),
        "agent": equals("agent"),
        "provider": lambda value: _answered_or_asked("provider_id", value),
        "model": lambda value: _answered_or_asked("model", value),
        "status": equals("status"),
        "error_code": equals("error_code"),
        "conversation_id": equals("conversation_id"),
        "since": from_day("started_at"),
        "until": to_day("started_at"),
    }

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = values.get("since"), values.get("until")
        if first and last and last < first:
            self.add_error("until", _("The range ends before it begins."))
        return values


def _answered_or_asked(field: str, value: str) -> Q:
    """The route that answered; of a turn that nobody answered, the one that was asked."""
    return Q(**{field: value}) | Q(**{field: "", f"requested_{field}": value})


def turns_source(condition: Q) -> "QuerySet[Turn]":
    return Turn.objects.filter(condition)


def turn_cards(condition: Q) -> Sequence[Card]:
    """1 query."""
    return summary_cards(ledger_summary(condition))


def summary_cards(found: LedgerSummary) -> list[Card]:
    costs = [money(amount, currency) for currency, amount in found.costs]
    return [
        Card(label=_("Turns"), value=count(found.turns), note=_running(found.running)),
        Card(
            label=_("Input tokens"),
            value=count(found.input_tokens),
            note=_("%(count)s from cache") % {"count": count(found.cached_input_tokens)},
        ),
        Card(
            label=_("Output tokens"),
            value=count(found.output_tokens),
            note=_("%(count)s for reasoning") % {"count": count(found.reasoning_tokens)},
        ),
        Card(label=_("Cost"), value=costs[0] if costs else money(None, ""), note=" · ".join(costs[1:])),
        Card(
            label=_("Unpriced"),
            value=count(found.unpriced),
            note=_("turns without a known price"),
            tone="warn" if found.unpriced else "",
        ),
        Card(
            label=_("Failure rate"),
            value=share(found.failed, found.ended),
            note=_("%(failed)s of %(ended)s that ended") % {"failed": count(found.failed), "ended": count(found.ended)},
            tone="danger" if found.failed else "",
        ),
    ]


def _running(number: int) -> str:
    return (
        ngettext("%(count)s is running", "%(count)s are running", number) % {"count": count(number)} if number else ""
    )


def _tools(number: int) -> str:
    return ngettext("%(count)s tool", "%(count)s tools", number) % {"count": count(number)} if number else ""


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
    return Cell(text=_estimated(turn.input_tokens, turn), note=cached)


def _estimated(tokens: int, turn: Turn) -> str:
    return f"≈ {count(tokens)}" if turn.usage_estimated else count(tokens)


def cost_cell(turn: Turn) -> Cell:
    if turn.is_open or (turn.cost is None and not turn.model_calls):
        return Cell(text=count(None))
    return Cell(text=money(turn.cost, turn.currency), tone="" if turn.cost is not None else "warn")


TURNS = Page(
    slug="turns",
    title=gettext_lazy("Usage ledger"),
    lead=gettext_lazy("Every turn of every agent: who asked, which model answered, what it used and what it cost."),
    empty=gettext_lazy("A turn appears here as soon as somebody talks to an agent."),
    columns=[
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
            cell=lambda turn: Cell(text=_estimated(turn.output_tokens, turn)),
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
    ],
    filters=TurnFilters,
    source=turns_source,
    cards=turn_cards,
    order=("started_at", "run_id"),
    segments="status",
)

"""The cost dashboard: what was spent, on which models, by whom, and when."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from governance.days import Span, today
from governance.pages.cells import count, money, route, share
from governance.pages.charts import Bar, Chart, largest_first
from governance.pages.filters import PERIODS, FilterForm, UpperField, equals
from governance.pages.page import Page, Summary
from governance.pages.turn_filters import RouteFilters
from governance.pages.turns import ledger_url, summary_cards
from governance.question import Question, since_midnight
from governance.report import CostReport, cost_report
from governance.tallies import Tally, added

MOST_YEARS_DAYS = 3 * 366


class CostFilters(RouteFilters):
    """The dashboard's filters. It always looks at a span with both ends."""

    default_period = "30d"

    currency = UpperField(label=gettext_lazy("Currency"), required=False, max_length=3)
    period = forms.ChoiceField(
        label=gettext_lazy("Period"), required=False, choices=PERIODS[1:], widget=forms.HiddenInput
    )

    field_order = ["user", "agent", "provider", "model", "currency", "since", "until"]
    conditions = {**RouteFilters.conditions, "currency": equals("currency")}

    @staticmethod
    def during(span: Span) -> Any:
        return since_midnight("started_at", span)

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        first, last = values.get("since"), values.get("until")
        if first and (last or today()) - first > timedelta(days=MOST_YEARS_DAYS):
            self.add_error("since", _("This page shows at most three years at once."))
        return values

    def span(self) -> Span:
        """An end that was left out is today, or a month after the first day when that is in the future."""
        asked = super().span()
        last = asked.last or max(today(), asked.first or date.min)
        return Span(asked.first or last - timedelta(days=29), last)


def cost_summary(form: FilterForm, question: Question) -> Summary:
    """At most 4 queries."""
    report = cost_report(question)
    links = _links(form, question.span)
    charts = [
        *(_cost_by_model(report, currency, links) for currency in report.currencies),
        _requests_by_user(report, links),
        _input_by_model(report, links),
    ]
    over_time = [_cost_over_time(report, currency, links) for currency in report.currencies]
    return Summary(cards=summary_cards(report.totals, links()), charts=[*over_time, *charts])


def _links(form: FilterForm, span: Span) -> Callable[..., dict[str, str]]:
    """The ledger's filters for what this page shows, with those of a bar: the same days, said in full."""
    first, last = span.ends
    asked = {name: text for name, text in form.asked().items() if name not in {"period", "limit"}}
    days = {"since": first.isoformat(), "until": last.isoformat()}
    return lambda **own: {**asked, **days, **own}


def _of_currency(tallies: Sequence[Tally], currency: str) -> list[Tally]:
    return [tally for tally in tallies if tally.currency == currency and tally.cost is not None]


def _cost_by_model(report: CostReport, currency: str, links: Callable[..., dict[str, str]]) -> Chart:
    found = _of_currency(report.by_model, currency)
    whole = sum((tally.cost or Decimal() for tally in found), Decimal())
    bars = [
        _model_bar(tally, tally.cost or Decimal(), money(tally.cost, currency), whole, links(currency=currency))
        for tally in found
    ]
    return _lying("cost-by-model", _("Cost by model, %(currency)s") % {"currency": currency}, _("Model"), bars)


def _input_by_model(report: CostReport, links: Callable[..., dict[str, str]]) -> Chart:
    found = added(report.by_model, key=lambda tally: (tally.provider_id, tally.model))
    whole = Decimal(sum(tally.input_tokens for tally in found))
    bars = [
        _model_bar(tally, Decimal(tally.input_tokens), count(tally.input_tokens), whole, links()) for tally in found
    ]
    return _lying("input-by-model", _("Input tokens by model"), _("Model"), bars, unit=_("Input tokens"))


def _model_bar(tally: Tally, size: Decimal, text: str, whole: Decimal, filters: Mapping[str, str]) -> Bar:
    """A turn that nobody answered and that asked for no route has none to look for."""
    is_known = tally.provider_id and tally.model
    href = ledger_url({**filters, "provider": tally.provider_id, "model": tally.model}) if is_known else ""
    label = route(tally.provider_id, tally.model)
    return Bar(label=label, size=size, text=text, href=href, share=_share(size, whole))


def _requests_by_user(report: CostReport, links: Callable[..., dict[str, str]]) -> Chart:
    found = added(report.by_user, key=lambda tally: tally.username)
    whole = Decimal(sum(tally.turns for tally in found))
    bars = [
        Bar(
            label=tally.username or count(None),
            size=Decimal(tally.turns),
            text=count(tally.turns),
            href=ledger_url(links(user=tally.username)) if tally.username else "",
            share=_share(Decimal(tally.turns), whole),
        )
        for tally in found
    ]
    return _lying("requests-by-user", _("Requests by user"), _("User"), bars, unit=_("Requests"))


def _lying(slug: str, title: str, label: str, bars: Sequence[Bar], *, unit: str = "") -> Chart:
    shown, more = largest_first(bars)
    note = _("The %(shown)s largest of %(all)s are shown.") % {"shown": len(shown), "all": len(bars)} if more else ""
    return Chart(slug=slug, title=title, label=label, unit=unit or _("Cost"), bars=shown, note=note)


def _cost_over_time(report: CostReport, currency: str, links: Callable[..., dict[str, str]]) -> Chart:
    """Every day or month of the span has its bar, also where nothing was spent."""
    spent = {tally.day: tally.cost or Decimal() for tally in _of_currency(report.over_time, currency)}
    is_by_day = all(part.first == part.last for part in report.parts)
    bars = [_time_bar(part, spent.get(part.first, Decimal()), currency, links, is_by_day) for part in report.parts]
    return Chart(
        slug="cost-over-time",
        title=_("Cost over time, %(currency)s") % {"currency": currency},
        label=_("Day") if is_by_day else _("Month"),
        unit=_("Cost"),
        bars=bars,
        is_over_time=True,
    )


def _time_bar(part: Span, cost: Decimal, currency: str, links: Callable[..., dict[str, str]], is_by_day: bool) -> Bar:
    first, last = part.ends
    days = {"since": first.isoformat(), "until": last.isoformat()}
    return Bar(
        label=date_format(first, "DATE_FORMAT" if is_by_day else "YEAR_MONTH_FORMAT"),
        size=cost,
        text=money(cost, currency),
        href=ledger_url(links(currency=currency, **days)) if cost else "",
    )


def _share(size: Decimal, whole: Decimal) -> str:
    return share(size, whole) if whole else ""


COST = Page(
    slug="cost",
    title=gettext_lazy("Cost dashboard"),
    lead=gettext_lazy("What the agents of this site cost and use."),
    empty=gettext_lazy("What a turn costs appears here as soon as somebody talks to an agent."),
    permission="governance.view_cost",
    filters=CostFilters,
    summary=cost_summary,
)

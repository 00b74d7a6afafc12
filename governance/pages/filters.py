"""Filters: the query string of a page, checked, and said as a condition."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any, ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from governance.days import DAY, Span, month_first, today
from governance.question import Question

LIMIT, MAX_LIMIT = 50, 200
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2999, 12, 31)


class DayField(forms.DateField):
    """A day of the site's time zone, ``2026-07-01``."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def __init__(self, **kwargs: Any) -> None:
        validators = [MinValueValidator(_FIRST_DAY), MaxValueValidator(_LAST_DAY)]
        super().__init__(required=False, input_formats=["%Y-%m-%d"], validators=validators, **kwargs)


PERIODS = [
    ("", gettext_lazy("All time")),
    ("today", gettext_lazy("Today")),
    ("7d", gettext_lazy("7 days")),
    ("30d", gettext_lazy("30 days")),
    ("this_month", gettext_lazy("This month")),
    ("last_month", gettext_lazy("Last month")),
]


def period_span(period: str, now: date) -> Span:
    """The days of a preset; today counts as one of the seven or thirty."""
    if period == "last_month":
        last = month_first(now) - DAY
        return Span(month_first(last), last)
    firsts = {
        "today": now,
        "7d": now - timedelta(days=6),
        "30d": now - timedelta(days=29),
        "this_month": month_first(now),
    }
    return Span(firsts[period], now) if period in firsts else Span()


class FilterForm(forms.Form):
    """The filters of a page. ``conditions`` says for each what it asks of a row; a bad value asks for nothing.

    Days that are given win over a period. ``default_period`` is the one of an address that says neither.
    """

    conditions: ClassVar[Mapping[str, Callable[[Any], Q]]] = {}
    default_period: ClassVar[str] = ""

    period = forms.ChoiceField(label=gettext_lazy("Period"), required=False, choices=PERIODS, widget=forms.HiddenInput)
    since = DayField(label=gettext_lazy("From"))
    until = DayField(label=gettext_lazy("To"))
    limit = forms.IntegerField(
        label=gettext_lazy("Rows a page"), required=False, min_value=1, max_value=MAX_LIMIT, widget=forms.HiddenInput
    )

    @staticmethod
    def during(span: Span) -> Q:
        """What a span of days asks of a row."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = values.get("since"), values.get("until")
        if first and last and last < first:
            self.add_error("until", _("The range ends before it begins."))
        return values

    def span(self) -> Span:
        """The days that were asked for. Only after ``is_valid()``."""
        values = self.cleaned_data
        if values.get("since") or values.get("until"):
            return Span(values.get("since"), values.get("until"))
        return period_span(self.preset(), today())

    def preset(self) -> str:
        """The preset that counts: none when days are given."""
        asked = self.asked()
        return "" if {"since", "until"} & asked.keys() else asked.get("period", self.default_period)

    def question(self) -> Question:
        """All that was asked, together. Only after ``is_valid()``."""
        asked = {name: value for name in self.conditions if (value := self.cleaned_data[name]) not in {None, ""}}
        filters = Q()
        for name, value in asked.items():
            filters &= self.condition(name, value)
        span = self.span()
        return Question(condition=self.during(span) & filters, filters=filters, span=span, asked=asked)

    def condition(self, name: str, value: Any) -> Q:
        """What the filter ``name`` asks of a row."""
        return self.conditions[name](value)

    def limit_of_page(self) -> int:
        return self.cleaned_data.get("limit") or LIMIT

    def asked(self) -> dict[str, str]:
        """What the query string asked for, by filter: only what is not empty."""
        return {name: text for name in self.fields if (text := str(self.data.get(name, "")).strip())}


class UpperField(forms.CharField):
    """A word that is written in capitals, such as a currency."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").upper()


def equals(name: str) -> Callable[[Any], Q]:
    return lambda value: Q(**{name: value})

"""Filters: the query string of a page, checked, and said as a condition."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

LIMIT, MAX_LIMIT = 50, 200
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2999, 12, 31)


class DayField(forms.DateField):
    """A day of the site's time zone, ``2026-07-01``."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def __init__(self, **kwargs: Any) -> None:
        validators = [MinValueValidator(_FIRST_DAY), MaxValueValidator(_LAST_DAY)]
        super().__init__(required=False, input_formats=["%Y-%m-%d"], validators=validators, **kwargs)


class FilterForm(forms.Form):
    """The filters of a page. ``conditions`` says for each what it asks of a row; a bad value asks for nothing."""

    conditions: ClassVar[Mapping[str, Callable[[Any], Q]]] = {}

    limit = forms.IntegerField(
        label=_("Rows a page"), required=False, min_value=1, max_value=MAX_LIMIT, widget=forms.HiddenInput
    )

    def condition(self) -> Q:
        """All that was asked, together. Only after ``is_valid()``."""
        found = Q()
        for name, asked in self.conditions.items():
            value = self.cleaned_data.get(name)
            if value not in {None, ""}:
                found &= asked(value)
        return found

    def limit_of_page(self) -> int:
        return self.cleaned_data.get("limit") or LIMIT

    def asked(self) -> dict[str, str]:
        """What the query string asked for, by filter: only what is not empty."""
        return {name: text for name in self.fields if (text := str(self.data.get(name, "")).strip())}


def equals(field: str) -> Callable[[Any], Q]:
    return lambda value: Q(**{field: value})


def from_day(field: str) -> Callable[[date], Q]:
    return lambda day: Q(**{f"{field}__gte": _midnight(day)})


def to_day(field: str) -> Callable[[date], Q]:
    """The whole of the last day belongs to the range."""
    return lambda day: Q(**{f"{field}__lt": _midnight(day + timedelta(days=1))})


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))

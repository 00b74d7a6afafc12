"""Values as a reader sees them: numbers, money, times and durations, in the reader's language and the site's zone."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils import numberformat, timezone
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

NOTHING = "–"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell. ``note`` is its quieter second line; ``tone`` makes it a pill; ``at`` makes it a time."""

    text: str
    note: str = ""
    href: str = ""
    tone: str = ""
    title: str = ""
    at: str = ""
    is_code: bool = False


def count(number: int | None) -> str:
    return NOTHING if number is None else _grouped(number)


def _grouped(number: int | str) -> str:
    if get_format("THOUSAND_SEPARATOR"):
        return number_format(number, force_grouping=True)
    # Django's Chinese has no separator, which leaves long figures without any hold for the eye.
    point = get_format("DECIMAL_SEPARATOR")
    return numberformat.format(number, point, grouping=3, thousand_sep=",", force_grouping=True)


def money(amount: Decimal | None, currency: str) -> str:
    """The exact amount without idle zeros, at least two places; what is unknown says so and is never zero."""
    if amount is None:
        return _("unknown")
    whole, _point, places = f"{amount:f}".partition(".")
    places = places.rstrip("0").ljust(2, "0")
    return f"{_grouped(whole)}{_decimal_point()}{places} {currency}"


def _decimal_point() -> str:
    return number_format(Decimal("0.1"), decimal_pos=1)[1]


def moment(value: datetime | None) -> str:
    """``2026-07-01 12:00:05`` in the site's time zone: the same in every language, and it sorts."""
    return NOTHING if value is None else f"{timezone.localtime(value):%Y-%m-%d %H:%M:%S}"


def moment_cell(value: datetime | None, **more: Any) -> Cell:
    return Cell(text=moment(value), at=value.isoformat() if value else "", **more)


def duration(milliseconds: int | None) -> str:
    if milliseconds is None:
        return NOTHING
    if milliseconds < 1_000:
        return _("%(count)s ms") % {"count": count(milliseconds)}
    if milliseconds < 60_000:
        return _("%(count)s s") % {"count": _one_place(Decimal(milliseconds) / 1000)}
    minutes, seconds = divmod(milliseconds // 1_000, 60)
    return _("%(minutes)s min %(seconds)s s") % {"minutes": count(minutes), "seconds": seconds}


def _one_place(number: Decimal) -> str:
    # Rounded here: the formatter cuts digits off.
    return number_format(round(number, 1), decimal_pos=1)


def share(part: int | Decimal, whole: int | Decimal) -> str:
    """``12.5%``; nothing of nothing is no share."""
    return NOTHING if not whole else f"{_one_place(Decimal(100) * part / whole)}%"


def route(provider_id: str, model: str) -> str:
    return f"{provider_id}/{model}" if provider_id or model else NOTHING

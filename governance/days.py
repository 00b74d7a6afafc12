"""Days: of the site's time zone, as ranges of a ledger that is kept in moments."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.utils import timezone

DAY = timedelta(days=1)


def zone_name() -> str:
    return timezone.get_current_timezone_name()


def today() -> date:
    return timezone.localdate()


def day_of(at: datetime) -> date:
    return timezone.localdate(at)


def midnight(day: date) -> datetime:
    """The moment at which ``day`` begins."""
    return timezone.make_aware(datetime.combine(day, time.min))


@dataclass(frozen=True)
class Span:
    """Days, both included; None where it has no end."""

    first: date | None = None
    last: date | None = None

    @property
    def is_whole(self) -> bool:
        return self.first is None and self.last is None

    @property
    def ends(self) -> tuple[date, date]:
        """Of a span that has both.

        Raises:
            ValueError: it has not.
        """
        if self.first is None or self.last is None:
            raise ValueError(self)
        return self.first, self.last

    def holds(self, day: date) -> bool:
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)


def days_between(first: date, last: date) -> list[date]:
    """Every day from ``first`` to ``last``, both included."""
    return [first + DAY * offset for offset in range((last - first).days + 1)]


def spans_without(span: Span, closed: Iterable[date]) -> list[Span]:
    """What is left of ``span`` when the days ``closed`` are taken out, as few spans as possible, in order."""
    left, first = [], span.first
    for day in sorted(day for day in closed if span.holds(day)):
        if first is None or first < day:
            left.append(Span(first, day - DAY))
        first = day + DAY
    if span.last is None or first is None or first <= span.last:
        left.append(Span(first, span.last))
    return left


def spans_of(span: Span, *, most_days: int) -> Sequence[Span]:
    """``span``, which has both ends, in parts for a chart: days, or months when there would be too many days."""
    first, end = span.ends
    if (end - first).days < most_days:
        return [Span(day, day) for day in days_between(first, end)]
    parts = []
    while first <= end:
        last = min(month_last(first), end)
        parts.append(Span(first, last))
        first = last + DAY
    return parts


def month_first(day: date) -> date:
    return day.replace(day=1)


def month_last(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1) - DAY

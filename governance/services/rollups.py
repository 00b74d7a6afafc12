"""Roll-ups: closing the days that are over, and opening one again when a turn of it changes."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Min
from django.utils.timezone import now

from governance.days import DAY, day_of, days_between, midnight, today, zone_name
from governance.models import DailyModelUsage, DailyUserUsage, Turn, UsageDay
from governance.tallies import totals_of, turn_totals

# Nobody is still writing a turn as of today an hour after midnight.
_GRACE = timedelta(hours=1)


def last_day_over() -> date:
    """The newest day that may be closed. No query."""
    return day_of(now() - _GRACE) - DAY


def day_close_next() -> bool:
    """Close the oldest day that is over and open; False when there is none. 2 queries, 7 more for a day."""
    days = _days_open()[:1]
    for day in days:
        day_close(day)
    return bool(days)


def days_close() -> int:
    """Close the days that are over and open, oldest first, each in a transaction of its own. How many they were.

    2 queries when there is nothing to do, 7 more a day.
    """
    days = _days_open()
    for day in days:
        day_close(day)
    return len(days)


def _days_open() -> Sequence[date]:
    first = Turn.objects.aggregate(first=Min("started_at"))["first"]
    if first is None:
        return []
    closed = set(UsageDay.objects.filter(zone=zone_name(), is_closed=True).values_list("day", flat=True))
    return [day for day in days_between(day_of(first), last_day_over()) if day not in closed]


@transaction.atomic
def day_close(day: date) -> None:
    """Write what the turns of ``day`` add up to.

    A writer of one of its turns takes the day's row, too: whoever comes second sees what the first did.
    """
    UsageDay.objects.get_or_create(day=day, defaults={"zone": zone_name()})
    row = UsageDay.objects.select_for_update().get(day=day)
    row.by_model.all().delete()
    row.by_user.all().delete()
    turns = Turn.objects.filter(started_at__gte=midnight(day), started_at__lt=midnight(day + DAY)).order_by()
    DailyModelUsage.objects.bulk_create(
        DailyModelUsage(
            day=row,
            currency=found["currency"],
            provider_id=found["route_provider_id"],
            model=found["route_model"],
            **totals_of(found),
        )
        for found in turns.values("currency", "route_provider_id", "route_model").annotate(**turn_totals())
    )
    DailyUserUsage.objects.bulk_create(
        DailyUserUsage(day=row, currency=found["currency"], username=found["username"], **totals_of(found))
        for found in turns.values("currency", "username").annotate(**turn_totals())
    )
    UsageDay.objects.filter(day=day).update(is_closed=True, zone=zone_name())


def day_open(at: datetime) -> None:
    """A turn that began ``at`` is written next: its day, if that is over, is open again. No query for a turn of today.

    Must be in the transaction that writes the turn, and before it: the day's row is locked first and the turn's second
    by everybody, or the ledger and the audit of one turn would wait for each other.
    """
    day = day_of(at)
    if day < today():
        row = UsageDay(day=day, zone=zone_name(), is_closed=False)
        UsageDay.objects.bulk_create([row], update_conflicts=True, unique_fields=["day"], update_fields=["is_closed"])


def days_forget(before: date) -> None:
    """Drop the roll-ups of the days whose turns retention took, the one that it cut through among them."""
    UsageDay.objects.filter(day__lte=before).delete()

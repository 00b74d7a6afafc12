"""The travel desk's sample rows."""

import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import Max

from examples.travel.models import Flight, Policy
from examples.travel.timetable import flights_on

# Later days are searched in the timetable itself.
DAYS_AHEAD = 14

POLICIES = (
    {
        "key": "highest-price",
        "title": "Highest price of a flight",
        "text": "The company pays for flights up to 900 USD a direction. Dearer ones need another way to travel.",
        "max_price": Decimal(900),
    },
    {
        "key": "book-early",
        "title": "Book early",
        "text": "Book at least two weeks ahead where you can; prices rise towards the day of departure.",
        "max_price": None,
    },
)


@transaction.atomic
def samples_refresh(*, today: datetime.date) -> int:
    """Add the days that no flight was stored for yet and drop those of the past; return how many flights came.

    Days and policies that exist stay as an admin left them.
    """
    for policy in POLICIES:
        Policy.objects.get_or_create(key=policy["key"], defaults=policy)
    # A day of reserve, since it is still yesterday somewhere.
    first = today - datetime.timedelta(days=1)
    Flight.objects.filter(departs_at__lt=_midnight(first)).delete()
    days = _days(first, Flight.objects.aggregate(last=Max("departs_at"))["last"])
    stored = Flight.objects.filter(departs_at__gte=_midnight(days[0] - datetime.timedelta(days=1)))
    known = set(stored.values_list("flight_no", "departs_at"))
    flights = [flight for day in days for flight in flights_on(day) if flight.departs_at >= _midnight(first)]
    missing = [flight for flight in flights if (flight.flight_no, flight.departs_at) not in known]
    Flight.objects.bulk_create(missing, batch_size=1000)
    return len(missing)


def _days(first: datetime.date, last: datetime.datetime | None) -> list[datetime.date]:
    """The days to look at, at least one. Cities are up to a day apart, so the last stored ones are among them."""
    days = [first + datetime.timedelta(days=number) for number in range(DAYS_AHEAD + 2)]
    return [day for day in days if last is None or day >= last.date() - datetime.timedelta(days=1)] or days[-1:]


def _midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime.combine(day, datetime.time.min, datetime.UTC)

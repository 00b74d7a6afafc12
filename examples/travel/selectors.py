"""Reads of the travel desk."""

import datetime
from dataclasses import dataclass

from examples.travel.models import Flight, Policy
from examples.travel.places import City
from examples.travel.timetable import flights_between


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A flight, and whether the company pays for it."""

    flight: Flight
    within_policy: bool


def offers_on(origin: City, destination: City, day: datetime.date) -> list[Offer]:
    """The flights of one direction that leave on ``day``, by the clock of ``origin``, earliest first. 2 queries.

    Days that nobody stored are those of the timetable.
    """
    start = datetime.datetime.combine(day, datetime.time.min, origin.timezone)
    stored = Flight.objects.between(origin.code, destination.code).leaving(start, start + datetime.timedelta(days=1))
    flights = list(stored) or flights_between(origin, destination, day)
    rules = list(Policy.objects.filter(enabled=True))
    return [Offer(flight=flight, within_policy=all(rule.allows(flight) for rule in rules)) for flight in flights]

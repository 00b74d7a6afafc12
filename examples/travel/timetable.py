"""The timetable of the sample data: which flights leave on a day, the same whenever it is asked.

Every pair of cities is connected twice a day. Times follow the distance, prices the distance and the day; nothing
here is real.
"""

import datetime
from decimal import Decimal
from math import acos, cos, radians, sin
from zlib import crc32

from examples.travel.models import Flight
from examples.travel.places import CITIES, City

AIRLINES = (("SW", "Swan Air"), ("OR", "Orchid Airlines"), ("PX", "Pacific Express"), ("NL", "Northern Light"))
DEPARTURES = (datetime.time(8, 10), datetime.time(17, 45))
KM_PER_HOUR = 820
EARTH_KM = 6371


def flights_between(origin: City, destination: City, day: datetime.date) -> list[Flight]:
    """The flights of one direction that leave on ``day``, by the clock of ``origin``; rows that are not saved."""
    if origin == destination:
        return []
    return [_flight(origin, destination, day, number) for number in range(len(DEPARTURES))]


def flights_on(day: datetime.date) -> list[Flight]:
    """Every flight that leaves on ``day``."""
    pairs = ((origin, destination) for origin in CITIES for destination in CITIES)
    return [flight for origin, destination in pairs for flight in flights_between(origin, destination, day)]


def _flight(origin: City, destination: City, day: datetime.date, number: int) -> Flight:
    route = CITIES.index(origin) * len(CITIES) + CITIES.index(destination)
    code, airline = AIRLINES[(route + number) % len(AIRLINES)]
    chance = crc32(f"{origin.code}{destination.code}{day}{number}".encode())
    km = distance_km(origin, destination)
    start = datetime.datetime.combine(day, DEPARTURES[number], origin.timezone)
    start += datetime.timedelta(minutes=5 * (route % 24))
    minutes = round((40 + km / KM_PER_HOUR * 60) / 5) * 5
    price = 35 + km * 0.085 * (0.8 + chance % 1000 / 1000 * 0.5)
    return Flight(
        flight_no=f"{code}{100 + 2 * route + number}",
        airline=airline,
        origin=origin.code,
        destination=destination.code,
        departs_at=start.astimezone(datetime.UTC),
        arrives_at=start.astimezone(datetime.UTC) + datetime.timedelta(minutes=minutes),
        price=Decimal(round(price)).quantize(Decimal("0.01")),
        currency="USD",
        seats=1 + chance // 1000 % 40,
    )


def distance_km(one: City, other: City) -> int:
    """The great-circle distance."""
    a, b = radians(one.latitude), radians(other.latitude)
    turn = cos(radians(one.longitude - other.longitude))
    return round(EARTH_KM * acos(min(1.0, sin(a) * sin(b) + cos(a) * cos(b) * turn)))

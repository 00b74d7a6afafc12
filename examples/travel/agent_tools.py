"""What the travel assistant can do."""

import datetime
import re
from typing import Annotated, Any, TypeAlias

from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidatorFunctionWrapHandler, WrapValidator

from examples.travel.places import BY_CODE, CITIES, City, city_of
from examples.travel.selectors import Offer, offers_on
from examples.travel.weather import weather_of
from toolsapp.decorator import agent_tool

DAYS = {"today": 0, "tomorrow": 1, "今天": 0, "明天": 1, "后天": 2, "後天": 2}
_DATE = re.compile(r"(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})日?")


def day_of(value: Any, validate: ValidatorFunctionWrapHandler) -> datetime.date | datetime.timedelta:
    """``2026/5/1``, ``20260501`` and their like as a date; ``today`` and its like as the time until that day."""
    text = str(value).strip().lower()
    if text in DAYS:
        return datetime.timedelta(days=DAYS[text])
    found = _DATE.fullmatch(text)
    day: datetime.date = validate("{}-{:0>2}-{:0>2}".format(*found.groups()) if found else value)
    return day


def day_in(city: City | None, day: datetime.date | datetime.timedelta) -> datetime.date:
    """The date that is meant where ``city`` is: at one moment it is today here and tomorrow there."""
    return _today(city) + day if isinstance(day, datetime.timedelta) else day


def _today(city: City | None) -> datetime.date:
    return timezone.localdate(timezone=city.timezone if city else None)


Place: TypeAlias = Annotated[str, "City name or IATA code, for example Shanghai or PVG"]
Day: TypeAlias = Annotated[datetime.date, WrapValidator(day_of), "YYYY-MM-DD, or today or tomorrow"]


@agent_tool(category="travel", summary=gettext_lazy("Flights from {origin} to {destination} ({date})"))
def search_flights(origin: Place, destination: Place, date: Day) -> dict[str, Any]:
    """Find flights between two cities on a date, with times, prices and free seats."""
    start, end = city_of(origin), city_of(destination)
    day = day_in(start, date)
    if start is None or end is None:
        unknown = " / ".join(name[:50] for name, city in ((origin, start), (destination, end)) if city is None)
        return _nothing(day, _unknown(unknown))
    if start == end:
        return _nothing(day, gettext("Origin and destination are the same city."))
    offers = offers_on(start, end, day)
    result = {
        "date": day,
        "origin": start.shown_name,
        "destination": end.shown_name,
        "flights": [_shown(offer) for offer in offers],
    }
    today = _today(start)
    past = gettext("This date is in the past; today is %(today)s.") % {"today": today}
    return result | ({"note": past} if day < today else {})


@agent_tool(category="travel", summary=gettext_lazy("Weather in {city}"))
def get_weather(city: Annotated[str, "City name, for example Tokyo"]) -> dict[str, Any]:
    """Tell today's weather in a city: condition, temperature in °C, humidity and wind."""
    place = city_of(city)
    return weather_of(city.strip()[:100], place, _today(place))


def _unknown(names: str) -> str:
    # Translators: stands between the items of a list.
    cities = gettext(", ").join(city.shown_name for city in CITIES)
    text = gettext("We have no flights for %(names)s. The cities are: %(cities)s.")
    return text % {"names": names, "cities": cities}


def _nothing(date: datetime.date, why: str) -> dict[str, Any]:
    return {"date": date, "flights": [], "note": why}


def _shown(offer: Offer) -> dict[str, Any]:
    """A flight as a person speaks of it: local times, price with its currency."""
    flight = offer.flight
    return {
        "flight_no": flight.flight_no,
        "airline": flight.airline,
        "departs": _local(flight.departs_at, flight.origin),
        "arrives": _local(flight.arrives_at, flight.destination),
        "price": f"{flight.price} {flight.currency}",
        "seats": flight.seats,
        "within_policy": offer.within_policy,
    }


def _local(moment: datetime.datetime, code: str) -> str:
    city = BY_CODE.get(code)
    return f"{moment.astimezone(city.timezone if city else None):%Y-%m-%d %H:%M}"

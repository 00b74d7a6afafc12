"""The weather of the sample data: computed from the city and the day, so that the demo needs no network."""

import datetime
from math import cos, pi
from typing import Any
from zlib import crc32

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from examples.travel.places import City, plain

CONDITIONS = (_("sunny"), _("mostly sunny"), _("partly cloudy"), _("cloudy"), _("light rain"), _("showers"))
WET = frozenset({"light rain", "showers"})
# Where we know nothing, a mild climate.
SOMEWHERE_C = (9, 24)


def weather_of(name: str, city: City | None, day: datetime.date) -> dict[str, Any]:
    """The weather at a place on a day: the same for the same place and day; ``city`` is None where it is unknown."""
    chance = crc32(f"{city.code if city else plain(name)}{day}".encode())
    january, july = (city.january_c, city.july_c) if city else SOMEWHERE_C
    # Coldest or warmest in mid-January, the opposite in mid-July.
    season = (1 + cos(2 * pi * (day.timetuple().tm_yday - 15) / 365)) / 2
    condition = CONDITIONS[chance % len(CONDITIONS)]
    return {
        "city": city.shown_name if city else name,
        "date": day.isoformat(),
        "condition": gettext(condition),
        "temperature_c": round(july + (january - july) * season) + chance // 100 % 7 - 3,
        "humidity_percent": 35 + chance // 1000 % 30 + (20 if condition in WET else 0),
        "wind_kmh": 5 + chance // 10000 % 25,
        "source": gettext("sample data of the demo, not a real forecast"),
    }

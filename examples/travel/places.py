"""Places: the cities that the travel desk knows, under every name that a person or a model gives them."""

import re
import unicodedata
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class City:
    """``code`` is the IATA code of the city; ``names`` are others of it, its airports' codes among them.

    ``january_c`` and ``july_c`` are usual afternoon temperatures.
    """

    code: str
    name: str
    zone: str
    latitude: float
    longitude: float
    january_c: int
    july_c: int
    names: tuple[str, ...]

    @property
    def shown_name(self) -> str:
        """``name`` in the active language."""
        return gettext(self.name)

    @property
    def timezone(self) -> ZoneInfo:
        return ZoneInfo(self.zone)


CITIES = (
    City("BJS", _("Beijing"), "Asia/Shanghai", 39.9, 116.4, 2, 31, ("PEK", "PKX", "Peking", "北京")),
    City("SHA", _("Shanghai"), "Asia/Shanghai", 31.2, 121.5, 8, 32, ("PVG", "上海", "浦东", "虹桥")),
    City("CAN", _("Guangzhou"), "Asia/Shanghai", 23.1, 113.3, 18, 33, ("Canton", "广州", "廣州")),
    City("SZX", _("Shenzhen"), "Asia/Shanghai", 22.5, 114.1, 20, 32, ("深圳",)),
    City("CTU", _("Chengdu"), "Asia/Shanghai", 30.7, 104.1, 10, 30, ("TFU", "成都")),
    City("HKG", _("Hong Kong"), "Asia/Hong_Kong", 22.3, 114.2, 19, 31, ("Hongkong", "香港")),
    City("TYO", _("Tokyo"), "Asia/Tokyo", 35.7, 139.7, 10, 30, ("NRT", "HND", "东京", "東京")),
    City("SIN", _("Singapore"), "Asia/Singapore", 1.35, 103.8, 30, 31, ("新加坡",)),
    City("LON", _("London"), "Europe/London", 51.5, -0.1, 8, 23, ("LHR", "LGW", "LCY", "STN", "伦敦", "倫敦")),
    City("PAR", _("Paris"), "Europe/Paris", 48.9, 2.35, 7, 26, ("CDG", "ORY", "巴黎")),
    City("BER", _("Berlin"), "Europe/Berlin", 52.5, 13.4, 3, 25, ("柏林",)),
    City("NYC", _("New York"), "America/New_York", 40.7, -74.0, 4, 29, ("JFK", "EWR", "LGA", "NY", "纽约", "紐約")),
    City("SFO", _("San Francisco"), "America/Los_Angeles", 37.8, -122.4, 14, 20, ("SF", "旧金山", "舊金山", "三藩市")),
    City("SYD", _("Sydney"), "Australia/Sydney", -33.9, 151.2, 27, 17, ("悉尼", "雪梨")),
)
BY_CODE = {city.code: city for city in CITIES}

_NOISE = re.compile(r"\b(?:city|airport|international|intl)\b|市|国际机场|机场")
_PARTS = re.compile(r"[,，/()（）\[\]|;、-]+")


def plain(name: str) -> str:
    """A name without case, accents, width, punctuation and words that say nothing."""
    text = unicodedata.normalize("NFKD", name).casefold()
    text = "".join(char for char in text if not unicodedata.combining(char))
    return "".join(char for char in _NOISE.sub(" ", text) if char.isalnum())


_BY_NAME = {plain(name): city for city in CITIES for name in (city.code, city.name, *city.names)}


def city_of(name: str) -> City | None:
    """The city that ``name`` means: an IATA code, an English or a Chinese name, alone or as in ``Tokyo (HND)``."""
    for part in (name, *_PARTS.split(name)):
        if city := _BY_NAME.get(plain(part)):
            return city
    return None

"""Cities under the names that people and models give them."""

import pytest

from examples.travel.places import CITIES, city_of


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Shanghai", "SHA"),
        ("shanghai", "SHA"),
        ("  SHANGHAI ", "SHA"),
        ("PVG", "SHA"),
        ("pvg", "SHA"),
        ("上海", "SHA"),
        ("上海市", "SHA"),
        ("上海浦东国际机场", None),
        ("Shanghai, China", "SHA"),
        ("Shanghai (PVG)", "SHA"),
        ("PVG - Shanghai Pudong", "SHA"),
        ("New York City", "NYC"),
        ("new-york", "NYC"),
        ("São Paulo", None),
        ("Hong Kong International Airport", "HKG"),
        ("東京", "TYO"),
        ("Tōkyō", "TYO"),
        ("北京首都机场", None),
        ("Atlantis", None),
        ("", None),
        ("-", None),
    ],
)
def test_city_is_found_under_its_names(name, code):
    city = city_of(name)
    assert (city.code if city else None) == code


@pytest.mark.parametrize("city", CITIES, ids=lambda city: city.code)
def test_every_name_of_a_city_leads_to_it(city):
    assert {city_of(name) for name in (city.code, city.name, *city.names)} == {city}

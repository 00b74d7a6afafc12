"""The travel tools, called as the loop calls them."""

import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from agentcore.errors import ToolArgumentsInvalid
from agentcore.pool import in_pool
from agentcore.tools import Caller, ToolContext
from examples.travel.models import Flight, Policy
from examples.travel.services.samples import DAYS_AHEAD, samples_refresh
from toolsapp.toolset import RegisteredTools

pytestmark = pytest.mark.django_db(transaction=True)


async def call(name: str, **arguments: Any) -> Any:
    (tool,) = [tool for tool in RegisteredTools().tools_for(Caller()) if tool.name == name]
    return (await tool.invoke(arguments, ToolContext())).for_model


async def search(date: Any, origin: str = "Shanghai", destination: str = "Tokyo") -> Any:
    return await call("search_flights", origin=origin, destination=destination, date=date)


@pytest.mark.parametrize("days", [0, 1, DAYS_AHEAD, 400])
async def test_flights_are_found_on_any_day(days):
    day = timezone.localdate() + datetime.timedelta(days=days)
    found = await search(day.isoformat(), "上海", "nrt")
    assert (found["date"], found["origin"], found["destination"]) == (day.isoformat(), "Shanghai", "Tokyo")
    assert [flight["departs"][:10] for flight in found["flights"]] == [day.isoformat()] * 2
    assert {"flight_no", "airline", "departs", "arrives", "price", "seats", "within_policy"} == set(found["flights"][0])
    assert found == await search(day.isoformat())


@pytest.mark.parametrize(("date", "days"), [("today", 0), ("Tomorrow", 1), ("明天", 1), ("后天", 2)])
async def test_days_have_names(date, days):
    today = timezone.localdate(timezone=ZoneInfo("Asia/Shanghai"))
    assert (await search(date))["date"] == str(today + datetime.timedelta(days=days))


@pytest.mark.parametrize(
    ("origin", "date", "day"),
    [
        ("Shanghai", "today", "2026-12-01"),
        ("上海", "明天", "2026-12-02"),
        ("Berlin", "today", "2026-11-30"),
        ("Atlantis", "today", "2026-11-30"),
    ],
)
async def test_today_is_that_of_the_city_of_departure(monkeypatch, origin, date, day):
    monkeypatch.setattr(timezone, "now", lambda: datetime.datetime(2026, 11, 30, 18, tzinfo=datetime.UTC))
    found = await search(date, origin)
    assert found["date"] == day
    assert "in the past" not in found.get("note", "")


@pytest.mark.parametrize("date", ["2031-5-1", "2031/05/01", "20310501", 20310501, "2031.5.1", "2031年5月1日"])
async def test_dates_are_read_however_they_are_written(date):
    assert (await search(date))["date"] == "2031-05-01"


@pytest.mark.parametrize("date", ["next week", "2031-02-30", "", None, 5.5])
async def test_what_is_no_date_is_named(date):
    with pytest.raises(ToolArgumentsInvalid, match="date"):
        await search(date)


async def test_past_date_says_so():
    assert "in the past" in (await search("2020-01-01"))["note"]


@pytest.mark.parametrize(("origin", "destination"), [("Atlantis", "Tokyo"), ("Tokyo", "Atlantis"), ("Tokyo", "NRT")])
async def test_nothing_found_says_why(origin, destination):
    found = await search("2031-05-01", origin, destination)
    assert found["flights"] == []
    assert "Atlantis" in found["note"] or "same city" in found["note"]


def make_dearer(flight_no: str) -> None:
    Flight.objects.filter(flight_no=flight_no).update(price=899, seats=3)
    Policy.objects.filter(key="highest-price").update(max_price=898)


async def test_stored_flights_and_policy_decide():
    day = timezone.localdate() + datetime.timedelta(days=2)
    await in_pool(samples_refresh)(today=timezone.localdate())
    first = await search(day.isoformat())
    await in_pool(make_dearer)(first["flights"][0]["flight_no"])
    changed = (await search(day.isoformat()))["flights"][0]
    assert (changed["price"], changed["seats"], changed["within_policy"]) == ("899.00 USD", 3, False)


async def test_weather_is_the_same_for_every_name_of_a_city():
    said = await call("get_weather", city="Berlin")
    assert said == await call("get_weather", city="柏林")
    assert "sample data" in said["source"]
    assert -30 < said["temperature_c"] < 50


async def test_weather_of_an_unknown_city_is_still_sample_data():
    said = await call("get_weather", city="Atlantis")
    assert (said["city"], "sample data" in said["source"]) == ("Atlantis", True)
    assert said == await call("get_weather", city="atlantis ") | {"city": "Atlantis"}

"""Qwen2.5-Coder: the model itself chooses a tool for a plain question, and answers from its result."""

import datetime
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect, sync_playwright

from examples.travel.places import city_of
from examples.travel.weather import weather_of
from tests.local_llm.conftest import Ask, Turn
from tests.site import PASSWORD, Site

pytestmark = [pytest.mark.local_llm, pytest.mark.usefixtures("qwen")]

WEATHER = "What is the weather in Tokyo?"
PATIENCE_MS = 480_000


def flights_question() -> str:
    day = datetime.date.today() + datetime.timedelta(days=3)
    return f"Find me a flight from Shanghai to Tokyo on {day}."


def todays_weather(city: str) -> dict[str, Any]:
    """What the tool says, as nobody could guess it."""
    place = city_of(city)
    assert place
    return weather_of(city, place, timezone.localdate(timezone=place.timezone))


def call_of(turn: Turn, tool: str) -> dict[str, Any]:
    """The result of the one call of ``tool``."""
    completed = [data for data in turn.data("ToolCallCompleted") if data["name"] == tool]
    assert len(completed) == 1, turn.data("ToolCallStarted")
    assert completed[0]["status"] == "done"
    result: dict[str, Any] = completed[0]["result"]
    return result


def facts_of(flights: dict[str, Any]) -> set[str]:
    """What only the result of a search can tell: numbers, airlines, prices and times."""
    found: set[str] = set()
    for flight in flights["flights"]:
        found |= {flight["flight_no"], flight["airline"], flight["price"].split()[0].removesuffix(".00")}
        found |= {flight[key].split()[1] for key in ("departs", "arrives")}
    return found


def test_weather_through_the_api(ask: Ask) -> None:
    turn = ask(WEATHER)

    weather = call_of(turn, "get_weather")
    assert weather["city"] == "Tokyo"
    assert str(weather["temperature_c"]) in turn.end["output"]
    assert turn.end["model"] == "qwen2.5-coder"
    assert turn.end["usage"]["estimated"] is False


def test_flights_through_ask(site: Site) -> None:
    done = site.manage("ask", "--json", flights_question())

    assert done.returncode == 0, done.stderr
    turn = Turn([json.loads(line) for line in done.stdout.splitlines()])
    flights = call_of(turn, "search_flights")
    assert flights["flights"]
    assert [fact for fact in facts_of(flights) if fact in turn.end["output"]]


@pytest.fixture
def page(site: Site, chromium_path: str) -> Iterator[Page]:
    """The home page of the site, as the demo user."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(reduced_motion="reduce")
        page.goto(f"{site.url}/accounts/login/")
        page.locator("input[name=username]").fill("demo")
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("input[name=password]").press("Enter")
        page.locator("steward-drawer[data-ready]").wait_for(state="attached")
        yield page
        browser.close()


@pytest.mark.browser
def test_weather_through_the_drawer(page: Page) -> None:
    page.locator("steward-drawer .launcher").click()
    box = page.get_by_role("textbox", name=re.compile("^Message "))
    box.fill(WEATHER)
    box.press("Enter")

    expect(page.locator("steward-drawer")).to_contain_text("Weather in Tokyo", timeout=PATIENCE_MS)
    answer = page.locator("steward-drawer .markdown").last
    expect(answer).to_contain_text(str(todays_weather("Tokyo")["temperature_c"]), timeout=PATIENCE_MS)

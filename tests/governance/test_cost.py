"""The cost dashboard: every bar is the sum of the ledger that it links to, and no two currencies meet."""

import html
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agentcore.ids import uuid7
from agentcore.observers import Cost, RunEnded
from governance.models import Turn, UsageDay
from governance.services.ledger import ledger_record
from governance.services.seeding import ledger_seed

pytestmark = [pytest.mark.django_db, pytest.mark.database]
COST = "/governance/cost/"
ROW = re.compile(r'<tr><th scope="row"><a href="([^"]+)">([^<]+)</a></th><td class="gv-num">([^<]+)</td>')


@pytest.fixture
def seeded() -> None:
    ledger_seed(120, days=9)


@pytest.fixture
def operator(people: dict[str, User]) -> Client:
    client = Client()
    client.force_login(people["operator"])
    return client


def charts(page: str) -> dict[str, str]:
    """The section of each chart by its title."""
    sections = re.findall(r'<section class="gv-chart.*?</section>', page, re.DOTALL)
    return {html.unescape(re.findall(r"<h2[^>]*>([^<]+)<", section)[0]): section for section in sections}


def bars(section: str) -> list[tuple[str, str, str]]:
    """Address, label and value of each bar, from the table."""
    return [tuple(map(html.unescape, row)) for row in ROW.findall(section)]  # type: ignore[misc]


def listed(client: Client, href: str) -> list[dict[str, Any]]:
    """Every turn of the ledger that a bar links to, by the API with the same filters."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(href).query).items()}
    assert client.get(href).status_code == 200
    found: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        answer = client.get("/api/governance/turns", {**query, "limit": "200", "cursor": cursor}).json()
        found, cursor = found + answer["results"], answer["next"]
    return found


def amount(text: str) -> Decimal:
    return Decimal(re.sub(r"[^\d.]", "", text))


@pytest.mark.parametrize("query", [{}, {"period": "7d"}, {"agent": "assistant"}, {"currency": "EUR"}])
@pytest.mark.parametrize("is_closed", [True, False])
def test_every_bar_is_the_sum_of_its_list(
    operator: Client, seeded: None, query: dict[str, str], is_closed: bool
) -> None:
    if not is_closed:
        UsageDay.objects.all().delete()

    found = charts(operator.get(COST, query).content.decode())

    assert len(found) >= 3
    for title, section in found.items():
        shown = bars(section)
        assert shown
        for href, _label, value in shown[:4]:
            turns = listed(operator, href)
            if title.startswith("Cost"):
                currency = title[-3:]
                assert {turn["currency"] for turn in turns} == {currency}
                assert value.endswith(currency)
                assert amount(value) == sum(Decimal(turn["cost"]) for turn in turns if turn["cost"])
            elif title == "Requests by user":
                assert amount(value) == len(turns)
            else:
                assert amount(value) == sum(turn["usage"]["input_tokens"] for turn in turns)


def test_each_currency_has_its_charts(operator: Client, seeded: None) -> None:
    found = charts(operator.get(COST).content.decode())

    assert {"Cost by model, USD", "Cost by model, EUR", "Cost over time, USD", "Cost over time, EUR"} <= found.keys()
    assert "EUR" not in found["Cost by model, USD"]


def test_a_bar_of_a_user_whose_name_is_a_number_is_the_sum_of_its_list(operator: Client, ended: RunEnded) -> None:
    for name, user_id in (("7", "1"), ("7", "1"), ("ada", "7")):
        begun = replace(ended.started, username=name, user_id=user_id)
        ledger_record(uuid7(), [replace(ended, started=begun)])

    days = {"since": f"{ended.at:%Y-%m-%d}", "until": f"{ended.at:%Y-%m-%d}"}
    found = bars(charts(operator.get(COST, days).content.decode())["Requests by user"])

    assert [(label, value) for _href, label, value in found] == [("7", "2"), ("ada", "1")]
    assert [len(listed(operator, href)) for href, _label, _value in found] == [2, 1]


@pytest.mark.parametrize("currency", ["USD", "EUR"])
def test_a_bar_of_a_model_with_two_currencies_leads_to_its_own(
    operator: Client, ended: RunEnded, currency: str
) -> None:
    for each in ("USD", "EUR"):
        ledger_record(uuid7(), [replace(ended, cost=Cost(amount=Decimal(1), currency=each))])

    days = {"since": f"{ended.at:%Y-%m-%d}", "until": f"{ended.at:%Y-%m-%d}"}
    section = charts(operator.get(COST, days).content.decode())[f"Cost by model, {currency}"]

    [(href, _label, _value)] = bars(section)
    assert [turn["currency"] for turn in listed(operator, href)] == [currency]


def test_the_picture_and_the_table_say_the_same(operator: Client, seeded: None) -> None:
    for section in charts(operator.get(COST).content.decode()).values():
        drawn = re.findall(r'<a class="gv-bar-link" href="([^"]+)" aria-label="([^"]+)"', section)

        assert [(html.unescape(href), html.unescape(text)) for href, text in drawn] == [
            (href, f"{label}: {value}") for href, label, value in bars(section)
        ]


def test_the_cards_of_the_dashboard_lead_to_what_they_count(operator: Client, seeded: None) -> None:
    page = operator.get(COST).content.decode()
    cards = re.findall(r'gv-value"><a href="([^"]+)">([^<]+)<', page)

    assert cards
    for href, value in cards:
        if "%" not in value:
            assert len(listed(operator, html.unescape(href))) == int(value)


def test_long_spans_are_shown_by_month(operator: Client, seeded: None) -> None:
    last = Turn.objects.latest("started_at").started_at
    page = operator.get(COST, {"since": f"{last.year - 1}-06-15", "until": f"{last:%Y-%m-%d}"}).content.decode()
    section = charts(page)["Cost over time, USD"]

    assert ">Month<" in section
    for href, _label, value in bars(section):
        assert amount(value) == sum(Decimal(turn["cost"]) for turn in listed(operator, href) if turn["cost"])


def test_a_dashboard_of_nothing_says_so(operator: Client) -> None:
    page = operator.get(COST).content.decode()

    assert "No record fits these filters" in page
    assert "Times in UTC." in page


@pytest.mark.parametrize("path", [COST, "/governance/turns/", "/governance/audit/"])
def test_a_page_takes_at_most_eight_queries(operator: Client, seeded: None, path: str) -> None:
    with CaptureQueriesContext(connection) as captured:
        operator.get(path)

    assert len(captured) <= 8, [query["sql"] for query in captured.captured_queries]


def test_going_back_to_the_start_takes_at_most_eight_queries(operator: Client, seeded: None) -> None:
    for path in ("/governance/turns/", "/governance/audit/"):
        older = re.search(r'rel="next" href="([^"]+)"', operator.get(path, {"limit": "5"}).content.decode())
        assert older
        newer = re.search(r'rel="prev" href="([^"]+)"', operator.get(path + html.unescape(older[1])).content.decode())
        assert newer
        with CaptureQueriesContext(connection) as captured:
            operator.get(path + html.unescape(newer[1]))
        assert len(captured) <= 8, [query["sql"] for query in captured.captured_queries]


def test_the_charts_keep_the_policy(operator: Client, seeded: None) -> None:
    page = operator.get(COST).content.decode()

    assert "<svg" in page
    assert not re.search(r"\sstyle=|\son\w+=|<style", page)


def test_the_report_for_programs_is_the_same(operator: Client, seeded: None, browse: Callable[..., Any]) -> None:
    answer = operator.get("/api/governance/cost").json()

    assert sum(tally["turns"] for tally in answer["totals"]) == sum(tally["turns"] for tally in answer["by_user"])
    assert {tally["currency"] for tally in answer["totals"]} == {"USD", "EUR"}
    assert answer["time_zone"] == "UTC"
    for tally in answer["totals"]:
        parts = [part for part in answer["over_time"] if part["currency"] == tally["currency"]]
        assert sum(Decimal(part["cost"] or 0) for part in parts) == Decimal(tally["cost"])

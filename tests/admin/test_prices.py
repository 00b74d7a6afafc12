"""Prices in the admin: a known currency, no negative amount, and never two for one moment."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from agentcore.chat import Route
from agentcore.messages import Usage
from agentcore.models import ModelPrice
from agentcore.services.prices import cost_of

ADD = "/admin/agentcore/modelprice/add/"


def form(**fields: str) -> dict[str, str]:
    usual = {
        "provider": "hosted",
        "model": "fx-1",
        "currency": "usd",
        "input_per_mtok": "1.5",
        "output_per_mtok": "2",
        "cached_input_per_mtok": "",
        "cache_write_per_mtok": "",
        "valid_from_0": "2026-06-01",
        "valid_from_1": "00:00:00",
    }
    return {**usual, **fields}


def test_a_price_counts_from_its_moment_on(boss: Client, price: ModelPrice) -> None:
    assert boss.post(ADD, form()).status_code == 302

    route, usage = Route("hosted", "fx-1"), Usage(input_tokens=1_000_000)
    assert cost_of(route, usage, datetime(2026, 5, 31, 23, 59, tzinfo=UTC)).amount == Decimal(1)
    assert cost_of(route, usage, datetime(2026, 6, 1, tzinfo=UTC)).amount == Decimal("1.5")
    page = boss.get("/admin/agentcore/modelprice/").content.decode()
    assert "June 1, 2026" in page
    assert "further notice" in page


def test_the_currency_is_stored_in_capitals_and_the_model_without_blanks(boss: Client, provider: Any) -> None:
    boss.post(ADD, form(model=" fx-1 ", currency="cny"))
    row = ModelPrice.objects.get()
    assert (row.model, row.currency) == ("fx-1", "CNY")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("currency", "XYZ"),
        ("currency", "$"),
        ("currency", ""),
        ("input_per_mtok", "-1"),
        ("output_per_mtok", "free"),
        ("cached_input_per_mtok", "NaN"),
        ("cache_write_per_mtok", "-0.1"),
        ("model", "  "),
        ("valid_from_0", "someday"),
    ],
)
def test_nonsense_is_refused(field: str, value: str, boss: Client, provider: Any) -> None:
    assert boss.post(ADD, form(**{field: value})).status_code == 200
    assert not ModelPrice.objects.exists()


def test_two_prices_of_one_moment_are_refused(boss: Client, provider: Any) -> None:
    assert boss.post(ADD, form()).status_code == 302
    answer = boss.post(ADD, form(model=" fx-1", input_per_mtok="9"))
    assert answer.status_code == 200
    assert ModelPrice.objects.count() == 1

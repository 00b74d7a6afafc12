"""Prices in the admin: a known currency, no negative amount, never two for one moment, and tiers for longer calls."""

from collections.abc import Callable
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


def form(*tiers: dict[str, str], **fields: str) -> dict[str, str]:
    """The form of a price; a tier is the fields of its row."""
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
        "tiers-TOTAL_FORMS": str(len(tiers)),
        "tiers-INITIAL_FORMS": "0",
    }
    rows = {f"tiers-{number}-{name}": value for number, row in enumerate(tiers) for name, value in row.items()}
    return {**usual, **fields, **rows}


def tier(above: str = "200000", **fields: str) -> dict[str, str]:
    return {"above_input_tokens": above, "input_per_mtok": "3", "output_per_mtok": "4", **fields}


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


def test_a_longer_call_pays_the_tier_from_above_its_bound_on(boss: Client, provider: Any) -> None:
    assert boss.post(ADD, form(tier("500000", input_per_mtok="5"), tier(cached_input_per_mtok="1"))).status_code == 302

    route, now = Route("hosted", "fx-1"), datetime(2026, 7, 1, tzinfo=UTC)
    assert cost_of(route, Usage(input_tokens=200_000), now).amount == Decimal("0.3")
    longer = cost_of(route, Usage(input_tokens=200_001, cached_input_tokens=1), now)
    assert (longer.amount, longer.currency, longer.prices["tier"]) == (Decimal("0.600001"), "USD", "above 200000")
    assert cost_of(route, Usage(input_tokens=500_001), now).amount == Decimal("2.500005")


def test_the_list_shows_where_other_rates_begin(boss: Client, price: ModelPrice) -> None:
    boss.post(ADD, form(tier("500000"), tier("200000")))
    page = boss.get("/admin/agentcore/modelprice/").content.decode()
    assert "above 200,000, 500,000 tokens" in page


@pytest.mark.parametrize(
    "tiers",
    [
        [tier(), tier(input_per_mtok="9")],
        [tier("0")],
        [tier("-1")],
        [tier("many")],
        [tier("")],
        [tier(input_per_mtok="-1")],
        [tier(output_per_mtok="")],
        [tier(cached_input_per_mtok="-0.1")],
        [tier(cache_write_per_mtok="Infinity")],
    ],
    ids=["twice", "zero", "negative", "words", "no-bound", "rate", "no-rate", "cached", "written"],
)
def test_a_tier_that_makes_no_sense_is_refused(tiers: list[dict[str, str]], boss: Client, provider: Any) -> None:
    assert boss.post(ADD, form(*tiers)).status_code == 200
    assert not ModelPrice.objects.exists()


def test_a_cost_takes_two_queries_at_most(
    price: ModelPrice, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    rates = {"input_per_mtok": Decimal(3), "output_per_mtok": Decimal(4)}
    earlier = ModelPrice.objects.create(
        provider=price.provider, model="fx-1", valid_from=datetime(2025, 1, 1, tzinfo=UTC), **rates
    )
    for row in (price, earlier):
        row.tiers.create(above_input_tokens=10, **rates)
    usage, now = Usage(input_tokens=11), datetime(2026, 7, 1, tzinfo=UTC)
    for model, amount in (("fx-1", Decimal("0.000033")), ("fx-2", None)):
        with django_assert_max_num_queries(2):
            assert cost_of(Route("hosted", model), usage, now).amount == amount


def test_who_may_set_a_price_may_set_its_tiers(staff: Callable[..., Client], provider: Any) -> None:
    browser = staff("add_modelprice")
    assert b"tiers-0-above_input_tokens" in browser.get(ADD).content
    assert browser.post(ADD, form(tier())).status_code == 302
    assert ModelPrice.objects.get().tiers.count() == 1


def test_who_may_only_look_at_a_price_reads_its_tiers(staff: Callable[..., Client], price: ModelPrice) -> None:
    price.tiers.create(above_input_tokens=200_000, input_per_mtok=Decimal(3), output_per_mtok=Decimal(4))
    page = staff("view_modelprice").get(f"/admin/agentcore/modelprice/{price.pk}/change/").content.decode()
    assert "200000" in page.replace(",", "")
    assert 'name="tiers-0-above_input_tokens"' not in page

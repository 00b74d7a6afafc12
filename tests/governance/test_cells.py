"""How values are shown: exact where it is money, rounded where it is a measure, honest where it is unknown."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.utils import timezone, translation

from governance.pages.cells import count, duration, moment, money, share


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0.0000125000", "0.0000125 USD"),
        ("0", "0.00 USD"),
        ("0E-10", "0.00 USD"),
        ("12.5", "12.50 USD"),
        ("1234567.1234567891", "1,234,567.1234567891 USD"),
        (None, "unknown"),
    ],
)
def test_money_is_exact(amount: str | None, shown: str) -> None:
    assert money(None if amount is None else Decimal(amount), "USD") == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(None, "–"), (0, "0 ms"), (999, "999 ms"), (1_000, "1.0 s"), (1_960, "2.0 s"), (61_000, "1 min 1 s")],
)
def test_durations(milliseconds: int | None, shown: str) -> None:
    assert duration(milliseconds) == shown


def test_a_share_is_rounded_and_needs_a_whole() -> None:
    assert (share(6, 29), share(0, 0), share(0, 3)) == ("20.7%", "–", "0.0%")


def test_a_moment_is_in_the_zone_of_the_site() -> None:
    with timezone.override("Asia/Shanghai"):
        assert moment(datetime(2026, 7, 1, 20, 0, 5, tzinfo=UTC)) == "2026-07-02 04:00:05"


def test_numbers_are_grouped_in_both_languages() -> None:
    for language in ("en", "zh-hans"):
        with translation.override(language):
            assert count(1_234_567) == "1,234,567"
            assert money(Decimal("1234567.5"), "USD") == "1,234,567.50 USD"

"""Prices: decimals from the price to the string, and the shared cases of cost."""

import logging
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from agentcore.agents.context import cost_text
from agentcore.messages import Usage
from agentcore.observers import Cost
from agentcore.pricing import PriceBook, PriceOverride, PriceTier
from tests.recorded import case

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def override(price: dict[str, str], **fields: object) -> PriceOverride:
    optional = {"cached_input_per_mtok": price.get("cache_read"), "cache_write_per_mtok": price.get("cache_write_5m")}
    values: dict[str, object] = {
        "model": "m",
        "currency": "USD",
        "input_per_mtok": Decimal(price["in"]),
        "output_per_mtok": Decimal(price["out"]),
        "valid_from": datetime(2026, 1, 1, tzinfo=UTC),
        **{name: None if value is None else Decimal(value) for name, value in optional.items()},
    }
    return PriceOverride(**values | fields)  # type: ignore[arg-type]


def cost(usage: Usage, *overrides: PriceOverride, model: str = "m", kind: str = "mock", base_url: str = "") -> Cost:
    return PriceBook(overrides).cost(provider_type=kind, base_url=base_url, model=model, usage=usage, at=NOW)


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("A28", Usage(input_tokens=10004, output_tokens=500, cache_write_tokens=10000)),
        ("A29", Usage(input_tokens=200, output_tokens=1970, reasoning_tokens=956)),
    ],
)
def test_parts_of_a_whole_are_not_charged_twice(name: str, usage: Usage) -> None:
    given = case(name)

    found = cost(usage, override(given["input"]["price_per_mtok"]))

    assert found.amount == Decimal(given["expected"]["cost"])


def test_a30_a_cost_is_a_plain_decimal_string() -> None:
    given = case("A30")
    usage = Usage(input_tokens=given["input"]["usage"]["in"], output_tokens=given["input"]["usage"]["out"])

    found = cost(usage, override(given["input"]["price_per_mtok"]))

    assert found.amount is not None
    assert str(found.amount) == cost_text(found.amount) == given["expected"]["cost_json"]
    assert sum([Decimal("0.10")] * 10, Decimal(0)) == Decimal(given["expected"]["sum"])


@pytest.mark.parametrize(("tokens", "text"), [(0, "0"), (1_000_000, "5"), (2_000_000_000, "10000"), (1, "0.000005")])
def test_an_amount_has_no_exponent_and_no_idle_zeros(tokens: int, text: str) -> None:
    assert str(cost(Usage(input_tokens=tokens), override({"in": "5.000000", "out": "0"})).amount) == text


def test_cached_input_falls_back_to_the_price_of_input() -> None:
    usage = Usage(input_tokens=100, cached_input_tokens=60)

    assert cost(usage, override({"in": "10", "out": "0"})).amount == Decimal("0.001")
    assert cost(usage, override({"in": "10", "out": "0", "cache_read": "1"})).amount == Decimal("0.00046")
    assert cost(usage, override({"in": "10", "out": "0", "cache_read": "0"})).amount == Decimal("0.0004")


def test_more_cached_than_input_is_clamped_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    usage = Usage(input_tokens=10, cached_input_tokens=100, cache_write_tokens=5)

    assert cost(usage, override({"in": "10", "out": "0", "cache_read": "1"})).amount == Decimal("0.00001")
    assert "more cached tokens" in caplog.text


def test_the_newest_price_that_is_valid_counts_and_is_kept() -> None:
    old = override({"in": "1", "out": "1"}, currency="EUR")
    new = override({"in": "2", "out": "2"}, currency="CNY", valid_from=datetime(2026, 6, 1, tzinfo=UTC))
    future = override({"in": "3", "out": "3"}, valid_from=datetime(2027, 1, 1, tzinfo=UTC))

    found = cost(Usage(input_tokens=1_000_000), future, new, old)

    assert (found.amount, found.currency) == (Decimal(2), "CNY")
    assert found.prices["input_per_mtok"] == "2"
    assert found.prices["valid_from"] == "2026-06-01T00:00:00+00:00"


def test_the_shipped_prices_know_a_well_known_model_by_its_address() -> None:
    usage = Usage(input_tokens=1000, output_tokens=10, cached_input_tokens=100)

    found = cost(usage, model="gpt-4o", kind="openai_chat")

    assert (found.amount, found.currency) == (Decimal("0.002475"), "USD")
    assert found.prices["input_per_mtok"] == "2.5"
    assert found.prices["source"].startswith("genai-prices ")


LONG = PriceTier(above_input_tokens=200_000, input_per_mtok=Decimal(6), output_per_mtok=Decimal(20))
LONGEST = PriceTier(
    above_input_tokens=500_000,
    input_per_mtok=Decimal(9),
    output_per_mtok=Decimal(30),
    cached_input_per_mtok=Decimal(1),
    cache_write_per_mtok=Decimal(12),
)


@pytest.mark.parametrize(
    ("usage", "amount", "tier"),
    [
        (Usage(input_tokens=199_999), "0.599997", None),
        (Usage(input_tokens=200_000), "0.6", None),
        (Usage(input_tokens=200_001), "1.200006", "above 200000"),
        (Usage(input_tokens=1, output_tokens=300_000), "3.000003", None),
        # What was read from the cache and written to it counts towards the bound, since it is input.
        (Usage(input_tokens=200_001, cached_input_tokens=200_000), "1.200006", "above 200000"),
        (Usage(input_tokens=500_000), "3", "above 200000"),
        (
            Usage(input_tokens=500_001, cached_input_tokens=300_000, cache_write_tokens=200_000, output_tokens=100),
            "2.703009",
            "above 500000",
        ),
    ],
)
@pytest.mark.parametrize("tiers", [(LONG, LONGEST), (LONGEST, LONG)], ids=["ascending", "descending"])
def test_a_tier_counts_for_the_whole_call_above_its_bound(
    tiers: tuple[PriceTier, ...], usage: Usage, amount: str, tier: str | None
) -> None:
    found = cost(usage, override({"in": "3", "out": "10"}, tiers=tiers))

    assert found.amount == Decimal(amount)
    assert found.prices.get("tier") == tier


def test_the_record_keeps_the_rates_of_the_tier_that_was_used() -> None:
    found = cost(Usage(input_tokens=200_001), override({"in": "3", "out": "10", "cache_read": "1"}, tiers=(LONG,)))

    assert found.prices == {
        "input_per_mtok": "6",
        "cached_input_per_mtok": "6",
        "cache_write_per_mtok": "6",
        "output_per_mtok": "20",
        "tier": "above 200000",
        "source": "site",
        "valid_from": "2026-01-01T00:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("input_tokens", "amount", "rate", "tier"),
    [
        (200_000, "0.6", "3", None),
        (200_001, "1.200006", "6", "above 200000"),
    ],
)
def test_a_shipped_tier_counts_above_its_bound(input_tokens: int, amount: str, rate: str, tier: str | None) -> None:
    found = cost(Usage(input_tokens=input_tokens), model="claude-sonnet-4-5", kind="anthropic")

    assert found.amount == Decimal(amount)
    assert (found.prices["input_per_mtok"], found.prices.get("tier")) == (rate, tier)


def test_shipped_cache_prices_are_for_parts_of_the_input() -> None:
    usage = Usage(input_tokens=1000, cached_input_tokens=400, cache_write_tokens=500, output_tokens=10)

    found = cost(usage, model="claude-sonnet-4-5", kind="anthropic")

    fresh, cached, written, output = 100 * Decimal(3), 400 * Decimal("0.3"), 500 * Decimal("3.75"), 10 * Decimal(15)
    assert found.amount == (fresh + cached + written + output) / 1_000_000


def test_cached_input_of_a_shipped_price_without_one_is_charged_as_input() -> None:
    groq = {"kind": "openai_chat", "base_url": "https://api.groq.com/openai/v1", "model": "llama-3.3-70b-versatile"}

    cached = cost(Usage(input_tokens=1000, cached_input_tokens=600), **groq)

    assert cached.amount == cost(Usage(input_tokens=1000), **groq).amount is not None


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        ("https://api.openai.com/v1", "gpt-4o"),
        ("https://api.deepseek.com/v1", "deepseek-chat"),
        ("https://api.deepseek.com", "deepseek-chat"),
        ("https://openrouter.ai/api/v1", "openai/gpt-4o"),
        ("https://api.groq.com/openai/v1", "llama-3.3-70b-versatile"),
        ("https://api.mistral.ai/v1", "mistral-small-latest"),
        ("https://api.moonshot.cn/v1", "kimi-k2-0905-preview"),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.5-pro"),
        ("https://api.anthropic.com/v1", "claude-sonnet-4-5"),
    ],
)
@pytest.mark.parametrize("kind", ["openai_chat", "openai_compatible"])
def test_the_shipped_prices_are_found_by_the_host(kind: str, base_url: str, model: str) -> None:
    found = cost(Usage(input_tokens=1000, output_tokens=10), kind=kind, base_url=base_url, model=model)
    assert found.amount is not None
    assert found.amount > 0


@pytest.mark.parametrize(
    ("kind", "base_url", "model"),
    [
        ("mock", "", "mock-1"),
        ("mock", "", "gpt-4o"),
        ("openai_chat", "http://127.0.0.1:8080/v1", "gpt-4o"),
        ("openai_chat", "http://ollama:11434/v1", "gpt-4o"),
        ("openai_chat", "http://192.168.0.2/v1", "gpt-4o"),
        ("openai_chat", "https://gateway.example/v1", "gpt-4o"),
        ("anthropic", "http://localhost:4000", "claude-sonnet-4-5"),
        ("openai_responses", "http://localhost:8080/v1", "gpt-4o"),
        # Paid by the minute: it has a price, and none of a token.
        ("openai_chat", "https://api.openai.com/v1", "whisper-1"),
        ("openai_chat", "", "no-such-model"),
        ("ollama", "", "llama3"),
    ],
)
def test_an_unknown_price_is_unknown_and_not_zero(kind: str, base_url: str, model: str) -> None:
    assert cost(Usage(input_tokens=5), kind=kind, base_url=base_url, model=model) == Cost(amount=None)


def test_the_sites_own_price_wins_over_the_shipped_one() -> None:
    found = cost(
        Usage(input_tokens=1_000_000),
        override({"in": "7", "out": "7"}, model="gpt-4o"),
        model="gpt-4o",
        kind="openai_chat",
    )

    assert found.amount == Decimal(7)

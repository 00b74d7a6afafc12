"""What a run used: a sum with a hole is no sum."""

from decimal import Decimal

import pytest

from agentcore.agents.context import Meter
from agentcore.messages import Usage
from agentcore.observers import Cost

KNOWN, UNKNOWN, EUROS = Cost(amount=Decimal("0.25")), Cost(), Cost(amount=Decimal(1), currency="EUR")


@pytest.mark.parametrize(
    ("costs", "total"),
    [
        ([KNOWN, KNOWN], Decimal("0.50")),
        ([KNOWN, UNKNOWN], None),
        ([UNKNOWN, KNOWN], None),
        ([UNKNOWN], None),
        ([KNOWN, EUROS], None),
        ([], Decimal(0)),
    ],
)
def test_meter_knows_no_total_when_one_price_is_unknown(costs: list[Cost], total: Decimal | None) -> None:
    meter = Meter()
    for cost in costs:
        meter.add(Usage(input_tokens=1), cost)

    assert meter.total().cost == total
    assert meter.total().usage.input_tokens == len(costs)


def test_meter_counts_from_an_attempt_on() -> None:
    meter = Meter()
    meter.add(Usage(input_tokens=5), UNKNOWN)
    meter.add(Usage(input_tokens=7), KNOWN)

    assert meter.total(since=1).cost == KNOWN.amount
    assert meter.total(since=1).usage.input_tokens == 7


def test_a_call_that_was_refused_makes_no_hole_and_no_other_currency() -> None:
    meter = Meter()
    meter.add(Usage(), Cost(amount=Decimal(0)))
    meter.add(Usage(input_tokens=7), EUROS)

    total = meter.total()
    assert (total.cost, total.currency, total.usage.estimated) == (EUROS.amount, "EUR", False)

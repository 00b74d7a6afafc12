"""Tallies: what turns add up to. The counters are named here once, for the ledger and for its roll-ups."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from operator import attrgetter
from typing import Any

from django.db.models import Aggregate, Count, Q, Sum

from governance.models import Turn

TOKENS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
COUNTERS = ("turns", "running", "failed", "unpriced", *TOKENS)
_PLACES = Decimal(1).scaleb(-10)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What some turns of one currency add up to. ``cost`` is None when no price is known, which is not zero."""

    currency: str = ""
    turns: int = 0
    running: int = 0
    failed: int = 0
    unpriced: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: Decimal | None = None
    # Which turns: what the read grouped by, else empty.
    day: date | None = None
    provider_id: str = ""
    model: str = ""
    username: str = ""

    @property
    def ended(self) -> int:
        return self.turns - self.running


# Which turns a tally is of.
_LABELS = [field.name for field in fields(Tally) if field.name not in {*COUNTERS, "cost"}]


def turn_totals() -> dict[str, Aggregate]:
    """The counters over rows of the ledger, by ``total_`` and their name."""
    sums: dict[str, Aggregate] = {f"total_{name}": Sum(name) for name in (*TOKENS, "cost")}
    return sums | {
        # Of columns that are read anyway: SQLite sorts what it groups, and a key in each row makes that slower.
        "total_turns": Count("*"),
        "total_running": Count("status", filter=Q(status=Turn.Status.RUNNING)),
        "total_failed": Count("status", filter=Q(status=Turn.Status.FAILED)),
        # A turn that called no model has nothing to price, and one that runs has no price yet.
        "total_unpriced": Count("status", filter=Q(cost=None, model_calls__gt=0) & ~Q(status=Turn.Status.RUNNING)),
    }


def rolled_totals(relation: str) -> dict[str, Aggregate]:
    """The counters over the roll-ups of a day."""
    return {f"total_{name}": Sum(f"{relation}__{name}") for name in (*COUNTERS, "cost")}


def totals_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The counters of a row that was read with either of the two above."""
    counters: dict[str, Any] = {name: int(row[f"total_{name}"] or 0) for name in COUNTERS}
    cost = row["total_cost"]
    # SQLite adds as floats: at ten places the digits that are noise are gone.
    return counters | {"cost": None if cost is None else Decimal(cost).quantize(_PLACES)}


def added(tallies: Iterable[Tally], key: Callable[[Tally], Hashable]) -> list[Tally]:
    """One tally for each key, in the order in which the keys came; it keeps what all of its parts agree on."""
    groups: defaultdict[Hashable, list[Tally]] = defaultdict(list)
    for tally in tallies:
        groups[key(tally)].append(tally)
    return [_sum(group) if len(group) > 1 else group[0] for group in groups.values()]


def _sum(group: Sequence[Tally]) -> Tally:
    values: dict[str, Any] = {name: sum(map(attrgetter(name), group)) for name in COUNTERS}
    costs = [tally.cost for tally in group if tally.cost is not None]
    values["cost"] = sum(costs, Decimal()) if costs else None
    labels = {name: set(map(attrgetter(name), group)) for name in _LABELS}
    return Tally(**values, **{name: found.pop() for name, found in labels.items() if len(found) == 1})

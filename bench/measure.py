"""A measurement: how much more or less one thing takes than another on the same machine."""

import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 5


@dataclass(frozen=True)
class Ratio:
    """``value`` of ``unit``; better when it is small. ``limit`` is what must hold, None where there is no promise."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def is_kept(self) -> bool:
        return self.limit is None or self.value <= self.limit


def seconds(work: Callable[[], object]) -> float:
    """The shortest of ``ROUNDS`` rounds: what disturbs a round only makes it longer."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        rounds.append(time.perf_counter() - began)
    return min(rounds)

"""Charts as plain values: bars with their place in a picture, and the same data as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

# Bars that a person can still read; what is beyond them is counted under the chart.
MOST_BARS = 12
_ROW_PX, _COLUMN_PX = 42, 180


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One value. ``size`` is its exact amount, ``text`` how it reads, ``href`` the records that it is the sum of."""

    label: str
    size: Decimal
    text: str
    href: str = ""
    share: str = ""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A bar in the picture: percents of its width, and pixels of its height."""

    bar: Bar
    x: str
    width: str
    y: int
    height: int
    label_y: int
    value_y: int
    short: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart. ``is_over_time`` stands the bars upright, in their own order; else they lie, the largest first."""

    slug: str
    title: str
    label: str
    unit: str
    bars: Sequence[Bar]
    is_over_time: bool = False
    note: str = ""

    @property
    def is_empty(self) -> bool:
        return not any(bar.size for bar in self.bars)

    @property
    def height(self) -> int:
        return _COLUMN_PX if self.is_over_time else _ROW_PX * len(self.bars)

    @property
    def placed(self) -> list[Placed]:
        largest = max((bar.size for bar in self.bars), default=Decimal()) or Decimal(1)
        place = self._upright if self.is_over_time else self._lying
        return [place(number, bar, bar.size / largest) for number, bar in enumerate(self.bars)]

    @property
    def axis(self) -> list[dict[str, Any]]:
        """The first, the middle and the last label of a chart over time."""
        bars = self.bars
        ends = [(0, "0", "start"), (len(bars) - 1, "100%", "end")]
        middle = [(len(bars) // 2, _percent(Decimal(2 * (len(bars) // 2) + 1) / (2 * len(bars))), "middle")]
        shown = ends[:1] if len(bars) == 1 else [ends[0], *(middle if len(bars) > 4 else []), ends[1]]
        return [{"text": bars[number].label, "x": x, "anchor": anchor} for number, x, anchor in shown]

    @property
    def largest(self) -> Bar:
        return max(self.bars, key=lambda bar: bar.size)

    def _lying(self, number: int, bar: Bar, part: Decimal) -> Placed:
        top = number * _ROW_PX
        return Placed(
            bar=bar,
            x="0",
            # The rest of the width is for the value at its end.
            width=_percent(max(part * Decimal("0.7"), Decimal("0.004")) if bar.size else Decimal()),
            y=top + 20,
            height=12,
            label_y=top + 13,
            value_y=top + 31,
            short=_short(bar.label),
        )

    def _upright(self, number: int, bar: Bar, part: Decimal) -> Placed:
        step = Decimal(1) / len(self.bars)
        height = max(round(part * _COLUMN_PX), 2) if bar.size else 0
        return Placed(
            bar=bar,
            x=_percent(step * number + step * Decimal("0.12")),
            width=_percent(step * Decimal("0.76")),
            y=_COLUMN_PX - height,
            height=height,
            label_y=0,
            value_y=0,
            short=bar.label,
        )


def largest_first(bars: Sequence[Bar]) -> tuple[list[Bar], int]:
    """The bars that are shown, and how many are not."""
    ordered = sorted(bars, key=lambda bar: (-bar.size, bar.label))
    return ordered[:MOST_BARS], max(0, len(ordered) - MOST_BARS)


def _percent(part: Decimal) -> str:
    return f"{part * 100:.3f}%"


def _short(label: str) -> str:
    return label if len(label) <= 44 else f"{label[:43]}…"

"""The cost report: what was spent and used in a span of days, by model, by person and over time."""

from collections.abc import Sequence
from dataclasses import dataclass

from governance.days import Span, spans_of
from governance.question import Question
from governance.tallies import Tally, added
from governance.usage import usage_of_parts

# More days than this are shown by month.
MOST_DAYS = 92


@dataclass(frozen=True, kw_only=True)
class CostReport:
    """Tallies, each of one currency: amounts of two are never added up. ``parts`` are the days or months of it."""

    parts: Sequence[Span]
    totals: Sequence[Tally]
    by_model: Sequence[Tally]
    by_user: Sequence[Tally]
    over_time: Sequence[Tally]

    @property
    def currencies(self) -> list[str]:
        """Those in which something was spent, the one of most turns first."""
        return [tally.currency for tally in self.totals if tally.cost is not None]


def cost_report(question: Question) -> CostReport:
    """At most 3 queries. The span of ``question`` has both ends."""
    parts = spans_of(question.span, most_days=MOST_DAYS)
    usage = usage_of_parts(question, parts)
    found = usage.by_model
    totals = added(found, key=lambda tally: tally.currency)
    return CostReport(
        parts=parts,
        totals=sorted(totals, key=lambda tally: (-tally.turns, tally.currency)),
        by_model=added(found, key=lambda tally: (tally.currency, tally.provider_id, tally.model)),
        by_user=usage.by_user,
        over_time=added(found, key=lambda tally: (tally.currency, tally.day)),
    )

"""Usage: what the turns that a page asks about add up to, from the roll-ups of closed days and else the ledger.

Both together are always the whole truth: a day is read from one of the two.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Case, FilteredRelation, IntegerField, Q, Value, When

from governance.days import DAY, Span, days_between, midnight, spans_without, zone_name
from governance.models import Turn, UsageDay
from governance.question import Question, since_midnight
from governance.tallies import Tally, added, rolled_totals, totals_of, turn_totals

# Of what no roll-up knows, a sum is over this many turns at most, so that it costs the same however many there are.
MOST_TURNS = 10_000
# The filters that a roll-up can answer, with its columns.
_ROLLED = {
    "by_model": {"currency": "currency", "provider": "provider_id", "model": "model"},
    "by_user": {"currency": "currency", "user": "username"},
}
_ROUTE, _PERSON = ("currency", "provider_id", "model"), ("currency", "username")
_TURN_FIELDS = {"currency": "currency", "provider_id": "route_provider_id", "model": "route_model"}


@dataclass(frozen=True, kw_only=True)
class Total:
    """By currency, the one that most turns were paid in first. ``is_newest``: only the newest turns were counted."""

    tallies: Sequence[Tally]
    is_newest: bool = False


def usage_total(question: Question) -> Total:
    """Exact where a roll-up knows the filters, else of the newest ``MOST_TURNS``. 1 query; 2 with roll-ups."""
    relation = _relation(question)
    if relation is None:
        tallies = _live(_newest(question.condition), ["currency"])
        return Total(tallies=_ordered(tallies), is_newest=sum(tally.turns for tally in tallies) >= MOST_TURNS)
    rolled, closed = _rolled_by_day(relation, question, ["currency"])
    live = _live(_outside(question, closed), ["currency"])
    return Total(tallies=_ordered(added([*rolled, *live], key=lambda tally: tally.currency)))


def _ordered(tallies: Iterable[Tally]) -> list[Tally]:
    return sorted(tallies, key=lambda tally: (-tally.turns, tally.currency))


def _relation(question: Question) -> str | None:
    """The roll-ups that know every filter of ``question``."""
    return next((name for name, known in _ROLLED.items() if known.keys() >= question.asked.keys()), None)


def _newest(condition: Q) -> Q:
    newest = Turn.objects.filter(condition).order_by("-started_at", "-run_id").values("pk")
    return Q(pk__in=newest[:MOST_TURNS])


@dataclass(frozen=True, kw_only=True)
class Usage:
    """By part of the span (``day`` is its first), currency and route; and by currency and user."""

    by_model: Sequence[Tally]
    by_user: Sequence[Tally]


def usage_of_parts(question: Question, parts: Sequence[Span]) -> Usage:
    """2 queries; 3 where roll-ups answer for some of the days."""
    rolled, closed = _rolled_by_day("by_model", question, _ROUTE) if _is_by_day(question) else ([], set())
    if not closed:
        return Usage(
            by_model=_live(question.condition, _ROUTE, parts),
            by_user=_live(question.condition, _PERSON),
        )
    starts = {day: part.first for part in parts for day in closed if part.holds(day)}
    placed = [_placed(tally, starts[tally.day]) for tally in rolled if tally.day in starts]
    # Of closed days there is nothing to tell apart, and each part costs a comparison a turn.
    open_parts = [part for part in parts if not closed.issuperset(days_between(*part.ends))]
    # What is left is short: one read of it serves both.
    live = _live(_outside(question, closed), [*_ROUTE, "username"], open_parts) if open_parts else []
    people = [*_rolled_of_days(question, closed, _PERSON), *live]
    by_user = added(people, key=lambda tally: (tally.currency, tally.username))
    return Usage(by_model=[*placed, *live], by_user=by_user)


def _is_by_day(question: Question) -> bool:
    """Whether both kinds of roll-ups know every filter of ``question``."""
    return question.asked.keys() <= {"currency"}


def _rolled_by_day(relation: str, question: Question, keys: Sequence[str]) -> tuple[list[Tally], set[date]]:
    """1 query for both: a closed day without turns joins to nothing, and is there all the same."""
    days = _closed(question.span)
    wanted = {f"{relation}__{_ROLLED[relation][name]}": value for name, value in question.asked.items()}
    if wanted:
        days = days.annotate(wanted=FilteredRelation(relation, condition=Q(**wanted)))
        relation = "wanted"
    rows = list(days.order_by("day").values("day", *_named(relation, keys)).annotate(**rolled_totals(relation)))
    tallies = [_tally(row, keys, relation, day=row["day"]) for row in rows if row[f"{relation}__currency"]]
    return tallies, {row["day"] for row in rows}


def _rolled_of_days(question: Question, closed: set[date], keys: Sequence[str]) -> list[Tally]:
    """The days are those that the first read found closed, should one of them have been opened since."""
    days = UsageDay.objects.filter(day__gte=min(closed), day__lte=max(closed), zone=zone_name())
    if len(closed) <= (max(closed) - min(closed)).days:
        days = days.filter(day__in=closed)
    wanted = {"by_user__currency": question.currency} if question.currency else {"by_user__currency__gt": ""}
    rows = days.filter(**wanted).order_by().values(*_named("by_user", keys)).annotate(**rolled_totals("by_user"))
    return [_tally(row, keys, "by_user") for row in rows]


def _closed(span: Span) -> Any:
    days = UsageDay.objects.filter(is_closed=True, zone=zone_name())
    days = days.filter(day__gte=span.first) if span.first else days
    return days.filter(day__lte=span.last) if span.last else days


def _named(relation: str, keys: Iterable[str]) -> list[str]:
    return [f"{relation}__{key}" for key in keys]


def _tally(row: Any, keys: Sequence[str], relation: str, **labels: Any) -> Tally:
    return Tally(**totals_of(row), **{key: row[f"{relation}__{key}"] for key in keys}, **labels)


def _placed(tally: Tally, day: date | None) -> Tally:
    return Tally(**(vars(tally) | {"day": day}))


def _outside(question: Question, closed: set[date]) -> Q:
    """The turns that were asked for and whose day is not closed.

    Only the days that are left bound the time: of two lower bounds SQLite walks from the first that it is told.
    """
    if not closed:
        return question.condition
    found = Q(pk__in=[])
    for left in spans_without(question.span, closed):
        found |= since_midnight("started_at", left)
    return question.filters & found


def _live(condition: Q, keys: Sequence[str], parts: Sequence[Span] = ()) -> list[Tally]:
    """1 query over the ledger. A part is told by comparing moments, which SQLite does without calling Python."""
    names = {key: _TURN_FIELDS.get(key, key) for key in keys}
    turns = Turn.objects.filter(condition).order_by()
    part = {"part": _part_number(parts)} if parts else {}
    rows = turns.annotate(**part).values(*part, *names.values()).annotate(**turn_totals())
    return [
        Tally(
            **totals_of(row),
            **{key: row[name] for key, name in names.items()},
            day=parts[row["part"]].first if parts else None,
        )
        for row in rows
    ]


def _part_number(parts: Sequence[Span]) -> Case:
    ends = [midnight(part.last + DAY) for part in parts if part.last]
    whens = [When(started_at__lt=end, then=Value(number)) for number, end in enumerate(ends[:-1])]
    return Case(*whens, default=Value(len(parts) - 1), output_field=IntegerField())

"""Roll-ups: whatever is closed, opened, late or trimmed, a page's sums are those of the ledger."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q, Sum
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from agentcore.ids import uuid7
from agentcore.observers import RunEnded
from governance import usage
from governance.days import Span, days_between, midnight, spans_without
from governance.models import DailyModelUsage, Turn, UsageDay
from governance.question import Question
from governance.report import cost_report
from governance.services import rollups
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record
from governance.services.retention import records_trim
from governance.services.rollups import day_close_next, days_close
from governance.services.seeding import ledger_seed
from governance.usage import usage_total

pytestmark = [pytest.mark.django_db, pytest.mark.database]
FIRST = date(2026, 7, 1)
WHOLE = Question()


@pytest.fixture
def week(ended: RunEnded, monkeypatch: pytest.MonkeyPatch) -> list[RunEnded]:
    """Two turns of two people on each of seven days, seen three days later."""
    made = []
    monkeypatch.setattr(rollups, "now", lambda: ended.at + timedelta(days=10))
    for day in range(7):
        for name in ("ada", "bob"):
            begun = replace(ended.started, at=ended.started.at + timedelta(days=day), username=name)
            made.append(replace(ended, started=begun))
            ledger_record(uuid7(), [made[-1]])
    return made


def totals(question: Question = WHOLE) -> list[tuple[Any, ...]]:
    return [
        (tally.currency, tally.turns, tally.running, tally.failed, tally.unpriced, tally.input_tokens, tally.cost)
        for tally in usage_total(question).tallies
    ]


def test_closed_days_say_what_the_ledger_says(week: list[RunEnded]) -> None:
    live = totals()
    assert days_close() == 10

    with CaptureQueriesContext(connection) as captured:
        rolled = totals()

    assert rolled == live == [("USD", 14, 0, 0, 0, 168, Decimal("0.000175"))]
    assert len(captured) == 2


def narrowed(**asked: str) -> Question:
    columns = {"provider": "route_provider_id", "model": "route_model", "user": "username"}
    filters = Q(**{columns.get(name, name): value for name, value in asked.items()})
    return Question(condition=filters, filters=filters, asked=asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"currency": "EUR"},
        {"user": "li.na"},
        {"user": "nobody"},
        {"user": "7"},
        {"user": "amara", "currency": "EUR"},
        {"provider": "openai"},
        {"provider": "openai", "model": "gpt-4.1"},
        {"model": "mistral-medium-latest", "currency": "USD"},
    ],
    ids=str,
)
def test_roll_ups_of_a_filter_say_what_the_ledger_says(asked: dict[str, str]) -> None:
    ledger_seed(300)
    question = narrowed(**asked)

    with CaptureQueriesContext(connection) as captured:
        rolled = totals(question)

    assert len(captured) == 2
    assert "started_at" in captured[1]["sql"]
    UsageDay.objects.all().delete()
    assert rolled == totals(question)


@pytest.mark.parametrize(
    "asked", [{"user_id": "7"}, {"agent": "research"}, {"user": "li.na", "model": "gpt-4.1"}], ids=str
)
def test_what_no_roll_up_knows_is_counted_over_the_newest(
    week: list[RunEnded], monkeypatch: pytest.MonkeyPatch, asked: dict[str, str]
) -> None:
    days_close()
    newest = Turn.objects.latest("started_at", "run_id")
    Turn.objects.filter(pk=newest.pk).update(input_tokens=1_000)
    question = Question(asked=asked)
    assert not usage_total(question).is_newest

    monkeypatch.setattr(usage, "MOST_TURNS", 3)
    found = usage_total(question)

    assert found.is_newest
    assert [(tally.turns, tally.input_tokens) for tally in found.tallies] == [(3, 1_024)]


def test_a_closed_day_is_not_read_from_the_ledger(week: list[RunEnded]) -> None:
    days_close()
    DailyModelUsage.objects.filter(day=FIRST).update(turns=1_000)

    assert totals()[0][1] == 1_012


@pytest.mark.parametrize("is_new", [True, False])
def test_a_late_record_opens_its_day_again(week: list[RunEnded], is_new: bool) -> None:
    days_close()
    run_id = uuid7() if is_new else Turn.objects.earliest("started_at").pk
    failed = replace(week[0], status="failed", error={"code": "RUN_TIMEOUT", "message": ""})

    ledger_record(run_id, [failed])

    assert list(UsageDay.objects.filter(is_closed=False).values_list("day", flat=True)) == [FIRST]
    assert totals()[0][1:4] == (15 if is_new else 14, 0, 1)
    assert days_close() == 1
    assert totals()[0][1:4] == (15 if is_new else 14, 0, 1)


def test_a_late_turn_that_the_audit_had_to_make_opens_its_day_again(week: list[RunEnded]) -> None:
    days_close()

    audit_record(uuid7(), [replace(week[0], status="failed", error={"code": "RUN_TIMEOUT", "message": ""})])

    assert list(UsageDay.objects.filter(is_closed=False).values_list("day", flat=True)) == [FIRST]
    assert totals()[0][1] == 15


def test_a_sum_has_ten_places_whatever_the_database_adds_with(week: list[RunEnded]) -> None:
    assert [str(tally.cost) for tally in usage_total(WHOLE).tallies] == ["0.0001750000"]


@pytest.mark.parametrize(("status", "unpriced"), [("running", 0), ("completed", 1)])
def test_a_turn_that_runs_has_no_price_yet(status: str, unpriced: int) -> None:
    Turn.objects.create(run_id=uuid7(), status=status, model_calls=1, started_at=now())

    assert [tally.unpriced for tally in usage_total(WHOLE).tallies] == [unpriced]


def test_a_turn_of_today_opens_nothing(ended: RunEnded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governance.services.rollups.today", lambda: FIRST)

    ledger_record(uuid7(), [ended])

    assert not UsageDay.objects.exists()


def test_another_time_zone_has_days_of_its_own(week: list[RunEnded], settings: Any) -> None:
    days_close()
    settings.TIME_ZONE = "Asia/Shanghai"
    DailyModelUsage.objects.update(turns=1_000)

    assert totals()[0][1] == 14
    days_close()
    assert totals()[0][1] == 14


def test_closing_again_has_nothing_to_do(week: list[RunEnded]) -> None:
    days_close()

    assert days_close() == 0
    assert DailyModelUsage.objects.count() == 7


def test_an_empty_ledger_closes_nothing() -> None:
    assert days_close() == 0


def test_days_are_closed_one_by_one(week: list[RunEnded]) -> None:
    closed = 0
    while day_close_next():
        closed += 1
        assert UsageDay.objects.filter(is_closed=True).count() == closed

    assert closed == 10
    assert totals()[0][1] == 14


@pytest.mark.parametrize(("hour", "over"), [(0, date(2026, 7, 1)), (1, date(2026, 7, 2)), (23, date(2026, 7, 2))])
def test_a_day_is_over_an_hour_after_midnight(monkeypatch: pytest.MonkeyPatch, hour: int, over: date) -> None:
    monkeypatch.setattr(rollups, "now", lambda: midnight(date(2026, 7, 3)) + timedelta(hours=hour))

    assert rollups.last_day_over() == over


@pytest.mark.parametrize("days", [3, -1])
def test_trimmed_turns_leave_the_sums_too(week: list[RunEnded], days: int) -> None:
    days_close()

    records_trim(days=(now() - midnight(FIRST)).days - days)

    assert sum(row[1] for row in totals()) == Turn.objects.count()
    days_close()
    assert sum(row[1] for row in totals()) == Turn.objects.count()


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_report_is_the_sum_of_its_turns(is_closed: bool) -> None:
    ledger_seed(300)
    if not is_closed:
        UsageDay.objects.all().delete()
    last = Turn.objects.latest("started_at").started_at.date()
    first = last - timedelta(days=20)
    within = Q(started_at__gte=midnight(first), started_at__lt=midnight(last + timedelta(days=1)))
    question = Question(condition=within, span=Span(first, last))

    report = cost_report(question)

    turns = Turn.objects.filter(within)
    for tallies in (report.totals, report.by_model, report.by_user, report.over_time):
        assert sum(tally.turns for tally in tallies) == turns.count()
        assert sum(tally.input_tokens for tally in tallies) == turns.aggregate(sum=Sum("input_tokens"))["sum"]
    for tally in report.by_model:
        own = turns.filter(currency=tally.currency, route_provider_id=tally.provider_id, route_model=tally.model)
        exact = sum((cost for cost in own.values_list("cost", flat=True) if cost is not None), Decimal())
        assert (tally.cost or 0) == exact
    for tally in report.over_time:
        assert tally.day
        day = turns.filter(
            currency=tally.currency,
            started_at__gte=midnight(tally.day),
            started_at__lt=midnight(tally.day + timedelta(days=1)),
        )
        assert tally.turns == day.count()


@pytest.mark.parametrize(
    ("span", "closed", "left"),
    [
        (Span(), [], [Span()]),
        (Span(), [3], [Span(None, FIRST + timedelta(2)), Span(FIRST + timedelta(4), None)]),
        (Span(FIRST, FIRST + timedelta(3)), [0, 1, 2, 3], []),
        (
            Span(FIRST, FIRST + timedelta(3)),
            [1, 2],
            [Span(FIRST, FIRST), Span(FIRST + timedelta(3), FIRST + timedelta(3))],
        ),
        (Span(FIRST, FIRST), [5], [Span(FIRST, FIRST)]),
    ],
)
def test_spans_without_days(span: Span, closed: list[int], left: list[Span]) -> None:
    assert spans_without(span, [FIRST + timedelta(day) for day in closed]) == left


def test_days_between_counts_both_ends() -> None:
    assert days_between(FIRST, FIRST) == [FIRST]

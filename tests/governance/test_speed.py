"""Speed: each default view and each common filter walks an index in the order of the list, on both databases."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from agentcore.ids import uuid7
from agentcore.paging import Cursor, beside
from governance.days import Span, midnight, today
from governance.models import AuditEvent, Turn, UsageDay
from governance.pages.audit import AUDIT
from governance.pages.page import Page
from governance.pages.turns import TURNS
from governance.services.seeding import ledger_seed

pytestmark = [pytest.mark.django_db, pytest.mark.database]
DAY = f"{today():%Y-%m-%d}"
LEDGER_INDEXES = [
    ({}, "turn_by_time"),
    ({"period": "30d"}, "turn_by_time"),
    ({"since": DAY, "until": DAY}, "turn_by_time"),
    ({"user": "li.na"}, "turn_by_user"),
    ({"agent": "research"}, "turn_by_agent"),
    ({"provider": "mistral"}, "turn_by_provider"),
    ({"model": "gpt-4.1"}, "turn_by_model"),
    ({"status": "failed"}, "turn_by_status"),
    ({"error_code": "RUN_TIMEOUT"}, "turn_by_error"),
    ({"conversation_id": "00000000-0000-0000-0000-000000000000"}, "turn_by_conversation"),
    ({"status": "failed", "period": "7d"}, "turn_by_status"),
]
AUDIT_INDEXES = [
    ({}, "audit_event_by_turn"),
    ({"period": "30d"}, "audit_event_by_turn"),
    ({"action": "error"}, "audit_event_by_action"),
    ({"action": "tool_call", "since": DAY}, "audit_event_by_action"),
    ({"tool": "get_weather"}, "audit_event_by_tool"),
    ({"actor": "amara"}, "audit_event_by_actor"),
]


@pytest.fixture
def seeded() -> None:
    """A small ledger, and a planner that takes an index wherever one can serve."""
    # Shortly before midnight, two days back are one day that is over: in a table of one row no index serves.
    ledger_seed(120, days=4)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        if connection.vendor == "postgresql":
            for kind in ("seqscan", "bitmapscan", "sort", "incremental_sort"):
                cursor.execute(f"SET LOCAL enable_{kind} = off")


def rows(page: Page, query: dict[str, str]) -> "QuerySet[Any]":
    form = page.filters(query)
    assert form.is_valid(), form.errors
    assert page.listing
    return page.listing.source(form.question().condition).order_by(*page.listing.order.fields())


def assert_walks(queryset: "QuerySet[Any]", index: str) -> None:
    plan = queryset[:51].explain()
    # PostgreSQL may find, by its statistics of a small table, that the index over time alone serves as well.
    others = {"turn_by_time", "audit_event_by_turn"} if connection.vendor == "postgresql" else set()
    assert any(name in plan for name in {index, *others}), plan
    # Neither database reads the table from end to end, nor sorts what it read.
    assert "Seq Scan" not in plan, plan
    assert not plan.startswith("SCAN") or f"USING INDEX {index}" in plan, plan
    assert "TEMP B-TREE" not in plan, plan
    assert "Sort" not in plan, plan


@pytest.mark.parametrize(("query", "index"), LEDGER_INDEXES, ids=str)
def test_the_ledger_walks_an_index(seeded: None, query: dict[str, str], index: str) -> None:
    assert_walks(rows(TURNS, query), index)


@pytest.mark.parametrize(("query", "index"), AUDIT_INDEXES, ids=str)
def test_the_audit_walks_an_index(seeded: None, query: dict[str, str], index: str) -> None:
    assert_walks(rows(AUDIT, query), index)


def test_days_bound_the_uses_of_a_tool_that_are_looked_at(seeded: None) -> None:
    turns = rows(TURNS, {"tool": "get_weather", "since": f"{today():%Y-%m-%d}"})
    used = AuditEvent.objects.filter(
        tool="get_weather", run_id__in=Turn.objects.filter(started_at__gte=midnight(today())).values("pk")
    )

    assert set(turns.values_list("pk", flat=True)) == set(used.values_list("run_id", flat=True))
    assert "run_id>" in turns.explain().replace(" ", "") or "run_id >=" in turns.explain()


@pytest.mark.parametrize("is_newer", [False, True])
@pytest.mark.parametrize(
    ("page", "index"), [(TURNS, "turn_by_time"), (AUDIT, "audit_event_by_turn")], ids=["turns", "audit"]
)
def test_a_deep_page_begins_in_the_index(seeded: None, page: Page, index: str, is_newer: bool) -> None:
    assert page.listing
    order = page.listing.order
    middle = rows(page, {})[60]
    place = {"first": getattr(middle, order.first), "second": getattr(middle, order.second)}
    next_to = beside(order, Cursor(page=page.slug, is_newer=is_newer, **place))
    queryset = rows(page, {}).filter(next_to).order_by(*order.fields(is_newer=is_newer))

    assert_walks(queryset, index)
    plan = queryset[:51].explain()
    assert f"{order.first}<" in plan.replace(" ", "") or f"{order.first}>" in plan.replace(" ", ""), plan


@pytest.mark.parametrize(
    ("queryset", "index"),
    [
        (lambda: Turn.objects.filter(run_id=uuid7()), "governance_turn"),
        (lambda: AuditEvent.objects.filter(run_id=uuid7()).order_by("seq"), "audit_event"),
        (lambda: UsageDay.objects.filter(day__gte=today()), "usageday"),
    ],
)
def test_a_record_is_found_by_its_key(seeded: None, queryset: Callable[[], "QuerySet[Any]"], index: str) -> None:
    plan = queryset().explain()

    assert "INDEX" in plan.upper(), plan
    assert index in plan, plan
    assert "Seq Scan" not in plan
    assert not plan.startswith("SCAN"), plan


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="PostgreSQL only")
def test_a_planner_knows_of_seeded_turns() -> None:
    # Shortly before midnight, two days back are one day that is over: in a table of one row no index serves.
    ledger_seed(120, days=4)

    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'governance_turn'")
        assert cursor.fetchone()[0] == 120


def test_a_span_without_end_is_whole() -> None:
    assert Span().is_whole

"""Keyset paging: every row once, both ways, and no cursor that is not this page's."""

from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from agentcore.ids import uuid7
from agentcore.observers import RunStarted
from agentcore.paging import BadCursor, Cursor, Order, Slice, cursor_decode, keyset_slice
from governance.models import AuditEvent, Turn
from governance.services.ledger import ledger_record

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ORDER = Order(first="started_at", second="run_id")


@pytest.fixture
def turns(started: RunStarted) -> list[UUID]:
    """Seven turns, newest first; some share their moment."""
    for minute in (0, 1, 1, 1, 2, 3, 3):
        ledger_record(uuid7(), [replace(started, at=started.at + timedelta(minutes=minute))])
    return list(Turn.objects.values_list("run_id", flat=True))


@pytest.fixture
def page() -> Callable[..., Slice]:
    def load(text: str = "") -> Slice:
        return keyset_slice(Turn.objects.all(), page="turns", order=ORDER, cursor=text, limit=2)

    return load


def ids(found: Slice) -> list[UUID]:
    return [row.run_id for row in found.rows]


def test_older_and_newer_walk_every_row_once(turns: list[UUID], page: Callable[..., Slice]) -> None:
    pages = [page()]
    while pages[-1].older:
        pages.append(page(pages[-1].older))
    assert [row for found in pages for row in ids(found)] == turns
    assert pages[0].newer is None

    back = [pages[-1]]
    while back[-1].newer:
        back.append(page(back[-1].newer))
    assert [ids(found) for found in back] == [ids(found) for found in reversed(pages)]


def test_going_newer_to_the_start_shows_a_whole_first_page(turns: list[UUID], page: Callable[..., Slice]) -> None:
    newer = Cursor(page="turns", first=Turn.objects.get(run_id=turns[1]).started_at, second=turns[1], is_newer=True)

    found = page(newer.encode())

    assert (ids(found), found.newer) == (turns[:2], None)


def test_a_cursor_whose_row_is_gone_still_works(turns: list[UUID], page: Callable[..., Slice]) -> None:
    older = page().older
    Turn.objects.filter(run_id__in=turns[:3]).delete()

    assert ids(page(older)) == turns[3:5]


@pytest.mark.parametrize("text", ["x", "=", "é", "AAAA", "a" * 10_000, "dHVybnN8b2xkZXJ8eHx5", "\x00", "fHx8"])
def test_nonsense_is_no_cursor(text: str) -> None:
    with pytest.raises(BadCursor):
        cursor_decode(text, page="turns", queryset=Turn.objects.all(), order=ORDER)


@pytest.mark.parametrize(
    "change",
    [{"page": "audit"}, {"id": "not-a-uuid"}, {"at": "0001-01-01T00:00:00+14:00"}, {"at": "2026-01-01T00:00:00"}],
)
def test_a_changed_cursor_is_no_cursor(change: dict[str, str]) -> None:
    values = {"page": "turns", "at": "2026-01-01T00:00:00+00:00", "id": str(uuid7())} | change
    text = "|".join([values["page"], "older", values["at"], values["id"]])

    with pytest.raises(BadCursor):
        cursor_decode(encoded(text), page="turns", queryset=Turn.objects.all(), order=ORDER)


def test_a_number_beyond_the_database_is_no_cursor() -> None:
    text = f"audit|older|{uuid7()}|{10**30}"

    with pytest.raises(BadCursor):
        cursor_decode(
            encoded(text), page="audit", queryset=AuditEvent.objects.all(), order=Order(first="run_id", second="seq")
        )


def encoded(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")

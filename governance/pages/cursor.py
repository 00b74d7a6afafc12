"""Keyset paging: a cursor holds two columns of a row, so a page costs the same however deep it is."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from governance.pages.order import Order

_LONGEST = 300
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2990, 1, 1, tzinfo=UTC)
_LARGEST = 2**31


class BadCursor(ValueError):
    """Not a cursor, or one of another page."""


@dataclass(frozen=True, kw_only=True)
class Cursor:
    """A place between two rows: before or after the one with these values in the columns of the order."""

    page: str
    first: Any
    second: Any
    is_newer: bool = False

    def encode(self) -> str:
        first = self.first.isoformat() if isinstance(self.first, datetime) else str(self.first)
        text = "|".join([self.page, "newer" if self.is_newer else "older", first, str(self.second)])
        return urlsafe_b64encode(text.encode()).decode().rstrip("=")


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Rows, newest first, and the cursors of their neighbours; None where there is nothing more."""

    rows: list[Any]
    newer: str | None
    older: str | None


def cursor_decode(text: str, *, page: str, queryset: "QuerySet[Any]", order: Order) -> Cursor:
    """
    Raises:
        BadCursor: ``text`` is no cursor of this page.
    """
    try:
        padded = text[:_LONGEST] + "=" * (-len(text) % 4)
        slug, direction, first_text, second_text = urlsafe_b64decode(padded.encode()).decode().split("|")
        first, second = (
            queryset.model._meta.get_field(name).to_python(value)
            for name, value in ((order.first, first_text), (order.second, second_text))
        )
    except (ValueError, ValidationError) as error:
        raise BadCursor(text) from error
    if slug != page or direction not in {"newer", "older"} or _is_beyond(first) or _is_beyond(second):
        raise BadCursor(text)
    return Cursor(page=page, first=first, second=second, is_newer=direction == "newer")


def keyset_slice(queryset: "QuerySet[Any]", *, page: str, order: Order, cursor: Cursor | None, limit: int) -> Slice:
    """The rows next to ``cursor``, or the newest. 1 query; 2 when going newer reaches the start."""
    if cursor is None or not cursor.is_newer:
        return _older_slice(queryset, page, order, cursor, limit)
    beside = _beside(order, cursor)
    rows = list(queryset.filter(beside).order_by(*order.fields(is_newer=True))[: limit + 1])
    if len(rows) <= limit:
        # The start: a whole first page rather than the few rows that came in since.
        return _older_slice(queryset, page, order, None, limit)
    return _sliced(page, order, list(reversed(rows[:limit])), has_newer=True, has_older=True)


def _older_slice(queryset: "QuerySet[Any]", page: str, order: Order, cursor: Cursor | None, limit: int) -> Slice:
    beside = _beside(order, cursor) if cursor else Q()
    rows = list(queryset.filter(beside).order_by(*order.fields())[: limit + 1])
    return _sliced(page, order, rows[:limit], has_newer=cursor is not None, has_older=len(rows) > limit)


def _beside(order: Order, cursor: Cursor) -> Q:
    """``t <= x AND (t < x OR id < y)``: the first part alone walks the index."""
    side = "g" if cursor.is_newer else "l"
    other = "l" if cursor.is_newer else "g"
    second_side = other if order.is_second_ascending else side
    return Q(**{f"{order.first}__{side}te": cursor.first}) & (
        Q(**{f"{order.first}__{side}t": cursor.first}) | Q(**{f"{order.second}__{second_side}t": cursor.second})
    )


def _sliced(page: str, order: Order, rows: list[Any], *, has_newer: bool, has_older: bool) -> Slice:
    def cursor_at(row: Any, is_newer: bool) -> str:
        values = {"first": getattr(row, order.first), "second": getattr(row, order.second)}
        return Cursor(page=page, is_newer=is_newer, **values).encode()

    return Slice(
        rows=rows,
        newer=cursor_at(rows[0], True) if rows and has_newer else None,
        older=cursor_at(rows[-1], False) if rows and has_older else None,
    )


def _is_beyond(value: Any) -> bool:
    """What no row holds, and a database may refuse."""
    if isinstance(value, datetime):
        return value.tzinfo is None or not _EARLIEST < value < _LATEST
    return isinstance(value, int) and not -_LARGEST < value < _LARGEST

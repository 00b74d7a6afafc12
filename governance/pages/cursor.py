"""Keyset paging: a cursor is the time and the id of a row, so a page costs the same however deep it is."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

_LONGEST = 300
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2990, 1, 1, tzinfo=UTC)
_LARGEST_ID = 2**63


class BadCursor(ValueError):
    """Not a cursor, or one of another page."""


@dataclass(frozen=True, kw_only=True)
class Cursor:
    """A place between two rows: before or after the row at ``at`` with ``id``."""

    page: str
    at: datetime
    id: Any
    is_newer: bool = False

    def encode(self) -> str:
        text = "|".join([self.page, "newer" if self.is_newer else "older", self.at.isoformat(), str(self.id)])
        return urlsafe_b64encode(text.encode()).decode().rstrip("=")


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Rows, newest first, and the cursors of their neighbours; None where there is nothing more."""

    rows: list[Any]
    newer: str | None
    older: str | None


def cursor_decode(text: str, *, page: str, queryset: "QuerySet[Any]", order: tuple[str, str]) -> Cursor:
    """
    Raises:
        BadCursor: ``text`` is no cursor of this page.
    """
    try:
        padded = text[:_LONGEST] + "=" * (-len(text) % 4)
        slug, direction, at_text, id_text = urlsafe_b64decode(padded.encode()).decode().split("|")
        at = datetime.fromisoformat(at_text)
        row_id = queryset.model._meta.get_field(order[1]).to_python(id_text)
    except (ValueError, ValidationError) as error:
        raise BadCursor(text) from error
    known = slug == page and direction in {"newer", "older"}
    if not known or at.tzinfo is None or not _EARLIEST < at < _LATEST or _is_beyond(row_id):
        raise BadCursor(text)
    return Cursor(page=page, at=at, id=row_id, is_newer=direction == "newer")


def keyset_slice(
    queryset: "QuerySet[Any]", *, page: str, order: tuple[str, str], cursor: Cursor | None, limit: int
) -> Slice:
    """The rows next to ``cursor``, or the newest. 1 query; 2 when going newer reaches the start."""
    if cursor is None:
        return _older_slice(queryset, page, order, None, limit)
    if not cursor.is_newer:
        return _older_slice(queryset, page, order, cursor, limit)
    rows = list(queryset.filter(_beside(order, cursor, "g")).order_by(*order)[: limit + 1])
    if len(rows) <= limit:
        # The start: a whole first page rather than the few rows that came in since.
        return _older_slice(queryset, page, order, None, limit)
    return _sliced(page, order, list(reversed(rows[:limit])), has_newer=True, has_older=True)


def _older_slice(
    queryset: "QuerySet[Any]", page: str, order: tuple[str, str], cursor: Cursor | None, limit: int
) -> Slice:
    beside = _beside(order, cursor, "l") if cursor else Q()
    newest_first = [f"-{name}" for name in order]
    rows = list(queryset.filter(beside).order_by(*newest_first)[: limit + 1])
    return _sliced(page, order, rows[:limit], has_newer=cursor is not None, has_older=len(rows) > limit)


def _beside(order: tuple[str, str], cursor: Cursor, side: str) -> Q:
    """``t <= x AND (t < x OR id < y)``: the first part alone walks the index."""
    time, row_id = order
    return Q(**{f"{time}__{side}te": cursor.at}) & (
        Q(**{f"{time}__{side}t": cursor.at}) | Q(**{f"{row_id}__{side}t": cursor.id})
    )


def _sliced(page: str, order: tuple[str, str], rows: list[Any], *, has_newer: bool, has_older: bool) -> Slice:
    def cursor_at(row: Any, is_newer: bool) -> str:
        return Cursor(page=page, at=getattr(row, order[0]), id=getattr(row, order[1]), is_newer=is_newer).encode()

    return Slice(
        rows=rows,
        newer=cursor_at(rows[0], True) if rows and has_newer else None,
        older=cursor_at(rows[-1], False) if rows and has_older else None,
    )


def _is_beyond(row_id: Any) -> bool:
    return isinstance(row_id, int) and not -_LARGEST_ID <= row_id < _LARGEST_ID

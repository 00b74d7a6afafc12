"""Keyset paging of a list: a cursor holds two columns of a row, so a page costs the same however deep it is."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from agentcore.errors import ValidationFailed

_LONGEST = 300
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2990, 1, 1, tzinfo=UTC)
_LARGEST = 2**31


class BadCursor(ValidationFailed):
    """Not a cursor, or one of another list."""

    def __init__(self) -> None:
        message = _("The cursor is not valid.")
        super().__init__(message, details={"cursor": [message]})


@dataclass(frozen=True, kw_only=True)
class Order:
    """Newest first: both columns descend, unless the second counts up inside the first. An index has both."""

    first: str
    second: str
    is_second_ascending: bool = False

    def fields(self, *, is_newer: bool = False) -> list[str]:
        """For ``order_by``; ``is_newer`` walks the list backwards."""
        first = "" if is_newer else "-"
        second = "" if self.is_second_ascending != is_newer else "-"
        return [f"{first}{self.first}", f"{second}{self.second}"]


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


def limit_of(text: str, *, default: int, most: int) -> int:
    """How many rows a page shall have; ``text`` is from outside, and empty is ``default``.

    Raises:
        ValidationFailed: it is no whole number from 1 to ``most``.
    """
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= most):
        message = _("The limit must be a whole number from 1 to %(most)d.") % {"most": most}
        raise ValidationFailed(message, details={"limit": [message]})
    return int(text)


def cursor_decode(text: str, *, page: str, queryset: "QuerySet[Any]", order: Order) -> Cursor:
    """
    Raises:
        BadCursor: ``text`` is no cursor of this list.
    """
    try:
        padded = text[:_LONGEST] + "=" * (-len(text) % 4)
        slug, direction, first_text, second_text = urlsafe_b64decode(padded.encode()).decode().split("|")
        first, second = (
            queryset.model._meta.get_field(name).to_python(value)
            for name, value in ((order.first, first_text), (order.second, second_text))
        )
    except (ValueError, ValidationError):
        raise BadCursor() from None
    if slug != page or direction not in {"newer", "older"} or _is_beyond(first) or _is_beyond(second):
        raise BadCursor()
    return Cursor(page=page, first=first, second=second, is_newer=direction == "newer")


def keyset_slice(queryset: "QuerySet[Any]", *, page: str, order: Order, cursor: str, limit: int) -> Slice:
    """The rows next to ``cursor``, a text from outside; without one the newest. 1 query; 2 when newer is the start.

    Raises:
        BadCursor: it is no cursor of this list.
    """
    place = cursor_decode(cursor, page=page, queryset=queryset, order=order) if cursor else None
    if place is None or not place.is_newer:
        return _older_slice(queryset, page, order, place, limit)
    rows = list(queryset.filter(beside(order, place)).order_by(*order.fields(is_newer=True))[: limit + 1])
    if len(rows) <= limit:
        # The start: a whole first page rather than the few rows that came in since.
        return _older_slice(queryset, page, order, None, limit)
    return _sliced(page, order, list(reversed(rows[:limit])), has_newer=True, has_older=True)


def beside(order: Order, cursor: Cursor) -> Q:
    """``t <= x AND (t < x OR id < y)``: the first part alone walks the index."""
    side = "g" if cursor.is_newer else "l"
    other = "l" if cursor.is_newer else "g"
    second_side = other if order.is_second_ascending else side
    return Q(**{f"{order.first}__{side}te": cursor.first}) & (
        Q(**{f"{order.first}__{side}t": cursor.first}) | Q(**{f"{order.second}__{second_side}t": cursor.second})
    )


def _older_slice(queryset: "QuerySet[Any]", page: str, order: Order, cursor: Cursor | None, limit: int) -> Slice:
    condition = beside(order, cursor) if cursor else Q()
    rows = list(queryset.filter(condition).order_by(*order.fields())[: limit + 1])
    return _sliced(page, order, rows[:limit], has_newer=cursor is not None, has_older=len(rows) > limit)


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

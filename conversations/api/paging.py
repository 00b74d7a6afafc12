"""Paging of conversations: opaque cursors over an index, so the last page costs what the first does."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from agentcore.errors import ValidationFailed
from conversations.models import Conversation, ConversationQuerySet

DEFAULT_LIMIT = 50
MAX_LIMIT = 200


@dataclass(frozen=True)
class Place:
    """Between two conversations of a list that is newest first: beside the one that was shown last."""

    updated_at: datetime
    id: UUID
    is_backward: bool

    def encode(self) -> str:
        text = f"{int(self.is_backward)} {self.updated_at.isoformat()} {self.id}"
        return urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, cursor: str) -> "Place":
        """
        Raises:
            ValidationFailed: the cursor is none of ours.
        """
        try:
            text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
            backward, updated_at, id = text.split(" ")
            moment = datetime.fromisoformat(updated_at)
            # At the edge of the calendar this overflows.
            place = cls(moment.astimezone(UTC), UUID(id), backward == "1")
        except (ValueError, OverflowError):
            raise ValidationFailed(_("The cursor is not valid.")) from None
        if moment.tzinfo is None:
            raise ValidationFailed(_("The cursor is not valid."))
        return place


@dataclass(frozen=True)
class Page:
    results: list[Conversation]
    next: str | None
    previous: str | None


def page_of(rows: ConversationQuerySet, query: Mapping[str, str]) -> Page:
    """The page of ``rows``, newest first, that ``cursor`` and ``limit`` ask for. 1 query.

    Raises:
        ValidationFailed: one of the two is wrong.
    """
    limit = _limit(query.get("limit", ""))
    place = Place.decode(query["cursor"]) if query.get("cursor") else None
    if place is not None and place.is_backward:
        found = list(rows.filter(_newer(place)).order_by("updated_at", "id")[: limit + 1])
        return _page(found[:limit][::-1], has_next=True, has_previous=len(found) > limit)
    older = rows.filter(_older(place)) if place else rows
    found = list(older.order_by("-updated_at", "-id")[: limit + 1])
    return _page(found[:limit], has_next=len(found) > limit, has_previous=place is not None)


def _older(place: Place) -> Q:
    at = place.updated_at
    return Q(updated_at__lte=at) & (Q(updated_at__lt=at) | Q(id__lt=place.id))


def _newer(place: Place) -> Q:
    at = place.updated_at
    return Q(updated_at__gte=at) & (Q(updated_at__gt=at) | Q(id__gt=place.id))


def _page(results: list[Conversation], *, has_next: bool, has_previous: bool) -> Page:
    if not results:
        return Page([], None, None)
    first, last = results[0], results[-1]
    return Page(
        results,
        next=Place(last.updated_at, last.id, False).encode() if has_next else None,
        previous=Place(first.updated_at, first.id, True).encode() if has_previous else None,
    )


def _limit(text: str) -> int:
    text = text or str(DEFAULT_LIMIT)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MAX_LIMIT):
        raise ValidationFailed(_("The limit must be a whole number from 1 to %(most)d.") % {"most": MAX_LIMIT})
    return int(text)

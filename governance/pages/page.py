"""A page as a declaration: what it shows, not how."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from governance.pages.cells import Cell
from governance.pages.filters import FilterForm

# Translated when a page is rendered, not when it is declared.
Text = Any


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column. ``cell`` makes it of a row; a numeric one is set to the right, in figures of one width."""

    label: Text
    cell: Callable[[Any], Cell]
    is_numeric: bool = False
    # On a narrow screen a row is a card: its lead columns are the card's head, and have no label.
    is_lead: bool = False


@dataclass(frozen=True, kw_only=True)
class Card:
    """A number at the top of a page, with a second line that says what it is made of."""

    label: Text
    value: str
    note: str = ""
    tone: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A list of records.

    ``source`` reads the rows of a condition, ``cards`` what they add up to. ``order`` names the time and the id by
    which the list is paged, newest first. ``segments`` names the filter that is shown as tabs.
    """

    slug: str
    title: Text
    lead: Text
    empty: Text
    columns: Sequence[Column]
    filters: type[FilterForm]
    source: Callable[[Q], "QuerySet[Any]"]
    cards: Callable[[Q], Sequence[Card]]
    order: tuple[str, str]
    segments: str = ""

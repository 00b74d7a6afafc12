"""A page as a declaration: what it shows, not how."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Q, QuerySet

from agentcore.paging import Order
from governance.pages.cells import Cell
from governance.pages.charts import Chart
from governance.pages.filters import FilterForm
from governance.question import Question

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
    href: str = ""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The records of a page: how they are read and paged, and how each is shown.

    ``columns`` make a table of them; ``groups`` makes stories of them instead, for a reader: ``(rows, user)``.
    ``export`` names the columns of the file, with the value of each.
    """

    source: Callable[[Q], "QuerySet[Any]"]
    order: Order
    columns: Sequence[Column] = ()
    groups: Callable[[Sequence[Any], Any], Sequence[Any]] | None = None
    export: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What stands above the records of a page, read in one go. ``note`` says which of them the cards count."""

    cards: Sequence[Card] = ()
    note: str = ""
    charts: Sequence[Chart] = ()

    @property
    def opens_turns(self) -> bool:
        """Whether a bar leads anywhere."""
        return any(bar.href for chart in self.charts for bar in chart.bars)

    def without_links(self) -> "Summary":
        """For who may not open the ledger, where all of them lead."""
        cards = [replace(card, href="") for card in self.cards]
        charts = [replace(chart, bars=[replace(bar, href="") for bar in chart.bars]) for chart in self.charts]
        return replace(self, cards=cards, charts=charts)


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page. ``segments`` names the filter that is shown as tabs; ``permission`` is who may open it."""

    slug: str
    title: Text
    lead: Text
    empty: Text
    permission: str
    filters: type[FilterForm]
    summary: Callable[[FilterForm, Question], Summary] | None = None
    listing: Listing | None = None
    segments: str = ""

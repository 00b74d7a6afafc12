"""The one renderer: a page's declaration and a query string become a response."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from governance.pages.cells import Cell
from governance.pages.cursor import BadCursor, Cursor, Slice, cursor_decode, keyset_slice
from governance.pages.filters import FilterForm
from governance.pages.page import Column, Page


@dataclass(frozen=True, kw_only=True)
class Link:
    label: Any
    href: str
    is_current: bool = False


def page_response(request: HttpRequest, page: Page) -> HttpResponse:
    """A list page. 1 query for the rows, those of the cards, and 1 more when paging reached the start.

    A filter that cannot be understood shows its message and no rows: an unfiltered list would be a wrong answer.
    """
    form = page.filters(request.GET)
    is_valid = form.is_valid()
    condition = form.condition() if is_valid else Q(pk__in=[])
    found, notice = _rows(request, page, form, condition) if is_valid else (Slice(rows=[], newer=None, older=None), "")
    context = {
        "page": page,
        "form": form,
        "is_valid": is_valid,
        "notice": notice,
        "cards": page.cards(condition) if is_valid else [],
        "segments": segment_links(page, form),
        "segment_label": form.fields[page.segments].label if page.segments else "",
        "chips": chips(page, form),
        "columns": page.columns,
        "rows": table_rows(page.columns, found.rows),
        "newer": query({**form.asked(), "cursor": found.newer}) if found.newer else "",
        "older": query({**form.asked(), "cursor": found.older}) if found.older else "",
        "is_filtered": bool(form.asked()),
        "is_paged": bool(request.GET.get("cursor")),
        "first": query(form.asked()),
        "time_zone": time_zone_name(),
    }
    return render(request, "governance/list.html", context)


def table_rows(columns: Sequence[Column], rows: Sequence[Any]) -> list[list[tuple[Column, Cell]]]:
    return [[(column, column.cell(row)) for column in columns] for row in rows]


def chips(page: Page, form: FilterForm) -> list[Link]:
    """The filters that are set, each with the address of the page without it; what a tab shows needs no chip."""
    asked = form.asked()
    as_tab = page.segments if page.segments not in form.errors else ""
    return [
        Link(
            label=_("%(name)s: %(value)s") % {"name": form.fields[name].label, "value": text},
            href=query({key: value for key, value in asked.items() if key != name}),
        )
        for name, text in asked.items()
        if name != as_tab
    ]


def segment_links(page: Page, form: FilterForm) -> list[Link]:
    """The choices of one filter as tabs, that keep the other filters."""
    if not page.segments:
        return []
    others = {name: text for name, text in form.asked().items() if name != page.segments}
    now = form.asked().get(page.segments, "")
    choices: Any = getattr(form.fields[page.segments], "choices", ())
    return [
        Link(
            label=label if value else _("All"),
            href=query({**others, page.segments: value} if value else others),
            is_current=str(value) == now,
        )
        for value, label in choices
    ]


def query(values: Mapping[str, str | None]) -> str:
    """A link to this page with these values; ``?`` alone is the page without any."""
    return "?" + urlencode({name: value for name, value in values.items() if value})


def time_zone_name() -> str:
    return timezone.get_current_timezone_name()


def _rows(request: HttpRequest, page: Page, form: FilterForm, condition: Q) -> tuple[Slice, str]:
    rows = page.source(condition)
    cursor, notice = _cursor(request.GET.get("cursor", ""), page, rows)
    found = keyset_slice(rows, page=page.slug, order=page.order, cursor=cursor, limit=form.limit_of_page())
    return found, notice


def _cursor(text: str, page: Page, rows: Any) -> tuple[Cursor | None, str]:
    if not text:
        return None, ""
    try:
        return cursor_decode(text, page=page.slug, queryset=rows, order=page.order), ""
    except BadCursor:
        return None, _("That place in the list could not be understood, so this is its beginning.")

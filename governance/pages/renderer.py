"""The one renderer: a page's declaration and a query string become a response."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from agentcore.paging import BadCursor, Slice, keyset_slice
from governance.days import Span, zone_name
from governance.pages.cells import Cell
from governance.pages.filters import FilterForm
from governance.pages.page import Column, Listing, Page, Summary
from governance.question import Question

_NOTHING = Slice(rows=[], newer=None, older=None)


@dataclass(frozen=True, kw_only=True)
class Link:
    label: Any
    href: str
    is_current: bool = False


def page_response(request: HttpRequest, page: Page) -> HttpResponse:
    """1 query for the rows, those of the summary and the groups, and 1 more when paging reached the start.

    A filter that cannot be understood shows its message and no rows: an unfiltered list would be a wrong answer.
    """
    form = page.filters(request.GET)
    context = {
        "page": page,
        "form": form,
        "is_valid": form.is_valid(),
        "segments": segment_links(page, form),
        "segment_label": form.fields[page.segments].label if page.segments else "",
        "periods": period_links(form),
        "chips": chips(page, form),
        "is_filtered": bool(form.asked().keys() - {"limit", "period"}) or bool(form.preset()),
        "is_paged": bool(request.GET.get("cursor")),
        "first": query(form.asked()),
        "time_zone": zone_name(),
        "export_query": query(form.asked()),
        "can_export": bool(page.listing and page.listing.export) and request.user.has_perm("governance.export"),
    }
    found = _found(request, page, form, form.question()) if form.is_valid() else {"summary": Summary()}
    return render(request, "governance/list.html", context | found)


def _found(request: HttpRequest, page: Page, form: FilterForm, question: Question) -> dict[str, Any]:
    """What the page holds: its summary, and its records."""
    summary = page.summary(form, question) if page.summary else Summary()
    if not request.user.has_perm("governance.view_turn"):
        summary = summary.without_links()
    found, notice = _rows(request, page, form, question)
    return {
        "span": span_words(question.span),
        "summary": summary,
        "notice": notice,
        "newer": query({**form.asked(), "cursor": found.newer}) if found.newer else "",
        "older": query({**form.asked(), "cursor": found.older}) if found.older else "",
        "row_count": len(found.rows),
        **(_records(page.listing, found.rows, request.user) if page.listing else {}),
        "is_empty": not found.rows if page.listing else not summary.charts or all(c.is_empty for c in summary.charts),
    }


def _records(listing: Listing, rows: Sequence[Any], user: Any) -> dict[str, Any]:
    if listing.groups:
        return {"groups": listing.groups(rows, user)}
    return {"columns": listing.columns, "rows": table_rows(listing.columns, rows)}


def table_rows(columns: Sequence[Column], rows: Sequence[Any]) -> list[list[tuple[Column, Cell]]]:
    return [[(column, column.cell(row)) for column in columns] for row in rows]


def chips(page: Page, form: FilterForm) -> list[Link]:
    """The filters that are set, each with the address of the page without it; what a tab shows needs no chip."""
    asked = form.asked()
    as_tab = {name for name in (page.segments, "period", "limit") if name not in form.errors}
    return [
        Link(
            label=_("%(name)s: %(value)s") % {"name": form.fields[name].label, "value": _value(form, name, text)},
            href=query({key: value for key, value in asked.items() if key != name}),
        )
        for name, text in asked.items()
        if name not in as_tab
    ]


def _value(form: FilterForm, name: str, text: str) -> str:
    """A choice by its label, anything else as it was written."""
    return str(dict(getattr(form.fields[name], "choices", ())).get(text, text))


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


def period_links(form: FilterForm) -> list[Link]:
    """The presets, that keep the other filters. None is current when days are given."""
    asked = form.asked()
    others = {name: text for name, text in asked.items() if name not in {"period", "since", "until"}}
    has_days = bool({"since", "until"} & asked.keys())
    choices: Any = getattr(form.fields["period"], "choices", ())
    return [
        Link(
            label=label,
            href=query({**others, "period": value} if value else others),
            is_current=not has_days and value == form.preset(),
        )
        for value, label in choices
    ]


def span_words(span: Span) -> str:
    """The days that a page is about, in words."""
    if span.is_whole:
        return ""
    first, last = (date_format(day, "DATE_FORMAT") if day else "" for day in (span.first, span.last))
    if first == last:
        return first
    if not last:
        return _("since %(day)s") % {"day": first}
    return _("%(first)s to %(last)s") % {"first": first, "last": last} if first else _("until %(day)s") % {"day": last}


def query(values: Mapping[str, str | None]) -> str:
    """A link to this page with these values; ``?`` alone is the page without any."""
    return "?" + urlencode({name: value for name, value in values.items() if value})


def listing_slice(page: Page, form: FilterForm, question: Question, cursor: str) -> Slice:
    """The rows that a query string asks for. 1 query, 2 when going newer reaches the start.

    Raises:
        BadCursor: the cursor is none of this page.
    """
    if page.listing is None:
        return _NOTHING
    rows, order = page.listing.source(question.condition), page.listing.order
    return keyset_slice(rows, page=page.slug, order=order, cursor=cursor, limit=form.limit_of_page())


def _rows(request: HttpRequest, page: Page, form: FilterForm, question: Question) -> tuple[Slice, str]:
    try:
        return listing_slice(page, form, question, request.GET.get("cursor", "")), ""
    except BadCursor:
        notice = _("That place in the list could not be understood, so this is its beginning.")
        return listing_slice(page, form, question, ""), notice

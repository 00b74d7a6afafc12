"""The export: the rows of a listing as comma-separated values, read a part at a time and kept nowhere."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from agentcore.paging import keyset_slice
from governance.pages.page import Listing, Page
from governance.question import Question

ROWS_A_PART = 1_000
# What a spreadsheet takes for a formula, also after a blank.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, kw_only=True)
class Part:
    """Lines of the file, and where the next part begins; None after the last."""

    text: str
    next: str | None


def export_part(page: Page, question: Question, cursor: str) -> Part:
    """The next ``ROWS_A_PART`` rows. 1 query, so that no transaction is open while a slow reader reads."""
    listing = page.listing
    assert listing is not None
    rows = listing.source(question.condition)
    found = keyset_slice(rows, page=page.slug, order=listing.order, cursor=cursor, limit=ROWS_A_PART)
    return Part(text=lines([_values(listing, row) for row in found.rows]), next=found.older)


def export_header(page: Page) -> str:
    assert page.listing is not None
    return lines([list(page.listing.export)])


def _values(listing: Listing, row: Any) -> list[str]:
    return [neutral(value(row)) for value in listing.export.values()]


def neutral(value: Any) -> str:
    """``value`` as text that no spreadsheet runs: a text that looks like a formula gets an apostrophe."""
    text = "" if value is None else str(value)
    is_formula = isinstance(value, str) and text.lstrip(" ").startswith(_FORMULA)
    return f"'{text}" if is_formula else text


def lines(rows: Sequence[Sequence[str]]) -> str:
    written = StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()

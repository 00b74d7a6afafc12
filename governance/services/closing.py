"""Closing days in good time: once a day and process, by whoever records the first turn after midnight."""

from datetime import date

from governance.days import today
from governance.services.rollups import DAYS_AT_ONCE, days_close

# Not state of a record: only what this process need not ask the database again.
_closed_as_of: set[date] = set()


def days_close_due() -> None:
    """Close a month of days at most, so that a long ledger is caught up with over a few turns.

    No query when this process found nothing to do today.
    """
    now = today()
    if now not in _closed_as_of and days_close(most=DAYS_AT_ONCE) < DAYS_AT_ONCE:
        _closed_as_of.clear()
        _closed_as_of.add(now)

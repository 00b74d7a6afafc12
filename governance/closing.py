"""Closing days in good time: a task beside the answers, so that no one waits for a sum over a day."""

import asyncio
import logging
from contextvars import Context
from datetime import date

from governance.bridge import aday_close_next
from governance.services.rollups import last_day_over

logger = logging.getLogger(__name__)


class DayCloser:
    """At most one task a process, a crossing a day, so that what is written meanwhile waits for one day at most."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        # Not state of a record: only what this process need not ask the database again.
        self._closed_up_to: date | None = None

    def start(self) -> None:
        """Close what is over, soon. Costs nothing when this process found every day closed."""
        loop = asyncio.get_running_loop()
        is_at_work = self._task is not None and not self._task.done() and self._task.get_loop() is loop
        if not is_at_work and self._closed_up_to != last_day_over():
            # A fresh context: it inherits nothing of the run whose end starts it.
            self._task = loop.create_task(self._close(), context=Context())

    async def _close(self) -> None:
        up_to = last_day_over()
        try:
            while await aday_close_next():
                pass
        except Exception:
            # A day that stays open is read from the ledger, and the next run's end tries again.
            logger.exception("Days could not be closed.")
        else:
            self._closed_up_to = up_to


DAY_CLOSER = DayCloser()

"""Closing days: beside the answers, once, and again after a failure."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from agentcore.ids import uuid7
from agentcore.observers import RunEnded
from governance import closing, observers
from governance.closing import DayCloser
from governance.models import Turn, UsageDay
from governance.observers import LedgerObserver


class Days:
    """Days to close, each when ``allowed``."""

    def __init__(self, number: int) -> None:
        self.left, self.asked = number, 0
        self.allowed = asyncio.Event()

    async def close_next(self) -> bool:
        self.asked += 1
        await self.allowed.wait()
        self.left -= 1
        return self.left >= 0


async def _settled() -> None:
    """Let every task go as far as it can."""
    for _turn in range(20):
        await asyncio.sleep(0)


async def test_one_task_closes_every_day_and_then_there_is_nothing_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    days, closer = Days(3), DayCloser()
    monkeypatch.setattr(closing, "aday_close_next", days.close_next)
    closer.start()
    closer.start()
    await _settled()
    assert days.asked == 1

    days.allowed.set()
    await _settled()
    closer.start()
    await _settled()

    assert days.asked == 4


async def test_a_failure_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    closer = DayCloser()

    async def away() -> bool:
        raise OSError("away")

    with monkeypatch.context() as patch:
        patch.setattr(closing, "aday_close_next", away)
        closer.start()
        await _settled()
    days = Days(1)
    days.allowed.set()
    monkeypatch.setattr(closing, "aday_close_next", days.close_next)
    closer.start()
    await _settled()

    assert days.left == -1


async def test_another_day_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    days, closer = Days(0), DayCloser()
    days.allowed.set()
    monkeypatch.setattr(closing, "aday_close_next", days.close_next)
    today = closing.last_day_over()
    closer.start()
    await _settled()
    monkeypatch.setattr(closing, "last_day_over", lambda: today + timedelta(days=1))
    closer.start()
    await _settled()

    assert days.asked == 2


@pytest.mark.database
async def test_the_record_of_a_run_does_not_wait_for_days(
    transactional_db: None, ended: RunEnded, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = Days(1)
    monkeypatch.setattr(observers, "DAY_CLOSER", DayCloser())
    with monkeypatch.context() as patch:
        patch.setattr(closing, "aday_close_next", days.close_next)
        async with asyncio.timeout(10):
            await LedgerObserver().observe(uuid7(), [ended])
        assert await Turn.objects.acount() == 1
        assert days.left == 1
        days.allowed.set()
        await _settled()
    assert days.left == -1


@pytest.mark.database
async def test_the_end_of_a_run_closes_the_days_that_are_over(
    transactional_db: None, ended: RunEnded, monkeypatch: pytest.MonkeyPatch
) -> None:
    closer = DayCloser()
    monkeypatch.setattr(observers, "DAY_CLOSER", closer)
    old = replace(ended, started=replace(ended.started, at=ended.started.at - timedelta(days=3)))

    await LedgerObserver().observe(uuid7(), [old])

    assert closer._task
    await closer._task
    assert await UsageDay.objects.filter(is_closed=True).acount() >= 3

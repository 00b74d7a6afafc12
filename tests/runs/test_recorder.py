"""Store, then show: what is merged, what is not, and what a broken database does."""

import asyncio
from collections import deque
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError

from agentcore.clock import CLOCK
from agentcore.events import Event, EventType
from agentcore.ids import uuid7
from agentcore.runs.recorder import LiveRun, Recorder
from agentcore.services.events import RunBatch
from agentcore.testing import ManualClock


class Log:
    """A database in memory, which can be slow or broken."""

    def __init__(self) -> None:
        self.batches: list[list[RunBatch]] = []
        self.faults: list[Exception] = []
        self.broken: dict[Any, Exception] = {}

    async def append(self, batches: list[RunBatch]) -> None:
        await asyncio.sleep(0)
        if self.faults:
            raise self.faults.pop(0)
        for batch in batches:
            if batch.run_id in self.broken:
                raise self.broken[batch.run_id]
        self.batches.append(batches)

    @property
    def events(self) -> list[Event]:
        return [event for batches in self.batches for batch in batches for event in batch.events]


def live_run() -> LiveRun:
    run_id = uuid7()
    first = Event(run_id, 0, EventType.RUN_STARTED, CLOCK.now(), {})
    return LiveRun(run_id, deque([first], maxlen=5), next_sequence=1)


def delta(text: str, message_id: str = "m") -> tuple[EventType, dict[str, Any]]:
    return EventType.TEXT_DELTA, {"message_id": message_id, "text": text}


async def test_many_deltas_make_few_rows_whose_text_is_the_concatenation() -> None:
    log, live = Log(), live_run()
    recorder = Recorder(log.append, coalesce_s=0.04)
    began = CLOCK.monotonic()
    for number in range(2000):
        recorder.emit(live, *delta(f"w{number} "))
        await asyncio.sleep(0.0005)
    await recorder.commit(live)
    await recorder.close()

    # 120 rows for 2 seconds; a machine that is busy takes longer, and more rows in that time.
    assert len(log.events) <= 120 * max(1.0, (CLOCK.monotonic() - began) / 2)
    assert "".join(event.data["text"] for event in log.events) == "".join(f"w{number} " for number in range(2000))


async def test_first_delta_is_not_held_back() -> None:
    log, live = Log(), live_run()
    recorder = Recorder(log.append, coalesce_s=3600)
    recorder.emit(live, *delta("first"))

    await live.changed.wait()

    assert [event.data["text"] for event in live.since(0) or ()] == ["first"]
    await recorder.close()


async def test_deltas_of_two_messages_are_not_merged() -> None:
    log, live = Log(), live_run()
    recorder = Recorder(log.append, coalesce_s=3600)
    for text, message_id in [("a", "m1"), ("b", "m1"), ("c", "m2"), ("d", "m1")]:
        recorder.emit(live, *delta(text, message_id))
    await recorder.commit(live)

    assert [(event.data["message_id"], event.data["text"]) for event in log.events] == [
        ("m1", "ab"),
        ("m2", "c"),
        ("m1", "d"),
    ]
    await recorder.close()


async def test_event_is_shown_only_after_its_commit() -> None:
    live = live_run()
    gate = asyncio.Event()

    async def slow(batches: list[RunBatch]) -> None:
        await gate.wait()

    recorder = Recorder(slow, coalesce_s=0.001)
    recorder.emit(live, EventType.STEP_STARTED, {"step": 1})
    await asyncio.sleep(0.01)

    assert live.since(0) == []
    gate.set()
    await live.changed.wait()
    assert [event.sequence for event in live.since(0) or ()] == [1]
    await recorder.close()


async def test_lock_is_tried_again() -> None:
    log, live = Log(), live_run()
    log.faults = [OperationalError("database is locked")] * 2
    recorder = Recorder(log.append, coalesce_s=0.001, clock=ManualClock())
    recorder.emit(live, EventType.STEP_STARTED, {"step": 1})

    await recorder.commit(live)

    assert [event.sequence for event in log.events] == [1]
    await recorder.close()


async def test_fault_of_one_run_costs_another_nothing() -> None:
    log, good, bad = Log(), live_run(), live_run()
    log.broken = {bad.run_id: IntegrityError("sequence taken")}
    recorder = Recorder(log.append, coalesce_s=0.001)
    recorder.emit(good, EventType.STEP_STARTED, {"step": 1})
    recorder.emit(bad, EventType.STEP_STARTED, {"step": 1})

    results = await asyncio.gather(recorder.commit(good), recorder.commit(bad), return_exceptions=True)

    assert results[0] is None
    assert isinstance(results[1], IntegrityError)
    assert [event.run_id for event in log.events] == [good.run_id]
    with pytest.raises(IntegrityError):
        await recorder.commit(bad)
    await recorder.close()


async def test_reader_behind_the_buffer_is_told_to_read_the_database() -> None:
    log, live = Log(), live_run()
    recorder = Recorder(log.append, coalesce_s=0.001)
    for step in range(10):
        recorder.emit(live, EventType.STEP_STARTED, {"step": step})
    await recorder.commit(live)

    assert live.since(0) is None
    assert [event.sequence for event in live.since(8) or ()] == [9, 10]
    assert live.since(10) == []
    await recorder.close()

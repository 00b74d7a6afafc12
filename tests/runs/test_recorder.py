"""Store, then show: what is merged, what is not, and what a broken database does."""

import asyncio
from collections import deque
from typing import Any

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from agentcore.clock import CLOCK
from agentcore.events import Event, EventType
from agentcore.ids import uuid7
from agentcore.runs.recorder import LiveRun, Recorder, RecorderClosed
from agentcore.services.events import RunBatch
from agentcore.testing import ManualClock
from tests.runs.clock import SteppedClock, settled


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
    log, live, clock = Log(), live_run(), SteppedClock()
    recorder = Recorder(log.append, coalesce_s=0.04, clock=clock)
    for number in range(2000):
        recorder.emit(live, *delta(f"w{number} "))
        await clock.passes(0.001, step_s=0.001)
    await recorder.commit(live)
    await recorder.close()

    assert len(log.events) <= 120
    assert "".join(event.data["text"] for event in log.events) == "".join(f"w{number} " for number in range(2000))


async def test_first_delta_is_not_held_back() -> None:
    log, live = Log(), live_run()
    recorder = Recorder(log.append, coalesce_s=3600)
    recorder.emit(live, *delta("first"))

    await live.changed.wait()

    assert [event.data["text"] for event in live.since(0) or ()] == ["first"]
    await recorder.close()


async def test_deltas_of_two_messages_are_merged_each_with_its_own() -> None:
    log, live = Log(), live_run()
    recorder = Recorder(log.append, coalesce_s=3600)
    for text, message_id in [("a", "m1"), ("b", "m1"), ("c", "m2"), ("d", "m1")]:
        recorder.emit(live, *delta(text, message_id))
    await recorder.commit(live)

    assert [(event.data["message_id"], event.data["text"]) for event in log.events] == [("m1", "abd"), ("m2", "c")]
    await recorder.close()


async def test_delta_is_not_merged_with_one_before_another_event() -> None:
    log, live = Log(), live_run()
    recorder = Recorder(log.append, coalesce_s=3600)
    for event in (delta("a"), (EventType.MESSAGE_COMPLETED, {"message_id": "m", "text": "a"}), delta("b")):
        recorder.emit(live, *event)
    await recorder.commit(live)

    assert [event.data["text"] for event in log.events] == ["a", "a", "b"]
    await recorder.close()


async def test_thought_and_text_that_alternate_make_few_rows_whose_texts_are_the_concatenations() -> None:
    log, live, clock = Log(), live_run(), SteppedClock()
    recorder = Recorder(log.append, coalesce_s=0.04, clock=clock)
    kinds = (EventType.REASONING_DELTA, EventType.TEXT_DELTA)
    for number in range(2000):
        recorder.emit(live, kinds[number % 2], {"message_id": "m", "text": f"{number} "})
        await clock.passes(0.001, step_s=0.001)
    await recorder.commit(live)
    await recorder.close()

    said = ["".join(event.data["text"] for event in log.events if event.type is kind) for kind in kinds]
    assert len(log.events) <= 120
    assert said == ["".join(f"{number} " for number in range(first, 2000, 2)) for first in (0, 1)]


async def test_event_is_shown_only_after_its_commit() -> None:
    live = live_run()
    gate = asyncio.Event()

    async def slow(batches: list[RunBatch]) -> None:
        await gate.wait()

    recorder = Recorder(slow, coalesce_s=0.001)
    recorder.emit(live, EventType.STEP_STARTED, {"step": 1})
    await settled()

    assert live.since(0) == []
    gate.set()
    await live.changed.wait()
    assert [event.sequence for event in live.since(0) or ()] == [1]
    await recorder.close()


@pytest.mark.parametrize("fault", [OperationalError("database is locked"), InterfaceError("connection is closed")])
async def test_what_may_pass_is_tried_again(fault: Exception) -> None:
    log, live = Log(), live_run()
    log.faults = [fault] * 2
    recorder = Recorder(log.append, coalesce_s=0.001, clock=ManualClock())
    recorder.emit(live, EventType.STEP_STARTED, {"step": 1})

    await recorder.commit(live)

    assert [event.sequence for event in log.events] == [1]
    await recorder.close()


async def test_fault_of_another_library_that_has_the_name_is_not_tried_again() -> None:
    log, live = Log(), live_run()
    log.faults = [type("OperationalError", (Exception,), {})("of a tool's own database")]
    recorder = Recorder(log.append, coalesce_s=0.001, clock=ManualClock())

    with pytest.raises(Exception, match="of a tool's own database"):
        await recorder.commit(live)
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


def test_reader_may_ask_for_what_comes_after_the_largest_number() -> None:
    assert live_run().since(2**63 - 1) == []


async def test_urgent_events_of_one_run_make_no_rows_for_another() -> None:
    log, busy, talking, clock = Log(), live_run(), live_run(), SteppedClock()
    recorder = Recorder(log.append, coalesce_s=0.04, clock=clock)
    for number in range(2000):
        recorder.emit(talking, *delta(f"w{number} "))
        recorder.emit(busy, EventType.STEP_STARTED, {"step": number})
        await clock.passes(0.001, step_s=0.001)
    await recorder.commit(talking)
    await recorder.close()

    said = [event.data["text"] for event in log.events if event.run_id == talking.run_id]
    assert len(said) <= 120
    assert "".join(said) == "".join(f"w{number} " for number in range(2000))
    assert sum(event.run_id == busy.run_id for event in log.events) == 2000


async def test_first_delta_of_a_run_is_shown_at_once_and_takes_no_other_with_it() -> None:
    log, early, late = Log(), live_run(), live_run()
    recorder = Recorder(log.append, coalesce_s=0.04, clock=SteppedClock())
    recorder.emit(early, *delta("a"))
    await settled()
    recorder.emit(early, *delta("b"))
    recorder.emit(late, *delta("x"))
    await settled()

    assert [event.data["text"] for event in log.events] == ["a", "x"]
    await recorder.close()


async def test_runs_that_are_due_together_share_a_transaction() -> None:
    log, runs, clock = Log(), [live_run() for _ in range(3)], SteppedClock()
    recorder = Recorder(log.append, coalesce_s=0.04, clock=clock)
    for text in ("first", "then"):
        for live in runs:
            recorder.emit(live, *delta(text))
        await clock.passes(0.05)

    assert [len(batches) for batches in log.batches] == [3, 3]
    await recorder.close()


async def test_slow_commits_make_larger_batches() -> None:
    live, clock = live_run(), SteppedClock()
    batches: list[list[RunBatch]] = []

    async def slow(written: list[RunBatch]) -> None:
        await clock.sleep(0.1)
        batches.append(written)

    recorder = Recorder(slow, coalesce_s=0.04, clock=clock)
    for number in range(400):
        recorder.emit(live, *delta(f"w{number} "))
        await clock.passes(0.005)

    assert 9 <= len(batches) <= 12
    await recorder.close()


async def test_event_that_cannot_be_written_costs_its_own_run_alone() -> None:
    log, good, bad = Log(), live_run(), live_run()
    recorder = Recorder(log.append, coalesce_s=0.001)
    recorder.emit(bad, EventType.TEXT_DELTA, {"message_id": "m", "text": None})
    recorder.emit(good, *delta("a"))

    results = await asyncio.gather(recorder.commit(bad), recorder.commit(good), return_exceptions=True)

    assert [type(result) for result in results] == [TypeError, type(None)]
    assert [event.run_id for event in log.events] == [good.run_id]
    await recorder.close()


async def test_what_gathered_behind_a_lost_batch_is_lost_with_it() -> None:
    stored, gate = list[RunBatch](), asyncio.Event()

    async def broken_once(batches: list[RunBatch]) -> None:
        if not gate.is_set():
            await gate.wait()
            raise IntegrityError("disk full")
        stored.extend(batches)

    live, told = live_run(), list[str]()
    live.on_failure = lambda: told.append("the journal is broken")
    recorder = Recorder(broken_once, coalesce_s=3600)
    recorder.emit(live, *delta("a"))
    await settled()
    recorder.emit(live, EventType.RUN_COMPLETED, {})
    last = asyncio.create_task(recorder.commit(live))
    await settled()

    gate.set()

    with pytest.raises(IntegrityError):
        await last
    assert (stored, told) == ([], ["the journal is broken"])
    await recorder.close()


async def test_run_is_told_once_that_its_journal_is_broken() -> None:
    live, told, gate = live_run(), list[str](), asyncio.Event()

    async def broken(batches: list[RunBatch]) -> None:
        await gate.wait()
        raise IntegrityError("disk full")

    live.on_failure = lambda: told.append("the journal is broken")
    recorder = Recorder(broken, coalesce_s=3600)
    for step in (1, 2):
        recorder.emit(live, EventType.STEP_STARTED, {"step": step})
        await settled()

    gate.set()
    await settled()

    assert told == ["the journal is broken"]
    await recorder.close()


class Unwakeable(LiveRun):
    def wake(self) -> None:
        raise RuntimeError("a fault of ours")


async def test_fault_of_the_recorder_fails_who_waits_and_ends_nothing_else() -> None:
    log, good = Log(), live_run()
    bad = Unwakeable(uuid7(), deque(), next_sequence=1)
    recorder = Recorder(log.append, coalesce_s=0.001)

    with pytest.raises(RuntimeError, match="a fault of ours"):
        async with asyncio.timeout(5):
            await recorder.commit(bad)

    async with asyncio.timeout(5):
        await recorder.commit(good)
    await recorder.close()


async def test_closed_recorder_leaves_nobody_waiting() -> None:
    async def hanging(batches: list[RunBatch]) -> None:
        await asyncio.Event().wait()

    recorder = Recorder(hanging, coalesce_s=0.001)
    in_flight, queued = live_run(), live_run()
    waiting = [asyncio.create_task(recorder.commit(in_flight))]
    await settled()
    waiting.append(asyncio.create_task(recorder.commit(queued)))
    await settled()

    await recorder.close()

    async with asyncio.timeout(5):
        results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [RecorderClosed, RecorderClosed]

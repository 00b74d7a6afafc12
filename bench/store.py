"""What storing costs: rows for a long answer, and a group of events against single ones."""

import asyncio
import time
from collections import deque
from uuid import UUID

from django.contrib.auth import get_user_model
from django.utils import timezone

from agentcore.bridge import abatches_append
from agentcore.conf import steward
from agentcore.events import Event, EventType
from agentcore.models import Run, RunEvent
from agentcore.runs.recorder import LiveRun, Recorder
from agentcore.services.events import RunBatch, batches_append, event_rows
from bench.measure import Ratio

DELTAS, WITHIN_S, ROWS = 2_000, 2.0, 120
GROUP = 200


def _run() -> UUID:
    user, _ = get_user_model()._default_manager.get_or_create(username="bench")
    return Run.objects.create(user=user, agent="bench", input="hi").id


async def _emit_evenly(run_id: UUID) -> None:
    """``DELTAS`` deltas, evenly over ``WITHIN_S`` seconds."""
    recorder = Recorder(abatches_append, coalesce_s=steward().EVENT_COALESCE_MS / 1000)
    live = LiveRun(run_id, deque(maxlen=DELTAS))
    began = time.perf_counter()
    for number in range(DELTAS):
        await asyncio.sleep(began + number * WITHIN_S / DELTAS - time.perf_counter())
        recorder.emit(live, EventType.TEXT_DELTA, {"message_id": "m", "text": f"w{number} "})
    await recorder.commit(live)
    await recorder.close()


def _rows_of_an_answer() -> float:
    run_id = _run()
    asyncio.run(_emit_evenly(run_id))
    rows = RunEvent.objects.filter(run_id=run_id).order_by("sequence")
    text = "".join(row.data["text"] for row in rows)
    if text != "".join(f"w{number} " for number in range(DELTAS)):
        raise AssertionError("The stored text is not the concatenation of the deltas.")
    return float(len(rows))


def _events() -> list[Event]:
    run_id, now = _run(), timezone.now()
    return [Event(run_id, number, EventType.TEXT_DELTA, now, {"text": "w "}) for number in range(GROUP)]


def _grouped_to_single() -> float:
    grouped, single = _events(), _events()
    began = time.perf_counter()
    batches_append([RunBatch(grouped[0].run_id, grouped, [])])
    between = time.perf_counter()
    for row in event_rows(single):
        row.save(force_insert=True)
    return (between - began) / (time.perf_counter() - between)


def ratios() -> list[Ratio]:
    return [
        Ratio(f"rows for {DELTAS} deltas in {WITHIN_S:g} s", _rows_of_an_answer(), "rows", ROWS),
        Ratio(f"{GROUP} events in one group", _grouped_to_single(), "× storing them one by one", 0.5),
    ]

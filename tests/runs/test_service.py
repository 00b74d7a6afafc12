"""A run from its request to its last event, on the mock provider and real rows."""

from typing import Any

import pytest

from agentcore.events import Event, EventType
from agentcore.models import Run, RunEvent, RunStep, ToolCall
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import cancel_run, follow, start_run

pytestmark = [pytest.mark.django_db(transaction=True)]


async def all_events(run_id: Any, after: int = -1) -> list[Event]:
    return [event async for batch in follow(run_id, after) for event in batch]


async def test_run_answers_and_stores_every_event_that_it_shows(process: Runtime, user: Any) -> None:
    started = await start_run(RunRequest.parse({"input": "hello there"}), user=user)

    events = await all_events(started.run_id)
    await process.engine.drain()

    run = await Run.objects.aget(id=started.run_id)
    stored = [row async for row in RunEvent.objects.filter(run=run).order_by("sequence")]
    assert [event.sequence for event in events] == list(range(len(events)))
    assert [row.data for row in stored] == [event.data for event in events]
    assert [event.type for event in events if event.type is not EventType.TEXT_DELTA] == [
        EventType.RUN_STARTED,
        EventType.STEP_STARTED,
        EventType.MESSAGE_COMPLETED,
        EventType.USAGE_REPORTED,
        EventType.RUN_COMPLETED,
    ]
    text = "".join(event.data["text"] for event in events if event.type is EventType.TEXT_DELTA)
    assert text == run.output == "You said: hello there"
    assert (run.status, run.finish_reason, run.provider_id, run.model) == ("completed", "stop", "mock", "mock-1")
    assert run.last_sequence == events[-1].sequence
    assert run.recorded_at is not None


async def test_run_uses_a_tool_and_settles_its_row(process: Runtime, user: Any) -> None:
    started = await start_run(RunRequest.parse({"input": '/tool math.add {"left": 2, "right": 3}'}), user=user)

    events = await all_events(started.run_id)
    await process.engine.drain()

    call = await ToolCall.objects.aget(run_id=started.run_id)
    assert (call.name, call.status, call.result) == ("math.add", "done", 5)
    assert "math.add returned: 5" in events[-1].data["output"]
    assert not await RunStep.objects.filter(run_id=started.run_id).aexists()


async def test_cancel_ends_the_run_with_its_partial_text(process: Runtime, user: Any) -> None:
    started = await start_run(RunRequest.parse({"input": "/stream 1000 20"}), user=user)
    seen: list[Event] = []
    async for batch in follow(started.run_id):
        seen += batch
        if any(event.type is EventType.TEXT_DELTA for event in seen):
            await cancel_run(started.run_id, user=user)
    await process.engine.drain()

    run = await Run.objects.aget(id=started.run_id)
    assert (run.status, run.cancel_reason) == ("cancelled", "user")
    assert seen[-1].type is EventType.RUN_CANCELLED
    assert run.output.startswith("w1 ")
    assert run.usage["output_tokens"] > 0

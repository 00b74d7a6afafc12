"""A run from its request to its last event, on the mock provider and real rows."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from django.utils import timezone

from agentcore.bridge import arun_open
from agentcore.errors import TooManyRuns
from agentcore.events import Event, EventType
from agentcore.models import Run, RunEvent, RunStep, ToolCall
from agentcore.runs.recorder import LiveRun
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import Started, cancel_run, follow, start_run
from agentcore.services.events import Write
from agentcore.services.leases import LeaseLost, host
from agentcore.services.runs import NewRun, Opened
from governance.models import Turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


async def for_ever(*_: Any) -> None:
    await asyncio.Event().wait()


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


async def test_stop_that_comes_while_the_answer_is_being_stored_undoes_nothing(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, stops = process.recorder.commit, list[bool]()

    async def commit_and_stop(live: LiveRun, *writes: Write) -> None:
        if process.engine.jobs[live.run_id].is_closing:
            stops.append(process.engine.stop(live.run_id, "user"))
        await commit(live, *writes)

    monkeypatch.setattr(process.recorder, "commit", commit_and_stop)
    started = await start_run(RunRequest.parse({"input": "hi"}), user=user)
    await process.engine.drain()

    run = await Run.objects.aget(id=started.run_id)
    assert stops == [False]
    assert (run.status, run.output) == ("completed", "You said: hi")


@pytest.mark.parametrize("script", ["/fail PROVIDER_UNAVAILABLE", "/stream 1000 20"])
async def test_run_that_nobody_answered_says_which_model_was_asked(process: Runtime, user: Any, script: str) -> None:
    started = await start_run(RunRequest.parse({"input": script}), user=user)
    async for batch in follow(started.run_id):
        if any(event.type is EventType.TEXT_DELTA for event in batch):
            await cancel_run(started.run_id, user=user)
    await process.engine.drain()

    run, turn = await Run.objects.aget(id=started.run_id), await Turn.objects.aget(run_id=started.run_id)
    assert run.status in {"failed", "cancelled"}
    assert (run.provider_id, run.model) == (turn.provider_id, turn.model) == ("mock", "mock-1")


async def test_repeated_send_gets_its_run_also_when_a_new_one_would_be_refused(
    process: Runtime, user: Any, settings: Any
) -> None:
    settings.STEWARD = {"MAX_CONCURRENT_RUNS_PER_USER": 1}
    request = RunRequest.parse({"input": "/stream 1000 20", "send_id": "s1"})
    first = await start_run(request, user=user)

    again = await start_run(request, user=user)

    assert (again.run_id, again.created) == (first.run_id, False)
    await cancel_run(first.run_id, user=user)


async def test_send_that_comes_twice_at_once_makes_one_run(process: Runtime, user: Any) -> None:
    request = RunRequest.parse({"input": "hi", "send_id": "s1"})

    runs = await asyncio.gather(*[start_run(request, user=user) for _ in range(3)])

    assert sorted(run.created for run in runs) == [False, False, True]
    assert len({run.run_id for run in runs}) == 1


async def test_send_id_belongs_to_its_user(process: Runtime, user: Any, other_user: Any) -> None:
    request = RunRequest.parse({"input": "hi", "send_id": "s1"})

    runs = [await start_run(request, user=somebody) for somebody in (user, other_user)]

    assert [run.created for run in runs] == [True, True]


async def test_conversation_of_a_dead_owner_is_free_at_once_whatever_its_record_waits_for(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentcore.runs.recovery.arecord_of", for_ever)
    first = await start_run(RunRequest.parse({"input": "/stream 1000 20"}), user=user)
    process.live[first.run_id].failure = LeaseLost(first.run_id)
    process.engine.jobs[first.run_id].run.fence = -1
    process.engine.jobs[first.run_id].fail()
    await process.engine.drain()
    await Run.objects.filter(id=first.run_id).aupdate(owner=f"{host()}:999999:1")

    request = RunRequest.parse({"input": "hi", "conversation_id": str(first.conversation_id)})
    async with asyncio.timeout(10):
        second = await start_run(request, user=user)

    assert second.created
    assert (await Run.objects.aget(id=first.run_id)).status == "failed"


async def test_arguments_that_json_lacks_do_not_lose_the_run(process: Runtime, user: Any) -> None:
    started = await start_run(RunRequest.parse({"input": '/tool system.echo {"text": NaN}'}), user=user)
    await process.engine.drain()

    run = await Run.objects.aget(id=started.run_id)
    assert run.status == "completed"


async def test_secret_in_a_tool_call_is_neither_stored_in_an_event_nor_shown(process: Runtime, user: Any) -> None:
    secret = "sk-CANARY-abcdef0123456789abcdef0123456789"
    started = await start_run(RunRequest.parse({"input": f'/tool system.echo {{"text": "{secret}"}}'}), user=user)

    events = await all_events(started.run_id)
    await process.engine.drain()

    calls = [event.data for event in events if event.type.startswith("ToolCall")]
    assert len(calls) == 2
    assert secret not in str(calls)
    assert [row.data async for row in RunEvent.objects.filter(type__startswith="ToolCall")] == calls


async def test_caller_that_leaves_while_a_run_opens_leaves_no_run_that_nobody_executes(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    executed = asyncio.Event()

    async def commit_and_leave(new: NewRun) -> Opened:
        opened = await arun_open(new)
        caller.cancel()
        await asyncio.sleep(0)
        executed.set()
        return opened

    monkeypatch.setattr("agentcore.runs.service.arun_open", commit_and_leave)
    caller = asyncio.create_task(start_run(RunRequest.parse({"input": "hi"}), user=user))
    await asyncio.gather(caller, executed.wait(), return_exceptions=True)
    await asyncio.sleep(0)
    await process.engine.drain()

    assert caller.cancelled()
    assert (await Run.objects.aget()).status == "completed"


async def test_parallel_starts_do_not_pass_the_limit(process: Runtime, user: Any, settings: Any) -> None:
    settings.STEWARD = {"MAX_CONCURRENT_RUNS_PER_USER": 2}
    request = RunRequest.parse({"input": "/stream 1000 20"})

    results = await asyncio.gather(*[start_run(request, user=user) for _ in range(6)], return_exceptions=True)

    started = [result for result in results if isinstance(result, Started)]
    assert len(started) == 2
    for run in started:
        await cancel_run(run.run_id, user=user)


async def test_one_send_that_comes_many_times_at_once_counts_once(process: Runtime, user: Any, settings: Any) -> None:
    settings.STEWARD = {"MAX_CONCURRENT_RUNS_PER_USER": 1}
    request = RunRequest.parse({"input": "once", "send_id": "s1"})

    started = await asyncio.gather(*[start_run(request, user=user) for _ in range(5)])
    await process.engine.drain()

    assert len({run.run_id for run in started}) == 1
    assert [run.created for run in started].count(True) == 1


@pytest_asyncio.fixture
async def run_elsewhere(agent: Any, user: Any) -> Run:
    """A run of the person in another process that lives."""
    now = timezone.now()
    return await Run.objects.acreate(
        user=user, status="running", owner="elsewhere/1:1:1", fence=1, lease_expires_at=now + timedelta(seconds=30)
    )


async def test_limit_of_a_person_counts_the_runs_of_all_processes(
    process: Runtime, user: Any, other_user: Any, run_elsewhere: Run, settings: Any
) -> None:
    settings.STEWARD = {"MAX_CONCURRENT_RUNS_PER_USER": 1}
    request = RunRequest.parse({"input": "hi"})

    with pytest.raises(TooManyRuns):
        await start_run(request, user=user)

    assert (await start_run(request, user=other_user)).created


async def test_runs_that_a_dead_process_left_do_not_count(
    process: Runtime, user: Any, run_elsewhere: Run, settings: Any
) -> None:
    settings.STEWARD = {"MAX_CONCURRENT_RUNS_PER_USER": 1}
    await Run.objects.filter(id=run_elsewhere.id).aupdate(owner=f"{host()}:999999:1")

    assert (await start_run(RunRequest.parse({"input": "hi"}), user=user)).created


async def test_run_of_this_process_counts_once(process: Runtime, user: Any, settings: Any) -> None:
    settings.STEWARD = {"MAX_CONCURRENT_RUNS_PER_USER": 2}
    request = RunRequest.parse({"input": "/stream 1000 20"})

    started = [await start_run(request, user=user), await start_run(request, user=user)]

    assert [run.created for run in started] == [True, True]
    for run in started:
        await cancel_run(run.run_id, user=user)

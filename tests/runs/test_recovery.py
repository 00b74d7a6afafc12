"""A run whose owner is gone: closed once, with what it showed, its calls paired, and its record delivered."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from agentcore.bridge import arun_abandon
from agentcore.events import EventType
from agentcore.models import Run, RunEvent, ToolCall
from agentcore.runs.recovery import Recovered, recover
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.services.leases import LeaseLost, host, own_owner, owner_is_dead, process_start
from agentcore.testing import RecordingTool
from conversations.models import Message
from governance.models import Turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

DEAD = f"{host()}:999999:1"


async def cut_off(process: Runtime, user: Any, text: str, until: EventType, **row: Any) -> UUID:
    """A run that stopped in the middle as if its process had been killed, its row changed to say ``row``."""
    started = await start_run(RunRequest.parse({"input": text}), user=user)
    live, job = process.live[started.run_id], process.engine.jobs[started.run_id]
    while not any(event.type is until for event in live.events):
        await live.changed.wait()
    # Nothing of this process may end it, as if there were none any more.
    live.failure, job.run.fence = LeaseLost(started.run_id), -1
    job.fail()
    await process.engine.drain()
    await Run.objects.filter(id=started.run_id).aupdate(**row)
    return started.run_id


def types_of(events: list[RunEvent]) -> list[str]:
    return [event.type for event in events]


async def events_of(run_id: UUID) -> list[RunEvent]:
    return [event async for event in RunEvent.objects.filter(run_id=run_id).order_by("sequence")]


async def test_recover_closes_a_run_of_a_dead_process_at_once(process: Runtime, user: Any) -> None:
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=DEAD)

    assert await recover() == Recovered(closed=1, delivered=1)

    run = await Run.objects.aget(id=run_id)
    events = await events_of(run_id)
    assert run.status == "failed"
    assert run.error is not None
    assert run.error["code"] == "AGENT_PROCESS_RESTARTED"
    assert run.recorded_at is not None
    assert [event.sequence for event in events] == list(range(len(events)))
    assert types_of(events)[-3:] == ["MessageCompleted", "UsageReported", "RunFailed"]
    deltas = "".join(event.data["text"] for event in events if event.type == "TextDelta")
    assert deltas == events[-3].data["text"] == run.output
    assert run.last_sequence == events[-1].sequence


async def test_recover_settles_a_call_that_was_running_as_unknown(
    process: Runtime, user: Any, slow_tool: RecordingTool
) -> None:
    run_id = await cut_off(process, user, "/tool test.slow {}", EventType.TOOL_CALL_STARTED, owner=DEAD)

    await recover()

    call = await ToolCall.objects.aget(run_id=run_id)
    events = await events_of(run_id)
    completed = [event.data for event in events if event.type == "ToolCallCompleted"]
    assert call.status == "unknown"
    assert [data["status"] for data in completed] == ["unknown"]
    stored = [message async for message in Message.objects.filter(run_id=run_id).order_by("pk")]
    kinds = [item["type"] for message in stored for item in message.contents["contents"]]
    assert kinds.count("function_call") == kinds.count("function_result") == 1


async def test_recover_writes_one_ledger_row_and_the_conversation_goes_on(process: Runtime, user: Any) -> None:
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=DEAD)
    await recover()
    run = await Run.objects.aget(id=run_id)

    request = RunRequest.parse({"input": "go on", "conversation_id": str(run.conversation_id)})
    started = await start_run(request, user=user)
    await process.engine.drain()

    assert await Turn.objects.filter(run_id=run_id).acount() == 1
    assert (await Turn.objects.aget(run_id=run_id)).status == "failed"
    assert (await Run.objects.aget(id=started.run_id)).status == "completed"


async def test_recover_leaves_a_run_of_a_living_process_alone(process: Runtime, user: Any) -> None:
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA)

    assert await recover() == Recovered(closed=0, delivered=0)
    assert (await Run.objects.aget(id=run_id)).status == "running"


async def test_recover_waits_for_the_lease_of_another_machine(process: Runtime, user: Any) -> None:
    elsewhere = "elsewhere/1:1:1"
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=elsewhere)
    assert (await recover()).closed == 0

    await Run.objects.filter(id=run_id).aupdate(lease_expires_at=timezone.now() - timedelta(seconds=1))

    assert (await recover()).closed == 1


async def test_two_recoveries_close_a_run_once(process: Runtime, user: Any) -> None:
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=DEAD)

    results = await asyncio.gather(recover(), recover())

    assert sum(result.closed for result in results) == 1
    assert types_of(await events_of(run_id)).count("RunFailed") == 1


async def test_run_that_cannot_be_recovered_holds_up_no_other(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_ids = [await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=DEAD) for _ in range(2)]

    async def all_but_the_first(run: Run) -> Run | None:
        if run.id == run_ids[0]:
            raise ValueError("what no database takes")
        return await arun_abandon(run)

    monkeypatch.setattr("agentcore.runs.recovery.arun_abandon", all_but_the_first)

    assert await recover() == Recovered(closed=1, delivered=1)
    assert [(await Run.objects.aget(id=run_id)).status for run_id in run_ids] == ["running", "failed"]


async def test_recover_delivers_an_owed_record(process: Runtime, user: Any) -> None:
    started = await start_run(RunRequest.parse({"input": "hi"}), user=user)
    await process.engine.drain()
    await Turn.objects.all().adelete()
    long_ago = timezone.now() - timedelta(minutes=1)
    await Run.objects.filter(id=started.run_id).aupdate(recorded_at=None, finished_at=long_ago)

    assert (await recover()).delivered == 1

    turn = await Turn.objects.aget(run_id=started.run_id)
    assert (turn.status, turn.input_tokens > 0) == ("completed", True)


async def test_writer_that_lost_its_run_writes_nothing_more(process: Runtime, user: Any) -> None:
    started = await start_run(RunRequest.parse({"input": "/stream 1000 5"}), user=user)
    live = process.live[started.run_id]
    while len(live.events) < 3:
        await live.changed.wait()
    await Run.objects.filter(id=started.run_id).aupdate(owner=DEAD)

    await recover()
    await process.engine.drain()

    events = await events_of(started.run_id)
    assert [event.sequence for event in events] == list(range(len(events)))
    assert types_of(events).count("RunFailed") == 1
    assert types_of(events)[-1] == "RunFailed"


def test_owner_is_dead_knows_this_process_and_a_pid_that_was_used_again() -> None:
    machine, pid, start = own_owner().rsplit(":", 2)

    assert not owner_is_dead(own_owner())
    assert owner_is_dead(f"{machine}:{pid}:{int(start) + 1}")
    assert owner_is_dead(DEAD)
    assert not owner_is_dead("elsewhere/1:999999:1")
    assert process_start(999999) is None


async def test_run_whose_journal_breaks_is_ended_at_once_from_what_is_stored(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentcore.runs.journal.call_settle", broken)
    started = await start_run(RunRequest.parse({"input": '/tool system.echo {"text": "x"}'}), user=user)
    await process.engine.drain()

    run = await Run.objects.aget(id=started.run_id)
    events = await events_of(run.id)
    assert (run.status, run.error and run.error["code"]) == ("failed", "INTERNAL_ERROR")
    assert run.recorded_at is not None
    assert [event.sequence for event in events] == list(range(len(events)))
    assert types_of(events).count("ToolCallCompleted") == types_of(events).count("ToolCallStarted") == 1


def broken(**_: Any) -> None:
    raise ValueError("what no database takes")

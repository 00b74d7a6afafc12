"""A run whose owner is gone: closed once, with what it showed, its calls paired, and its record delivered."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from agentcore.bridge import arun_abandon
from agentcore.events import Event, EventType
from agentcore.models import ModelPrice, Provider, Run, RunEvent, ToolCall
from agentcore.providers.estimate import TOKENS_A_MESSAGE, estimated_tokens
from agentcore.runs.recovery import Recovered, recover
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.selectors import events_after
from agentcore.services.leases import LeaseLost, host, own_owner, owner_is_dead, process_start
from agentcore.services.recovery import Shown
from agentcore.testing import RecordingTool
from conversations.models import Message
from governance.models import ModelCall, Turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
DEAD = f"{host()}:999999:1"


async def cut_off(
    process: Runtime,
    user: Any,
    text: str,
    until: EventType,
    also_until: asyncio.Event | None = None,
    *,
    conversation_id: UUID | None = None,
    **row: Any,
) -> UUID:
    """A run that stopped in the middle as if its process had been killed, its row changed to say ``row``."""
    asked = {"input": text, "conversation_id": conversation_id and str(conversation_id)}
    started = await start_run(RunRequest.parse(asked), user=user)
    live, job = process.live[started.run_id], process.engine.jobs[started.run_id]
    while not any(event.type is until for event in live.events):
        await live.changed.wait()
    if also_until is not None:
        await also_until.wait()
    # Nothing of this process may end it or tell of it, as if there were none any more.
    job.dispatcher._queues.clear()
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


async def test_recover_settles_a_call_that_was_running_as_unknown_and_one_that_had_not_begun_as_cancelled(
    process: Runtime, user: Any, slow_tool: RecordingTool, settings: Any
) -> None:
    settings.STEWARD = {"MAX_PARALLEL_TOOLS": 1}
    two_calls = "/tool test.slow {}\n/tool test.slow {}"
    run_id = await cut_off(process, user, two_calls, EventType.TOOL_CALL_STARTED, slow_tool.started, owner=DEAD)

    await recover()

    calls = [call async for call in ToolCall.objects.filter(run_id=run_id).order_by("pk")]
    events = await events_of(run_id)
    completed = [event.data for event in events if event.type == "ToolCallCompleted"]
    assert [call.status for call in calls] == ["unknown", "cancelled"]
    assert [data["status"] for data in completed] == ["unknown", "cancelled"]
    assert [call.error for call in calls] == [data["error"] for data in completed]
    assert calls[0].error != calls[1].error
    assert len(slow_tool.calls) == 1
    stored = [message async for message in Message.objects.filter(run_id=run_id).order_by("pk")]
    kinds = [item["type"] for message in stored for item in message.contents["contents"]]
    assert kinds.count("function_call") == kinds.count("function_result") == 2


async def test_recover_keeps_the_route_that_was_asked(process: Runtime, user: Any) -> None:
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=DEAD)

    await recover()

    run, turn = await Run.objects.aget(id=run_id), await Turn.objects.aget(run_id=run_id)
    assert (run.provider_id, run.model) == (turn.provider_id, turn.model) == ("mock", "mock-1")


async def test_recover_keeps_the_route_that_was_asked_after_another_one(process: Runtime, user: Any) -> None:
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=DEAD)
    last = (await events_of(run_id))[-1]
    to = {"provider_id": "second", "model": "fx-2"}
    changed = {"from": {"provider_id": "mock", "model": "mock-1"}, "to": to, "reason": "X", "discard": None}
    await RunEvent.objects.acreate(
        run_id=run_id, sequence=last.sequence + 1, type="RouteChanged", created_at=last.created_at, data=changed
    )

    await recover()

    run = await Run.objects.aget(id=run_id)
    assert (run.provider_id, run.model) == ("second", "fx-2")


async def test_recover_estimates_what_the_first_step_was_sent_from_the_conversation_and_the_input(
    process: Runtime, user: Any
) -> None:
    before = await start_run(RunRequest.parse({"input": "/usage 100 20"}), user=user)
    await process.engine.drain()
    text = "/stream 1000 20"
    run_id = await cut_off(
        process, user, text, EventType.TEXT_DELTA, owner=DEAD, conversation_id=before.conversation_id
    )

    await recover()

    usage = (await Run.objects.aget(id=run_id)).usage
    assert usage["input_tokens"] == 120 + TOKENS_A_MESSAGE + estimated_tokens(text)
    assert usage["output_tokens"] > 0
    assert usage["estimated"]


async def test_recover_estimates_what_a_later_step_was_sent_from_the_step_before(process: Runtime, user: Any) -> None:
    script = '/usage 100 20\n/tool system.echo {"text": "four"}\n/then\n/stream 1000 20'
    run_id = await cut_off(process, user, script, EventType.TEXT_DELTA, owner=DEAD)

    await recover()

    usage = (await Run.objects.aget(id=run_id)).usage
    assert usage["input_tokens"] == 100 + 120 + TOKENS_A_MESSAGE + estimated_tokens("four")
    assert usage["output_tokens"] > 20


def test_step_that_was_cut_off_used_what_it_said_and_thought_itself() -> None:
    shown = Shown()
    for type, data in [
        (EventType.STEP_STARTED, {"step": 2}),
        (EventType.TEXT_DELTA, {"message_id": "a", "text": "of the step before"}),
        (EventType.USAGE_REPORTED, {}),
        (EventType.STEP_STARTED, {"step": 3}),
        (EventType.REASONING_DELTA, {"message_id": "b", "text": "well then"}),
        (EventType.TEXT_DELTA, {"message_id": "b", "text": "said"}),
    ]:
        shown.see(Event(UUID(int=1), 0, type, LONG_AGO, data))

    usage = shown.usage(7)

    thought = estimated_tokens("well then")
    assert (usage.input_tokens, usage.reasoning_tokens) == (7, thought)
    assert usage.output_tokens == thought + estimated_tokens("said")
    assert usage.estimated


@pytest.mark.parametrize("is_priced", [True, False])
async def test_numbers_of_a_recovered_turn_are_the_sum_of_its_attempts(
    process: Runtime, user: Any, is_priced: bool
) -> None:
    if is_priced:
        mock = await Provider.objects.aget(slug="mock")
        await ModelPrice.objects.acreate(
            provider=mock, model="mock-1", input_per_mtok=1, output_per_mtok=2, valid_from=LONG_AGO
        )
    script = '/usage 100 20\n/tool system.echo {"text": "four"}\n/then\n/stream 1000 20'
    run_id = await cut_off(process, user, script, EventType.TEXT_DELTA, owner=DEAD)

    await recover()

    turn = await Turn.objects.aget(run_id=run_id)
    calls = [call async for call in ModelCall.objects.filter(run_id=run_id).order_by("step")]
    assert [(call.outcome, call.usage_estimated) for call in calls] == [("ok", False), ("interrupted", True)]
    assert (turn.model_calls, turn.usage_estimated) == (2, True)
    assert sum(call.input_tokens for call in calls) == turn.input_tokens
    assert sum(call.output_tokens for call in calls) == turn.output_tokens
    assert (turn.cost is not None) == is_priced
    assert [call.cost is not None for call in calls] == [is_priced, is_priced]
    assert not is_priced or sum(call.cost or 0 for call in calls) == turn.cost


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


async def test_recover_reads_the_log_again_when_the_owner_writes_meanwhile(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await cut_off(process, user, "/stream 1000 20", EventType.TEXT_DELTA, owner=DEAD)
    reads: list[int] = []

    def read_and_be_overtaken(run_id: UUID, after: int, limit: int) -> list[Event]:
        log = events_after(run_id, after, limit)
        if not reads:
            RunEvent.objects.create(run_id=run_id, sequence=len(log), type="TextDelta", data={}, created_at=LONG_AGO)
        reads.append(len(log))
        return log

    monkeypatch.setattr("agentcore.services.recovery.events_after", read_and_be_overtaken)
    recovered = await recover()

    assert len(reads) == 2
    assert recovered.closed == 1
    run = await Run.objects.aget(id=run_id)
    assert (run.status, run.fence) == ("failed", 2)


async def test_recover_leaves_alone_what_this_process_works_on_though_its_lease_ran_out(
    process: Runtime, user: Any
) -> None:
    started = await start_run(RunRequest.parse({"input": "/stream 1000 20"}), user=user)
    await Run.objects.filter(id=started.run_id).aupdate(lease_expires_at=LONG_AGO)

    await process.recover()

    assert (await Run.objects.aget(id=started.run_id)).fence == 1
    process.engine.stop(started.run_id, "user")


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

"""The inline engine: a run ends once and truly, whenever it is stopped, and inherits nothing of who started it."""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

import pytest
from django.db import DatabaseError

from agentcore.bridge import arun_give_up
from agentcore.chat import ChatCall, ChatResponse
from agentcore.events import EventType
from agentcore.models import Run, RunEvent, ToolCall
from agentcore.observers import Observation
from agentcore.providers.mock.client import MockChatClient
from agentcore.runs.engine import InlineEngine, Job
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.services.events import RunBatch
from agentcore.services.runs import RunEnding
from agentcore.testing import RecordingTool
from agentcore.tools import Caller, Tool, ToolContext, ToolResult
from governance.models import ModelCall, Turn
from governance.observers import LedgerObserver

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

OF_THE_REQUEST: ContextVar[str] = ContextVar("of_the_request", default="nothing")


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Tool], None]:
    """Makes a tool the only one of the site."""

    def offer(tool: Tool) -> None:
        class OneTool:
            def tools_for(self, caller: Caller) -> list[Tool]:
                return [tool]

        monkeypatch.setattr("agentcore.services.plans.loaded", lambda paths: [OneTool])

    return offer


async def started_run(user: Any, text: str, **fields: Any) -> Any:
    return (await start_run(RunRequest.parse({"input": text} | fields), user=user)).run_id


async def test_run_inherits_nothing_of_the_request_that_started_it(
    process: Runtime, user: Any, offer: Callable[[Tool], None]
) -> None:
    seen: list[str] = []

    async def look(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        seen.append(OF_THE_REQUEST.get())
        return ToolResult()

    offer(Tool(name="look", description="Look.", parameters={"type": "object"}, invoke=look))
    OF_THE_REQUEST.set("a thread of its own")

    await started_run(user, "/tool look {}")
    await process.engine.drain()

    assert seen == ["nothing"]


async def test_stop_before_the_task_has_begun_ends_the_run(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = process.engine.start

    def start_and_stop(run: Run, *more: Any) -> None:
        start(run, *more)
        process.engine.stop(run.id, "user")

    monkeypatch.setattr(process.engine, "start", start_and_stop)

    run_id = await started_run(user, "/stream 1000 20")
    await process.engine.drain()

    await assert_stopped_by_user(run_id)


async def test_stop_while_the_record_begins_ends_the_run(process: Runtime, user: Any) -> None:
    run_id = await started_run(user, "/stream 1000 20")

    process.engine.stop(run_id, "user")
    await process.engine.drain()

    await assert_stopped_by_user(run_id)


async def assert_stopped_by_user(run_id: Any) -> None:
    run = await Run.objects.aget(id=run_id)
    assert (run.status, run.cancel_reason, run.model_calls) == ("cancelled", "user", 0)
    assert run.recorded_at is not None


async def test_stop_that_comes_too_late_does_not_undo_the_answer(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, stopped = InlineEngine._close, []

    async def close_late(engine: InlineEngine, job: Job, ending: RunEnding) -> None:
        stopped.append(engine.stop(job.run.id, "user"))
        await close(engine, job, ending)

    monkeypatch.setattr(InlineEngine, "_close", close_late)

    run_id = await started_run(user, "hi")
    await process.engine.drain()

    assert stopped == [False]
    assert (await Run.objects.aget(id=run_id)).status == "completed"


async def test_deadline_ends_the_run_and_tells_the_call_why(
    process: Runtime, user: Any, offer: Callable[[Tool], None]
) -> None:
    waiting = RecordingTool("wait", asyncio.Event())
    offer(waiting.tool())

    run_id = await started_run(user, "/tool wait {}", timeout_s=0.05)
    await process.engine.drain()

    run, call = await Run.objects.aget(id=run_id), await ToolCall.objects.aget(run_id=run_id)
    assert (run.status, run.error and run.error["code"]) == ("failed", "RUN_TIMEOUT")
    assert (call.status, call.error and call.error["message"]) == ("cancelled", "Cancelled: the answer took too long.")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("user", "Cancelled by the user."),
        ("superseded", "Cancelled: a newer message took the place of this one."),
        ("shutdown", "Cancelled: the server was shut down."),
    ],
)
async def test_call_of_a_stopped_run_tells_why(
    process: Runtime, user: Any, slow_tool: RecordingTool, reason: str, told: str
) -> None:
    run_id = await started_run(user, "/tool test.slow {}")
    await slow_tool.started.wait()

    process.engine.stop(run_id, reason)
    await process.engine.drain()

    call = await ToolCall.objects.aget(run_id=run_id)
    assert (await Run.objects.aget(id=run_id)).cancel_reason == reason
    assert (call.error and call.error["message"]) == told


async def test_attempt_is_on_the_ledger_before_the_wire_is_touched(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete, on_record = MockChatClient.complete, []

    async def complete_on_record(client: MockChatClient, call: ChatCall) -> ChatResponse:
        on_record.extend([(row.step, row.attempt) async for row in ModelCall.objects.all()])
        return await complete(client, call)

    monkeypatch.setattr(MockChatClient, "complete", complete_on_record)

    await started_run(user, "hi")
    await process.engine.drain()

    assert on_record == [(1, 1)]


@pytest.fixture
def closing(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set once a run ends: its last event is about to be stored."""
    close, closing = InlineEngine._close, asyncio.Event()

    async def close_and_say_so(engine: InlineEngine, job: Job, ending: RunEnding) -> None:
        closing.set()
        await close(engine, job, ending)

    monkeypatch.setattr(InlineEngine, "_close", close_and_say_so)
    return closing


async def test_batch_that_is_lost_while_the_run_ends_leaves_no_hole(
    process: Runtime, user: Any, closing: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = process.recorder._append

    async def broken_at_first(batches: list[RunBatch]) -> None:
        if EventType.TEXT_DELTA in {event.type for batch in batches for event in batch.events}:
            await closing.wait()
            raise DatabaseError("disk full")
        await append(batches)

    monkeypatch.setattr(process.recorder, "_append", broken_at_first)

    run_id = await started_run(user, "hi there")
    await process.engine.drain()

    run = await Run.objects.aget(id=run_id)
    sequences = [event.sequence async for event in RunEvent.objects.filter(run_id=run_id).order_by("sequence")]
    assert (run.status, run.error and run.error["code"]) == ("failed", "INTERNAL_ERROR")
    assert sequences == list(range(run.last_sequence + 1))
    assert run.recorded_at is not None


async def test_stop_while_a_run_is_given_up_does_not_leave_it_open(
    process: Runtime, user: Any, slow_tool: RecordingTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[bool] = []

    async def give_up_and_be_stopped(run_id: Any, **order: Any) -> Run | None:
        stopped.append(process.engine.stop(run_id, "user"))
        return await arun_give_up(run_id, **order)

    monkeypatch.setattr("agentcore.runs.engine.arun_give_up", give_up_and_be_stopped)
    run_id = await started_run(user, "/tool test.slow {}")
    await slow_tool.started.wait()

    process.live[run_id].failure = DatabaseError("disk full")
    process.engine.jobs[run_id].fail()
    await process.engine.drain()

    assert stopped == [False]
    assert (await Run.objects.aget(id=run_id)).status == "failed"


async def test_stop_before_the_wire_is_touched_counts_the_attempt_as_the_ledger_does(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = LedgerObserver.observe

    async def observe_and_stop(observer: LedgerObserver, run_id: Any, observations: list[Observation]) -> None:
        process.engine.stop(run_id, "user")
        await observe(observer, run_id, observations)

    monkeypatch.setattr(LedgerObserver, "observe", observe_and_stop)

    run_id = await started_run(user, "hi")
    await process.engine.drain()

    run, turn = await Run.objects.aget(id=run_id), await Turn.objects.aget(run_id=run_id)
    assert run.status == "cancelled"
    assert run.model_calls == turn.model_calls == await ModelCall.objects.filter(run_id=run_id).acount() == 1


async def test_shutdown_stops_what_runs_and_what_begins_meanwhile(
    process: Runtime, user: Any, slow_tool: RecordingTool
) -> None:
    run_id = await started_run(user, "/tool test.slow {}")
    await slow_tool.started.wait()

    await process.engine.shut_down()
    late_id = await started_run(user, "/tool test.slow {}")
    await process.engine.drain()

    ended = {run.id: (run.status, run.cancel_reason, run.recorded_at is None) async for run in Run.objects.all()}
    assert ended == dict.fromkeys([run_id, late_id], ("cancelled", "shutdown", False))


async def test_shutdown_does_not_wait_for_ever(
    process: Runtime, user: Any, closing: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()

    async def hanging(job: Any, ending: RunEnding) -> None:
        await gate.wait()

    monkeypatch.setattr("agentcore.runs.engine.SHUTDOWN_S", 0.05)
    monkeypatch.setattr(process.engine, "_deliver", hanging)
    run_id = await started_run(user, "hi")
    await closing.wait()

    async with asyncio.timeout(5):
        await process.engine.shut_down()

    assert list(process.engine.jobs) == [run_id]
    gate.set()

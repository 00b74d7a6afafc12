"""Records: what must be kept before the next thing happens is waited for; a fault of an observer hurts nothing else."""

import asyncio
from typing import Any, ClassVar
from uuid import UUID

import pytest

from agentcore.chat import Route
from agentcore.clock import CLOCK
from agentcore.ids import uuid7
from agentcore.models import Run, ToolCall
from agentcore.observers import ModelCallStarted, Observation, RunStarted, ToolCallStarted
from agentcore.runs.dispatcher import Dispatcher
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.services.endings import ended_observation, started_observation
from agentcore.testing import RecordingTool
from agentcore.tools import Caller, Effect, Tool
from tests.runs.clock import settled


class Observing:
    """Keeps what it is told, unless it breaks or hangs."""

    def __init__(self, *awaited: type[Observation]) -> None:
        self.awaited, self.told = awaited, list[Observation]()
        self.fault: BaseException | None = None
        self.gate: asyncio.Event | None = None

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        self.told += observations

    @property
    def kinds(self) -> list[str]:
        return [type(item).__name__ for item in self.told]


class UnwritableAudit:
    """An audit that can keep everything but the start of a tool call."""

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        if any(isinstance(item, ToolCallStarted) for item in observations):
            raise OSError("the disk is full")


class SlowAudit:
    """An audit that takes its time with the start of a tool call, and notes what had run when it was kept."""

    run_when_kept: ClassVar[list[int]] = []
    tool: ClassVar[RecordingTool]

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        if any(isinstance(item, ToolCallStarted) for item in observations):
            await settled()
            self.run_when_kept.append(len(self.tool.calls))


@pytest.fixture
def run() -> Run:
    return Run(id=uuid7(), username="ada", agent="assistant", usage={}, created_at=CLOCK.now())


@pytest.fixture
def started(run: Run) -> RunStarted:
    return started_observation(run)


ATTEMPT = ModelCallStarted(at=CLOCK.now(), step=1, attempt=1, route=Route("mock", "mock-1"))


async def test_observer_that_is_awaited_is_told_everything_up_to_then_before_the_attempt_goes_on(
    started: RunStarted,
) -> None:
    waited_for, other = Observing(ModelCallStarted), Observing()
    waited_for.gate = asyncio.Event()
    dispatcher = Dispatcher(uuid7(), [waited_for, other])
    await dispatcher.observe(started)
    attempt = asyncio.create_task(dispatcher.observe(ATTEMPT))
    await settled()

    assert not attempt.done()
    waited_for.gate.set()
    await attempt
    assert waited_for.kinds == ["RunStarted", "ModelCallStarted"]
    assert other.told == []


async def test_observation_is_kept_although_who_waited_for_it_was_stopped() -> None:
    observer = Observing(ModelCallStarted)
    observer.gate = asyncio.Event()
    attempt = asyncio.create_task(Dispatcher(uuid7(), [observer]).observe(ATTEMPT))
    await settled()

    attempt.cancel()
    await settled()
    observer.gate.set()
    await settled()

    assert observer.kinds == ["ModelCallStarted"]


async def test_observer_that_nobody_waits_for_is_told_a_little_later(
    started: RunStarted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentcore.runs.dispatcher.GATHER_S", 0)
    observer = Observing()
    dispatcher = Dispatcher(uuid7(), [observer])
    await dispatcher.observe(started)
    await dispatcher.observe(ATTEMPT)
    await settled()

    assert observer.kinds == ["RunStarted", "ModelCallStarted"]


@pytest.mark.parametrize("fault", [OSError("the disk is full"), SystemExit(3)])
async def test_fault_of_an_observer_is_logged_and_counted_and_hurts_nobody(
    run: Run, started: RunStarted, caplog: pytest.LogCaptureFixture, fault: BaseException
) -> None:
    broken, other = Observing(ModelCallStarted), Observing()
    broken.fault = fault
    dispatcher = Dispatcher(run.id, [broken, other])
    await dispatcher.observe(started)
    await dispatcher.observe(ATTEMPT)

    assert not await dispatcher.end(ended_observation(run, tool_calls=0))

    assert other.kinds == ["RunStarted", "ModelCallStarted", "RunEnded"]
    assert f"Observing failed on run {run.id}" in caplog.text
    assert caplog.messages[-1] == f"Observing has no record of 3 observations of run {run.id}."


async def test_observer_that_hangs_holds_nobody_up_for_ever(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentcore.runs.dispatcher.PATIENCE_S", 0)
    hanging, other = Observing(), Observing()
    hanging.gate = asyncio.Event()

    async with asyncio.timeout(5):
        kept = await Dispatcher(run.id, [hanging, other]).end(ended_observation(run, tool_calls=0))

    assert not kept
    assert other.kinds == ["RunEnded"]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> RecordingTool:
    """``test.tool``, with the effect that the test asks for."""
    recording = RecordingTool("test.tool", effect=getattr(request, "param", Effect.WRITE))
    found = recording.tool()

    class WithTool:
        def tools_for(self, caller: Caller) -> list[Tool]:
            return [found]

    monkeypatch.setattr("agentcore.services.plans.loaded", lambda paths: [WithTool])
    return recording


def audited_by(observer: type, mode: str) -> dict[str, Any]:
    path = f"{__name__}.{observer.__name__}"
    return {"AUDIT_MODE": mode, "OBSERVERS": [path], "FUNCTION_MIDDLEWARE": []}


async def call_of(process: Runtime, user: Any) -> ToolCall:
    """The one call of a run that makes one."""
    started = await start_run(RunRequest.parse({"input": "/tool test.tool {}"}), user=user)
    await process.engine.drain()
    assert (await Run.objects.aget(id=started.run_id)).status == "completed"
    return await ToolCall.objects.aget(run_id=started.run_id)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
async def test_tool_with_an_effect_does_not_run_when_its_required_record_cannot_be_written(
    process: Runtime, user: Any, tool: RecordingTool, settings: Any
) -> None:
    settings.STEWARD = audited_by(UnwritableAudit, "required")

    call = await call_of(process, user)

    assert tool.calls == []
    assert (call.status, call.error and call.error["code"]) == ("denied", "AUDIT_UNAVAILABLE")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("mode", "tool"), [("best_effort", Effect.WRITE), ("required", Effect.READ)], indirect=["tool"]
)
async def test_tool_runs_without_a_record_that_is_not_required(
    process: Runtime, user: Any, tool: RecordingTool, settings: Any, mode: str
) -> None:
    settings.STEWARD = audited_by(UnwritableAudit, mode)

    call = await call_of(process, user)

    assert (len(tool.calls), call.status) == (1, "done")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
async def test_required_record_is_kept_before_the_tool_runs(
    process: Runtime, user: Any, tool: RecordingTool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STEWARD = audited_by(SlowAudit, "required")
    monkeypatch.setattr(SlowAudit, "tool", tool, raising=False)
    monkeypatch.setattr(SlowAudit, "run_when_kept", [])

    await call_of(process, user)

    assert (SlowAudit.run_when_kept, len(tool.calls)) == ([0], 1)

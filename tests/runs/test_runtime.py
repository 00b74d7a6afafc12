"""The timers of a process: leases live whatever else is slow, and recovery never meets itself."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agentcore.ids import uuid7
from agentcore.models import Run
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.testing import RecordingTool
from tests.runs.clock import SteppedClock, settled

Patch = Callable[[str, Callable[..., Awaitable[Any]]], None]


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch) -> Patch:
    """Replaces what the timers call; a runtime with one run asks the database for nothing else."""

    def replace(name: str, work: Callable[..., Awaitable[Any]]) -> None:
        monkeypatch.setattr(f"agentcore.runs.runtime.{name}", work)

    async def nothing(*_: Any, **__: Any) -> list[Any]:
        return []

    for name in ("aleases_renew", "acancels_requested", "recover"):
        replace(name, nothing)
    return replace


class Times:
    """Work that notes when it was done, and then does what it is told."""

    def __init__(self, clock: SteppedClock, then: Callable[[], Awaitable[Any]] | None = None) -> None:
        self.at_s: list[float] = []
        self._clock, self._then = clock, then

    async def __call__(self, *_: Any, **__: Any) -> None:
        self.at_s.append(self._clock.monotonic())
        if self._then is not None:
            await self._then()

    @property
    def gaps_s(self) -> list[float]:
        return [later - earlier for earlier, later in zip(self.at_s, self.at_s[1:], strict=False)]


async def for_ever() -> None:
    await asyncio.Event().wait()


async def broken() -> None:
    raise ConnectionError("the database is away")


def busy_runtime(clock: SteppedClock) -> Runtime:
    process = Runtime(clock=clock)
    process.engine.jobs[uuid7()] = None  # type: ignore[assignment]
    process.start()
    return process


async def closed(process: Runtime) -> None:
    process.engine.jobs.clear()
    await process.close()


@pytest.mark.parametrize("lease_s", [0.3, 1, 2, 30])
@pytest.mark.parametrize("slow", ["recover", "acancels_requested"])
async def test_leases_are_renewed_well_within_their_time_while_the_rest_hangs(
    patch: Patch, settings: Any, lease_s: float, slow: str
) -> None:
    settings.STEWARD = {"LEASE_SECONDS": lease_s}
    clock = SteppedClock()
    renewals = Times(clock)
    patch("aleases_renew", renewals)
    patch(slow, for_ever)
    process = busy_runtime(clock)

    await clock.passes(4 * lease_s, step_s=lease_s / 100)

    assert len(renewals.at_s) >= 12
    assert max(renewals.gaps_s) <= lease_s * 0.35
    await closed(process)


@pytest.mark.parametrize("work", ["recover", "aleases_renew", "acancels_requested"])
async def test_timer_goes_on_after_a_fault(patch: Patch, work: str) -> None:
    clock = SteppedClock()
    times = Times(clock, broken)
    patch(work, times)
    process = busy_runtime(clock)

    await clock.passes(60, step_s=0.5)

    assert len(times.at_s) >= 4
    await closed(process)


async def test_two_recoveries_never_overlap(patch: Patch) -> None:
    clock = SteppedClock()
    gate = asyncio.Event()
    recoveries = Times(clock, gate.wait)
    patch("recover", recoveries)
    process = busy_runtime(clock)

    await clock.passes(100, step_s=1)
    assert len(recoveries.at_s) == 1

    gate.set()
    await clock.passes(16, step_s=1)
    assert len(recoveries.at_s) == 2
    await closed(process)


async def test_close_ends_a_recovery_under_way_before_it_returns(patch: Patch) -> None:
    ended = asyncio.Event()

    async def recovering(*_working: object) -> None:
        try:
            await for_ever()
        finally:
            await asyncio.sleep(0)
            ended.set()

    patch("recover", recovering)
    process = busy_runtime(SteppedClock())
    await settled()

    await closed(process)

    assert ended.is_set()


async def test_timers_start_once(patch: Patch) -> None:
    clock = SteppedClock()
    recoveries = Times(clock)
    patch("recover", recoveries)
    process = busy_runtime(clock)

    process.start()
    await settled()

    assert len(recoveries.at_s) == 1
    await closed(process)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
async def test_lease_of_a_run_of_this_process_grows(process: Runtime, user: Any, slow_tool: RecordingTool) -> None:
    started = await start_run(RunRequest.parse({"input": "/tool test.slow {}"}), user=user)
    soon = timezone.now() + timedelta(seconds=1)
    await Run.objects.filter(id=started.run_id).aupdate(lease_expires_at=soon)

    await process.renew_leases()

    renewed = (await Run.objects.aget(id=started.run_id)).lease_expires_at
    assert renewed is not None
    assert renewed > soon + timedelta(seconds=20)
    slow_tool.behaviour.set()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
async def test_lease_of_a_run_that_another_took_over_is_left_alone(
    process: Runtime, user: Any, slow_tool: RecordingTool
) -> None:
    started = await start_run(RunRequest.parse({"input": "/tool test.slow {}"}), user=user)
    soon = timezone.now() + timedelta(seconds=1)
    await Run.objects.filter(id=started.run_id).aupdate(lease_expires_at=soon, owner="elsewhere/1:1:1")

    await process.renew_leases()

    assert (await Run.objects.aget(id=started.run_id)).lease_expires_at == soon
    slow_tool.behaviour.set()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
async def test_stop_that_another_process_was_asked_for_stops_the_run_here(
    process: Runtime, user: Any, slow_tool: RecordingTool
) -> None:
    started = await start_run(RunRequest.parse({"input": "/tool test.slow {}"}), user=user)
    await slow_tool.started.wait()
    await Run.objects.filter(id=started.run_id).aupdate(cancel_requested="user")

    await process.carry_stops()
    await process.engine.drain()

    run = await Run.objects.aget(id=started.run_id)
    assert (run.status, run.cancel_reason) == ("cancelled", "user")

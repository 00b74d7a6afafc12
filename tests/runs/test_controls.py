"""Who may end a run, when its record is owed, and that a reader misses nothing."""

import asyncio
from collections import deque
from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now

from agentcore.clock import CLOCK
from agentcore.events import Event, EventType
from agentcore.ids import uuid7
from agentcore.models import Run
from agentcore.runs import service
from agentcore.runs.recorder import LiveRun
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import follow, start_run
from agentcore.services.events import Write
from agentcore.services.leases import LeaseLost, own_owner
from agentcore.services.records import records_owed
from agentcore.services.recovery import run_abandon
from agentcore.services.runs import RunEnding, run_close
from agentcore.testing import RecordingTool

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def held_run(user: Any, **fields: Any) -> Run:
    """A run whose lease ran out a minute ago, unless ``fields`` say something else."""
    lapsed = now() - timedelta(minutes=1)
    held = {"status": "running", "owner": "elsewhere/1:1:1", "fence": 2, "lease_expires_at": lapsed, "last_sequence": 0}
    return Run.objects.create(user=user, username="ada", agent="assistant", **(held | fields))


def test_run_abandon_leaves_a_run_whose_lease_was_renewed_after_it_was_read(user: Any) -> None:
    run = held_run(user)
    Run.objects.update(lease_expires_at=now() + timedelta(minutes=1))

    assert run_abandon(run) is None

    assert (Run.objects.get().status, Run.objects.get().fence) == ("running", 2)


def test_run_close_by_an_owner_of_before_changes_nothing(user: Any) -> None:
    run = held_run(user)
    ending = RunEnding(
        status="completed", usage={}, cost=None, currency="USD", model_calls=1, last_sequence=3, finished_at=now()
    )

    with pytest.raises(LeaseLost):
        run_close(run_id=run.id, conversation_id=None, fence=1, ending=ending)

    assert Run.objects.get().status == "running"


@pytest.mark.parametrize(("ago_s", "is_owed"), [(0, False), (60, True)])
def test_record_is_owed_once_its_living_owner_had_time_to_deliver_it(user: Any, ago_s: int, is_owed: bool) -> None:
    held_run(user, status="completed", owner=own_owner(), finished_at=now() - timedelta(seconds=ago_s))

    assert bool(records_owed()) == is_owed


class Overtaken(LiveRun):
    """A live run whose last event is stored just after the first reader has looked."""

    def since(self, sequence: int) -> list[Event] | None:
        seen = super().since(sequence)
        if len(self.events) == 1:
            self.events.append(Event(self.run_id, 1, EventType.RUN_COMPLETED, CLOCK.now(), {}))
            self.wake()
        return seen


async def test_follow_hears_of_an_event_that_came_between_its_look_and_its_wait(
    process: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "POLL_S", 0.001)
    first = Event(uuid7(), 0, EventType.RUN_STARTED, CLOCK.now(), {})
    process.live[first.run_id] = live = Overtaken(first.run_id, deque([first]), next_sequence=1)

    # An empty batch would say that the reader waited in vain.
    batches = [batch async for batch in follow(first.run_id, 0, silence_s=0.001)]

    assert batches == [[live.events[1]]]


async def test_stopped_run_is_closed_by_a_task_that_nobody_is_cancelling(
    process: Runtime, user: Any, slow_tool: RecordingTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, cancelling = process.recorder.commit, list[int]()

    async def commit_and_look(live: LiveRun, *writes: Write) -> None:
        task = asyncio.current_task()
        if task and process.engine.jobs[live.run_id].is_closing:
            cancelling.append(task.cancelling())
        await commit(live, *writes)

    monkeypatch.setattr(process.recorder, "commit", commit_and_look)
    started = await start_run(RunRequest.parse({"input": "/tool test.slow {}"}), user=user)
    await slow_tool.started.wait()

    process.engine.stop(started.run_id, "user")
    await process.engine.drain()

    assert cancelling == [0]

"""Tool call rows: a call starts once, is on record before its effect, and is settled once."""

from datetime import UTC, datetime
from typing import Any

import pytest

from agentcore.models import Run, ToolCall
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.services.calls import CallRow, call_claim, call_settle, calls_propose
from agentcore.services.leases import LeaseLost
from agentcore.testing import RecordingTool

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SETTLED = {"status": "done", "result": 1, "error": None, "finished_at": NOW}


@pytest.fixture
def run(user: Any) -> Run:
    """A run with one proposed call, ``c``, of the fence 1."""
    run = Run.objects.create(user=user, username="ada", agent="assistant", fence=1)
    row = CallRow(
        call_id="c",
        step=1,
        name="t",
        arguments={},
        argument_hash="",
        definition_hash="",
        effect="write",
        idempotent=False,
        created_at=NOW,
    )
    calls_propose(run_id=run.id, fence=1, rows=[row])
    return run


def test_call_is_claimed_once(run: Run) -> None:
    call_claim(run_id=run.id, call_id="c", fence=1)

    with pytest.raises(LeaseLost):
        call_claim(run_id=run.id, call_id="c", fence=1)


def test_call_of_another_owner_is_not_claimed(run: Run) -> None:
    with pytest.raises(LeaseLost):
        call_claim(run_id=run.id, call_id="c", fence=2)


def test_call_is_settled_once(run: Run) -> None:
    call_settle(run_id=run.id, call_id="c", fence=1, **SETTLED)

    with pytest.raises(LeaseLost):
        call_settle(run_id=run.id, call_id="c", fence=1, **SETTLED | {"status": "failed"})
    assert ToolCall.objects.get().status == "done"


def test_call_of_another_owner_is_not_settled(run: Run) -> None:
    with pytest.raises(LeaseLost):
        call_settle(run_id=run.id, call_id="c", fence=2, **SETTLED)


async def test_call_is_on_record_as_executing_while_its_tool_runs(
    process: Runtime, user: Any, slow_tool: RecordingTool
) -> None:
    started = await start_run(RunRequest.parse({"input": "/tool test.slow {}"}), user=user)
    await slow_tool.started.wait()

    assert (await ToolCall.objects.aget(run_id=started.run_id)).status == "executing"
    slow_tool.behaviour.set()

"""The bus: a reader in another process is woken by the channel layer and not by the clock."""

import asyncio
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer, channel_layers

from agentcore.events import EventType
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import follow, start_run
from agentcore.testing import RecordingTool

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


class SharedLayer(InMemoryChannelLayer):
    """Stands for a layer that reaches other processes."""


class BrokenLayer(SharedLayer):
    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        raise ConnectionError("Redis is away")


async def read_elsewhere(user: Any, tool: RecordingTool, monkeypatch: pytest.MonkeyPatch) -> list[EventType]:
    """What a reader in another process sees of a run with a tool that waits until it has seen its start."""
    started = await start_run(RunRequest.parse({"input": "/tool test.slow {}"}), user=user)
    await tool.started.wait()
    elsewhere, seen = Runtime(), list[EventType]()
    monkeypatch.setattr("agentcore.runs.service.runtime", lambda: elsewhere)
    async for batch in follow(started.run_id):
        seen += [event.type for event in batch]
        if EventType.TOOL_CALL_STARTED in seen:
            asyncio.get_running_loop().call_later(0.05, tool.behaviour.set)
    await elsewhere.close()
    return seen


@pytest.mark.parametrize("shared", [SharedLayer, pytest.param(None, marks=pytest.mark.redis)])
async def test_reader_in_another_process_is_woken(
    process: Runtime, user: Any, slow_tool: RecordingTool, monkeypatch: pytest.MonkeyPatch, shared: Any
) -> None:
    if shared is not None:
        monkeypatch.setitem(channel_layers.backends, "default", shared())
    monkeypatch.setattr("agentcore.runs.service.POLL_S", 3600)

    async with asyncio.timeout(10):
        seen = await read_elsewhere(user, slow_tool, monkeypatch)

    assert seen[-1] is EventType.RUN_COMPLETED


async def test_bus_that_is_broken_costs_only_time_and_says_so_once(
    process: Runtime,
    user: Any,
    slow_tool: RecordingTool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setitem(channel_layers.backends, "default", BrokenLayer())
    monkeypatch.setattr("agentcore.runs.service.POLL_S", 0.01)

    seen = await read_elsewhere(user, slow_tool, monkeypatch)

    assert seen[-1] is EventType.RUN_COMPLETED
    assert [record.name for record in caplog.records].count("agentcore.runs.bus") == 1

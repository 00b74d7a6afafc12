"""The stream of a run's events as bytes: what a reader hears when nothing happens."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.test import AsyncClient

from agentcore.api.sse import HEARTBEAT, SILENCE_S
from agentcore.runs import service
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.testing import RecordingTool

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


async def stream_of(run_id: Any, user: Any) -> AsyncIterator[bytes]:
    client = AsyncClient()
    await client.aforce_login(user)
    answer = await client.get(f"/api/agent/runs/{run_id}/events")
    assert answer.status_code == 200
    return aiter(answer.streaming_content)


class Silence:
    """Stands for the wait for an event: nothing happens, and ``seconds`` pass at once."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def wait(self, changed: asyncio.Event | None) -> float:
        await asyncio.sleep(0)
        self.seconds += service.POLL_S
        return service.POLL_S


async def test_silent_stream_sends_a_comment_line_every_15_seconds(
    process: Runtime, user: Any, slow_tool: RecordingTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = await start_run(RunRequest.parse({"input": "/tool test.slow {}"}), user=user)
    stream = await stream_of(started.run_id, user)
    while b"event: ToolCallStarted" not in await anext(stream):
        pass
    silence = Silence()
    with monkeypatch.context() as nothing_happens:
        nothing_happens.setattr(service, "_wait", silence.wait)
        async with asyncio.timeout(5):
            heard = [(await anext(stream), silence.seconds) for _ in range(2)]

    assert heard == [(HEARTBEAT, 15), (HEARTBEAT, 30)]
    assert HEARTBEAT.startswith(b":")
    assert HEARTBEAT.endswith(b"\n\n")
    assert SILENCE_S == 15
    slow_tool.behaviour.set()
    assert b"event: RunCompleted" in [chunk async for chunk in stream][-1]


async def test_stream_is_for_no_cache_no_proxy_and_no_compression(process: Runtime, user: Any) -> None:
    started = await start_run(RunRequest.parse({"input": "hello"}), user=user)
    client = AsyncClient(headers={"Accept-Encoding": "gzip"})
    await client.aforce_login(user)
    answer = await client.get(f"/api/agent/runs/{started.run_id}/events")
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-cache, no-transform"
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert answer.headers["Content-Encoding"] == "identity"

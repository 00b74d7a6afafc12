"""The events of a run as they happen; who stops listening stops the run, and leaves nothing of it behind."""

import asyncio
import gc
from typing import Any

from agentcore.agents.agent import ChatAgent, RunCall
from agentcore.chat import TextDelta
from agentcore.events import EventType
from agentcore.testing import RecordingTool, ScriptedChatClient, call


async def test_stream_yields_the_events_of_the_run() -> None:
    agent = ChatAgent(ScriptedChatClient([[TextDelta("a"), TextDelta("b")]]))

    texts = [update.data["text"] async for update in agent.stream("?") if update.type is EventType.TEXT_DELTA]

    assert texts == ["a", "b"]


async def test_stream_that_is_left_early_ends_its_run_before_the_caller_goes_on() -> None:
    waiting, ended = RecordingTool("wait", asyncio.Event()), []

    async def watch(run_call: RunCall, call_next: Any) -> Any:
        try:
            return await call_next(run_call)
        finally:
            await asyncio.sleep(0)
            ended.append(run_call.output[-1].results[0].error)

    agent = ChatAgent(ScriptedChatClient([[call("wait")]]), tools=[waiting.tool()], run_middleware=[watch])
    updates = agent.stream("?")
    async for update in updates:
        if update.type is EventType.TOOL_CALL_STARTED:
            await waiting.started.wait()
            break
    await updates.aclose()

    assert ended == [{"code": "TOOL_FAILED", "message": "Cancelled by the user."}]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_failure_of_a_run_that_nobody_listens_to_is_not_left_lying_about() -> None:
    async def break_down(run_call: RunCall, call_next: Any) -> Any:
        try:
            return await call_next(run_call)
        finally:
            raise LookupError

    unretrieved: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unretrieved.append(context))
    client = ScriptedChatClient([[TextDelta("a"), asyncio.Event()]])
    updates = ChatAgent(client, run_middleware=[break_down]).stream("?")
    await anext(updates)
    await anext(updates)

    await updates.aclose()
    del updates
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gc.collect()

    assert unretrieved == []

"""A stop: however often and whenever it comes, each call has its one result, on every record, and the true reason."""

import asyncio
from typing import Any

import pytest

from agentcore.agents.agent import ChatAgent
from agentcore.agents.context import Limits, RunContext
from agentcore.agents.journal import MemoryJournal, Outcome
from agentcore.chat import TextDelta
from agentcore.events import EventType
from agentcore.finishing import finished
from agentcore.observers import Observation, ToolCallFinished, ToolCallStarted
from agentcore.testing import RecordingTool, ScriptedChatClient, call
from agentcore.tools import CancelReason, Effect
from tests.kernel.watching import assert_paired, journal, run_of, shown, statuses


class SlowJournal(MemoryJournal):
    """Its rows of results take until ``stored`` is set; ``storing`` is set when one begins."""

    def __init__(self) -> None:
        super().__init__()
        self.storing, self.stored = asyncio.Event(), asyncio.Event()

    async def call_settled(self, step: int, outcome: Outcome) -> None:
        self.storing.set()
        await self.stored.wait()
        await super().call_settled(step, outcome)


async def turns(number: int = 5) -> None:
    """Let the other tasks do what they can."""
    for _ in range(number):
        await asyncio.sleep(0)


async def test_stop_while_a_result_is_stored_leaves_row_event_and_record_together() -> None:
    slow = SlowJournal()
    records: list[Observation] = []

    async def observe(observation: Observation) -> None:
        await asyncio.sleep(0)
        records.append(observation)

    run = RunContext(journal=slow, observe=observe)
    agent = ChatAgent(ScriptedChatClient([[call("look")]]), tools=[RecordingTool("look").tool()])
    running = agent.call("?", run=run)
    task = asyncio.create_task(agent.answer(running))
    await slow.storing.wait()

    task.cancel()
    await turns()
    slow.stored.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert statuses(run) == slow.calls == {"call_look": "done"}
    assert [item.status for item in records if isinstance(item, ToolCallFinished)] == ["done"]
    assert_paired(run, running.output)


async def test_second_stop_while_calls_are_settled_settles_them_all_the_same() -> None:
    slow = SlowJournal()
    run = RunContext(journal=slow, limits=Limits(max_parallel_tools=1))
    waiting = RecordingTool("wait", asyncio.Event())
    agent = ChatAgent(
        ScriptedChatClient([[call("wait"), call("look")]]), tools=[waiting.tool(), RecordingTool("look").tool()]
    )
    running = agent.call("?", run=run)
    task = asyncio.create_task(agent.answer(running))
    await waiting.started.wait()

    task.cancel()
    await slow.storing.wait()
    task.cancel()
    await turns()
    slow.stored.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert statuses(run).keys() == {"call_wait", "call_look"}
    assert_paired(run, running.output)


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (CancelReason.USER, "Cancelled by the user."),
        (CancelReason.SUPERSEDED, "Cancelled: a newer message took the place of this one."),
        (CancelReason.DEADLINE, "Cancelled: the answer took too long."),
        (CancelReason.SHUTDOWN, "Cancelled: the server was shut down."),
        (None, "Cancelled: the server was shut down."),
    ],
)
async def test_call_that_is_stopped_says_the_true_reason(reason: CancelReason | None, told: str) -> None:
    waiting = RecordingTool("wait", asyncio.Event())
    run = run_of()
    agent = ChatAgent(ScriptedChatClient([[call("wait")]]), tools=[waiting.tool()])
    task = asyncio.create_task(agent.run("?", run=run))
    await waiting.started.wait()

    if reason:
        run.cancel.cancel(reason)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [data["error"]["message"] for data in shown(run, EventType.TOOL_CALL_COMPLETED)] == [told]


async def test_action_that_was_stopped_before_it_began_had_no_effect_for_certain() -> None:
    observing = asyncio.Event()

    async def observe(observation: Observation) -> None:
        if isinstance(observation, ToolCallStarted):
            observing.set()
            await asyncio.Event().wait()

    run = RunContext(observe=observe)
    book = RecordingTool("book", effect=Effect.WRITE)
    task = asyncio.create_task(ChatAgent(ScriptedChatClient([[call("book")]]), tools=[book.tool()]).run("?", run=run))
    await observing.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (book.calls, statuses(run)) == ([], {"call_book": "cancelled"})


async def test_first_reason_of_a_stop_stands() -> None:
    run = run_of()

    run.cancel.cancel(CancelReason.DEADLINE)
    run.cancel.cancel(CancelReason.USER)

    assert run.cancel.reason == CancelReason.DEADLINE


async def test_finished_tells_what_the_work_raised() -> None:
    async def broken() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await finished(broken())


async def stopped_while_working(**options: Any) -> tuple[asyncio.Task[None], asyncio.Event]:
    """A task that waits for work which never ends by itself, stopped once."""
    gate = asyncio.Event()

    async def work() -> None:
        await gate.wait()

    task = asyncio.create_task(finished(work(), **options))
    await turns()
    task.cancel()
    await turns()
    return task, gate


async def test_finished_lets_the_work_end_before_it_stops() -> None:
    task, gate = await stopped_while_working()
    assert not task.done()

    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_finished_does_not_wait_for_ever_once_it_is_stopped() -> None:
    task, _gate = await stopped_while_working(grace_s=0)

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_stop_in_a_text_is_passed_on_after_it_was_kept() -> None:
    run = run_of()
    agent = ChatAgent(ScriptedChatClient([[TextDelta("Half"), asyncio.Event()]]))
    running = agent.call("?", run=run)
    task: asyncio.Task[Any] = asyncio.create_task(agent.answer(running))
    await turns(2)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [message.text for message in running.output] == ["Half"]
    assert [kind for kind, _ in journal(run).events][-2:] == [EventType.MESSAGE_COMPLETED, EventType.USAGE_REPORTED]

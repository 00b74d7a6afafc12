"""The given cases of the loop, through runs whose upstream refuses histories that are not paired."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from agentcore.models import AgentProfile, AgentRoute, Provider, Run, ToolCall
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import cancel_run, follow, start_run
from agentcore.testing import RecordingTool
from agentcore.tools import Caller, Tool
from governance.models import AuditEvent, Turn
from tests.fake_upstream import Answer, FakeUpstream, Received, called, chunk, said
from tests.recorded import answer_of, case

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

Answers = Sequence[Answer] | Callable[[Received], Answer]


class Given:
    """Whose tools these are, set by each test."""

    tools: Sequence[RecordingTool] = ()

    def tools_for(self, caller: Caller) -> list[Tool]:
        return [recording.tool() for recording in self.tools]


@pytest_asyncio.fixture
async def upstream(process: Runtime, settings: Any) -> AsyncIterator[FakeUpstream]:
    own = {"TOOLSETS": ["tests.runs.test_given_loop.Given"], "ALLOW_PRIVATE_PROVIDER_URLS": True}
    settings.STEWARD = settings.STEWARD | own
    async with FakeUpstream([said("hi")]) as server:
        provider = await Provider.objects.acreate(
            slug="fx", provider_type="openai_chat", name="Fx", base_url=server.base_url, default_model="fx-1"
        )
        await AgentRoute.objects.all().aupdate(provider=provider)
        yield server


def given(upstream: FakeUpstream, answers: Answers, *tools: RecordingTool) -> None:
    upstream._answers, Given.tools = answers, tools


async def sent(text: str, user: Any, conversation_id: UUID | None = None) -> Run:
    asked = {"input": text, "conversation_id": conversation_id and str(conversation_id)}
    started = await start_run(RunRequest.parse(asked), user=user)
    return await Run.objects.aget(id=started.run_id)


async def events_of(run: Run) -> list[tuple[str, dict[str, Any]]]:
    return [(event.type.value, event.data) async for batch in follow(run.id) for event in batch]


async def test_a22_a_stop_while_a_tool_runs_leaves_a_history_that_is_paired(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    slow = RecordingTool("slow_tool", asyncio.Event())
    given(upstream, [called(("c1", "slow_tool", "{}")), said("hello")], slow)
    first = await sent("go", user)
    await slow.started.wait()
    await cancel_run(first.id, user=user)
    await process.engine.drain()

    second = await sent("hello again", user, first.conversation_id)
    await process.engine.drain()

    messages = upstream.requests[1].json["messages"]
    at = next(number for number, message in enumerate(messages) if message.get("tool_calls"))
    result = messages[at + 1]
    assert (result["role"], result["tool_call_id"]) == ("tool", messages[at]["tool_calls"][0]["id"])
    assert "cancelled" in result["content"]
    assert (await Run.objects.aget(id=second.id)).status == "completed"
    assert (await Turn.objects.aget(run_id=first.id)).status == "cancelled"
    audit = AuditEvent.objects.filter(run_id=first.id, action="tool_result")
    assert [event.payload["status"] async for event in audit] == ["cancelled"]


async def test_a23_the_second_call_of_a_turn_has_each_message_once(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    calling = called(("c1", "look", "{}"))
    with_text = Answer(writes=[chunk({"content": "Let me see."}), *calling.writes])
    given(upstream, [with_text, said("done")], RecordingTool("look"))
    await sent("go", user)
    await process.engine.drain()

    # What the site tells of itself stands before what the person says, in the same turn.
    messages = [message for message in upstream.requests[1].json["messages"] if message["role"] != "system"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert (messages[1]["content"], len(messages[1]["tool_calls"])) == ("Let me see.", 1)


async def test_a24_two_calls_of_one_id_both_run_and_go_back_with_ids_of_their_own(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    first, second = RecordingTool("f"), RecordingTool("g")
    given(upstream, [answer_of(case("A24")["input"]), said("done")], first, second)
    await sent("go", user)
    await process.engine.drain()

    assert (first.calls, second.calls) == ([{"i": 1}], [{"i": 2}])
    calls = next(message["tool_calls"] for message in upstream.requests[1].json["messages"] if "tool_calls" in message)
    assert len({call["id"] for call in calls}) == 2


async def test_a25_at_the_limit_every_card_ends_and_the_reason_is_told(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    await AgentProfile.objects.aupdate(limits={"max_steps": 2})
    given(upstream, [called(("c1", "look", "{}"))], RecordingTool("look"))
    run = await sent("go", user)
    events = await events_of(run)
    await process.engine.drain()

    begun = [data["call_id"] for kind, data in events if kind == "ToolCallStarted"]
    ended = [data["call_id"] for kind, data in events if kind == "ToolCallCompleted"]
    assert begun == ended
    stored = await Run.objects.aget(id=run.id)
    assert (stored.status, stored.finish_reason, bool(stored.output)) == ("completed", "step_limit", True)
    assert not await ToolCall.objects.filter(run_id=run.id, status__in=ToolCall.UNSETTLED).aexists()
    assert json.loads(upstream.requests[-1].body)["tool_choice"] == "none"

"""The loop: calls and results are paired however a run ends, and a limit ends it with an explanation."""

import asyncio
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from agentcore.agents.agent import ChatAgent
from agentcore.agents.context import RunContext
from agentcore.agents.loop import Ending
from agentcore.agents.stopping import Termination
from agentcore.chat import ChatCall, ChatResponse, Finish, FinishReason, Route, TextDelta, ToolChoice
from agentcore.errors import (
    ContentFiltered,
    OutputTruncated,
    PermissionDenied,
    ProviderBadResponse,
    RunTokenBudgetExceeded,
    ToolArgumentsInvalid,
    ToolTimeout,
)
from agentcore.events import EventType
from agentcore.gateway.gateway import Gateway, GatewayRoute
from agentcore.messages import Role, TextContent, Usage
from agentcore.observers import Cost, Observation, ToolCallStarted
from agentcore.testing import RecordingTool, ScriptedChatClient, call
from agentcore.tools import Effect, ToolResult
from tests.kernel.watching import assert_paired, journal, run_of, shown, statuses, texts


async def test_loop_sends_each_message_exactly_once() -> None:
    client = ScriptedChatClient([[TextDelta("Let me see. "), call("look")], [TextDelta("Found.")]])
    agent = ChatAgent(client, instructions="Be kind.", tools=[RecordingTool("look", {"n": 1}).tool()])

    response = await agent.run("where?")

    roles = [[message.role for message in request.messages] for request in client.requests]
    assert roles == [
        [Role.SYSTEM, Role.USER],
        [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL],
    ]
    assert response.text == "Found."
    assert response.finish_reason is Ending.STOP


async def test_loop_events_come_in_the_order_of_the_contract() -> None:
    client = ScriptedChatClient([[TextDelta("Hm."), call("look")], [TextDelta("Yes.")]])
    run = run_of()

    await ChatAgent(client, tools=[RecordingTool("look").tool()]).run("?", run=run)

    assert [kind for kind, _data in journal(run).events] == [
        EventType.STEP_STARTED,
        EventType.TEXT_DELTA,
        EventType.MESSAGE_COMPLETED,
        EventType.USAGE_REPORTED,
        EventType.TOOL_CALL_STARTED,
        EventType.TOOL_CALL_COMPLETED,
        EventType.STEP_STARTED,
        EventType.TEXT_DELTA,
        EventType.MESSAGE_COMPLETED,
        EventType.USAGE_REPORTED,
    ]


async def test_loop_ends_at_the_tool_limit_with_one_last_call_that_may_not_use_tools() -> None:
    client = ScriptedChatClient(
        [[call("look", call_id=f"c{number}")] for number in range(3)] + [[TextDelta("Enough.")]]
    )
    tool = RecordingTool("look")
    run = run_of(max_tool_loops=2)

    response = await ChatAgent(client, tools=[tool.tool()]).run("?", run=run)

    assert len(tool.calls) == 2
    assert response.finish_reason is Ending.TOOL_LIMIT
    assert response.text == "Enough."
    assert client.requests[-1].options.tool_choice is ToolChoice.NONE
    assert client.requests[-1].tools, "the definitions stay, since the history has calls"
    assert_paired(run, list(response.messages))


@pytest.mark.parametrize(
    ("limits", "ending"), [({"max_steps": 2}, Ending.STEP_LIMIT), ({"max_tool_loops": 1}, Ending.TOOL_LIMIT)]
)
async def test_loop_explains_itself_when_the_model_calls_all_the_same(limits: dict[str, int], ending: Ending) -> None:
    client = ScriptedChatClient([[call("look", call_id=f"c{number}")] for number in range(20)])
    tool = RecordingTool("look")
    run = run_of(**limits)

    response = await ChatAgent(client, tools=[tool.tool()]).run("?", run=run)

    assert response.finish_reason is ending
    assert "limit" in response.text
    assert len(tool.calls) == 1
    assert_paired(run, list(response.messages))


@pytest.mark.parametrize(
    ("script", "limits"),
    [
        ([[call("look")]], {"max_steps": 1}),
        ([[call("look")], [call("look", call_id="more")], []], {"max_tool_loops": 1}),
    ],
    ids=["calls all the same", "says nothing"],
)
async def test_explanation_at_a_limit_belongs_to_the_step(script: list[list[Any]], limits: dict[str, int]) -> None:
    run = run_of(**limits)

    response = await ChatAgent(ScriptedChatClient(script), tools=[RecordingTool("look").tool()]).run("?", run=run)

    assert "limit" in response.text
    assert [kind for kind, _data in journal(run).events][-3:] == [
        EventType.TEXT_DELTA,
        EventType.MESSAGE_COMPLETED,
        EventType.USAGE_REPORTED,
    ]


@pytest.mark.parametrize("kept", [[], [call("look")]], ids=["nothing", "a call"])
async def test_text_that_a_chat_layer_emptied_does_not_stand(kept: list[Any]) -> None:
    async def empty(chat_call: ChatCall, call_next: Any) -> ChatResponse:
        response = await call_next(chat_call)
        contents = tuple(item for item in response.contents if not isinstance(item, TextContent))
        return replace(response, contents=contents)

    client = ScriptedChatClient([[TextDelta("Shown."), *kept], []])
    run = run_of()

    response = await ChatAgent(client, tools=[RecordingTool("look").tool()], chat_middleware=[empty]).run("?", run=run)

    assert list(texts(run).values()) == [""]
    assert response.text == ""


async def test_loop_that_needs_exactly_its_limit_is_not_limited() -> None:
    client = ScriptedChatClient([[call("look")], [TextDelta("Done.")]])

    response = await ChatAgent(client, tools=[RecordingTool("look").tool()]).run(
        "?", run=run_of(max_steps=2, max_tool_loops=1)
    )

    assert response.finish_reason is Ending.STOP


@pytest.mark.parametrize(
    ("behaviour", "status", "code"),
    [
        (ToolArgumentsInvalid(), "failed", "TOOL_ARGUMENTS_INVALID"),
        (ZeroDivisionError("secret detail"), "failed", "TOOL_FAILED"),
        (PermissionDenied(), "denied", "PERMISSION_DENIED"),
    ],
)
async def test_tool_failure_becomes_a_result_without_detail(behaviour: Exception, status: str, code: str) -> None:
    client = ScriptedChatClient([[call("look")], [TextDelta("I see.")]])
    run = run_of()

    response = await ChatAgent(client, tools=[RecordingTool("look", behaviour).tool()]).run("?", run=run)

    result = response.messages[1].results[0]
    assert (result.status, result.error and result.error["code"]) == (status, code)
    assert "secret" not in str(result)
    assert response.text == "I see."


async def test_what_a_tool_raised_is_in_the_log_with_its_place_and_without_secrets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failing = RecordingTool("look", ZeroDivisionError("password=hunter2-hunter2")).tool()
    client = ScriptedChatClient([[call("look")], [TextDelta("I see.")]])
    run = run_of()

    await ChatAgent(client, tools=[failing]).run("?", run=run)

    [said] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert said.startswith(f"The tool look failed in run {run.run_id}.\nTraceback")
    assert "ZeroDivisionError: password=" in said
    assert "hunter2" not in said


async def test_unknown_tool_is_a_result_that_the_model_reads() -> None:
    client = ScriptedChatClient([[call("nope")], [TextDelta("Sorry.")]])

    response = await ChatAgent(client).run("?")

    assert response.messages[1].results[0].error == {"code": "TOOL_NOT_FOUND", "message": "There is no such tool."}


@pytest.mark.parametrize(
    ("effect", "status", "told"),
    [
        (Effect.READ, "failed", "The tool took longer than 0.01 seconds."),
        (Effect.WRITE, "unknown", "The tool took longer than 0.01 seconds. Nobody knows whether it took effect."),
    ],
)
async def test_tool_that_is_too_slow_times_out(effect: Effect, status: str, told: str) -> None:
    client = ScriptedChatClient([[call("slow")], [TextDelta("Too slow.")]])
    tool = RecordingTool("slow", asyncio.Event(), effect=effect)

    response = await ChatAgent(client, tools=[tool.tool(timeout_s=0.01)]).run("?")

    result = response.messages[1].results[0]
    assert (result.status, result.error) == (status, {"code": "TOOL_TIMEOUT", "message": told})
    assert response.text == "Too slow."


async def test_action_that_timed_out_before_it_was_called_had_no_effect_for_certain() -> None:
    async def observe(observation: Observation) -> None:
        if isinstance(observation, ToolCallStarted):
            raise ToolTimeout

    client = ScriptedChatClient([[call("book")], [TextDelta("Sorry.")]])
    tool = RecordingTool("book", effect=Effect.WRITE)
    run = RunContext(observe=observe)

    await ChatAgent(client, tools=[tool.tool()]).run("?", run=run)

    assert (tool.calls, statuses(run)) == ([], {"call_book": "failed"})


async def awaits_what_it_cancelled() -> ToolResult:
    task: asyncio.Task[ToolResult] = asyncio.create_task(asyncio.sleep(0, ToolResult()))
    task.cancel()
    return await task


async def leaves_the_process() -> ToolResult:
    raise SystemExit(3)


@pytest.mark.parametrize("ends", [awaits_what_it_cancelled, leaves_the_process])
async def test_layer_that_ends_more_than_its_call_has_failed_and_stops_nothing(ends: Any) -> None:
    async def layer(function_call: Any, call_next: Any) -> ToolResult:
        result: ToolResult = await ends()
        return result

    client = ScriptedChatClient([[call("look"), call("look", call_id="other")], [TextDelta("I see.")]])
    agent = ChatAgent(client, tools=[RecordingTool("look").tool()], function_middleware=[layer])
    run = run_of()

    response = await agent.run("?", run=run)

    assert response.text == "I see."
    assert statuses(run) == {"call_look": "failed", "other": "failed"}


@pytest.mark.parametrize(("effect", "status"), [(Effect.READ, "cancelled"), (Effect.WRITE, "unknown")])
async def test_cancelling_in_a_tool_settles_every_call(effect: Effect, status: str) -> None:
    slow = RecordingTool("slow", asyncio.Event(), effect=effect)
    client = ScriptedChatClient([[TextDelta("Wait."), call("slow"), call("later")]])
    agent = ChatAgent(client, tools=[slow.tool(), RecordingTool("later").tool()])
    run = run_of(max_parallel_tools=1)
    running = agent.call("?", run=run)
    task = asyncio.create_task(agent.answer(running))
    await slow.started.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert statuses(run) == {"call_slow": status, "call_later": "cancelled"}
    assert_paired(run, running.output)


async def test_failure_keeps_what_was_shown() -> None:
    agent = ChatAgent(ScriptedChatClient([[TextDelta("Half an "), ProviderBadResponse()]]))
    running = agent.call("?")

    with pytest.raises(ProviderBadResponse):
        await agent.answer(running)

    assert [message.text for message in running.output] == ["Half an "]


async def test_truncated_call_is_not_executed() -> None:
    tool = RecordingTool("look")
    agent = ChatAgent(ScriptedChatClient([[call("look"), Finish(FinishReason.LENGTH)]]), tools=[tool.tool()])
    running = agent.call("?")

    with pytest.raises(OutputTruncated):
        await agent.answer(running)

    assert tool.calls == []
    assert_paired(running.run, running.output)


async def test_content_filter_fails_the_run_and_keeps_what_was_shown() -> None:
    agent = ChatAgent(ScriptedChatClient([[TextDelta("Half"), Finish(FinishReason.CONTENT_FILTER)]]))
    running = agent.call("?")

    with pytest.raises(ContentFiltered):
        await agent.answer(running)

    assert [data["text"] for data in shown(running.run, EventType.MESSAGE_COMPLETED)] == ["Half"]
    assert [message.text for message in running.output] == ["Half"]


async def test_id_that_is_too_long_for_a_row_is_another_one() -> None:
    client = ScriptedChatClient([[call("look", call_id="x" * 201), call("look", call_id="y" * 200)], [TextDelta("ok")]])
    run = run_of()

    await ChatAgent(client, tools=[RecordingTool("look").tool()]).run("?", run=run)

    first, second = [data["call_id"] for data in shown(run, EventType.TOOL_CALL_STARTED)]
    assert first.startswith("call_")
    assert second == "y" * 200


async def test_id_that_a_server_uses_in_every_answer_names_one_call() -> None:
    client = ScriptedChatClient([[call("look", call_id="0")], [call("look", call_id="0")], [TextDelta("Done.")]])
    run = run_of()

    response = await ChatAgent(client, tools=[RecordingTool("look").tool()]).run("?", run=run)

    assert len({data["call_id"] for data in shown(run, EventType.TOOL_CALL_STARTED)}) == 2
    assert_paired(run, list(response.messages))


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), 10**5000], ids=["object", "set", "nan", "huge"])
async def test_result_that_json_lacks_does_not_break_the_run(value: Any) -> None:
    client = ScriptedChatClient([[call("look")], [TextDelta("I see.")]])

    response = await ChatAgent(client, tools=[RecordingTool("look", value).tool()]).run("?")

    assert response.text == "I see."


async def test_length_stop_is_a_finish_reason() -> None:
    agent = ChatAgent(ScriptedChatClient([[TextDelta("long"), Finish(FinishReason.LENGTH)]]))

    assert (await agent.run("?")).finish_reason is Ending.LENGTH


async def test_termination_settles_the_rest_and_calls_no_model() -> None:
    async def forbid(function_call: Any, call_next: Any) -> ToolResult:
        if function_call.call.name == "book":
            raise Termination(ToolResult(for_model={"booked": False}), reply="Company policy forbids this flight.")
        return await call_next(function_call)

    client = ScriptedChatClient([[call("book"), call("pay")]])
    pay = RecordingTool("pay")
    agent = ChatAgent(client, tools=[RecordingTool("book").tool(), pay.tool()], function_middleware=[forbid])
    run = run_of(max_parallel_tools=1)

    response = await agent.run("?", run=run)

    assert response.finish_reason is Ending.TERMINATED
    assert response.text == "Company policy forbids this flight."
    assert statuses(run) == {"call_book": "done", "call_pay": "cancelled"}
    assert pay.calls == []
    assert len(client.requests) == 1


async def test_termination_with_a_result_that_json_lacks_is_a_failed_call() -> None:
    async def forbid(function_call: Any, call_next: Any) -> ToolResult:
        raise Termination(ToolResult(for_model=object()), reply="No.")

    agent = ChatAgent(
        ScriptedChatClient([[call("book")]]), tools=[RecordingTool("book").tool()], function_middleware=[forbid]
    )
    run = run_of()

    response = await agent.run("?", run=run)

    assert (response.text, response.finish_reason) == ("No.", Ending.TERMINATED)
    assert statuses(run) == {"call_book": "failed"}


async def test_parallel_tools_overlap_up_to_the_limit() -> None:
    gate = asyncio.Event()
    tools = [RecordingTool(name, gate) for name in ("a", "b", "c")]
    client = ScriptedChatClient([[call(tool.name) for tool in tools], [TextDelta("ok")]])
    agent = ChatAgent(client, tools=[tool.tool() for tool in tools])
    task = asyncio.create_task(agent.run("?", run=run_of(max_parallel_tools=2)))
    await asyncio.gather(tools[0].started.wait(), tools[1].started.wait())

    assert not tools[2].started.is_set()
    gate.set()
    response = await task
    assert [result.call_id for result in response.messages[1].results] == ["call_a", "call_b", "call_c"]


async def test_token_budget_ends_the_run() -> None:
    client = ScriptedChatClient([[call("look")]])

    with pytest.raises(RunTokenBudgetExceeded):
        await ChatAgent(client, tools=[RecordingTool("look").tool()]).run("?", run=charged_run(token_budget=100))


def charged_run(**limits: Any) -> RunContext:
    run = run_of(**limits)
    run.meter.add(Usage(input_tokens=90, output_tokens=10), Cost())
    return run


async def test_stop_while_an_answer_is_priced_keeps_its_charge() -> None:
    pricing, priced = asyncio.Event(), asyncio.Event()

    async def price(route: Route, usage: Usage, at: datetime) -> Cost:
        pricing.set()
        await priced.wait()
        return Cost(amount=Decimal(1))

    run = run_of()
    client = ScriptedChatClient([[TextDelta("Paid.")]])
    gateway = Gateway([GatewayRoute(route=client.route, client=client)], charge=run.meter.add, price=price)
    task = asyncio.create_task(ChatAgent(gateway).run("?", run=run))
    await pricing.wait()

    task.cancel()
    await asyncio.sleep(0)
    priced.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert run.meter.total().cost == Decimal(1)

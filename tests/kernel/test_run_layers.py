"""What run layers answer is what is shown, what is kept and what the run's output is."""

from dataclasses import replace
from typing import Any

import pytest

from agentcore.agents.agent import AgentResponse, ChatAgent, RunCall
from agentcore.agents.context import RunContext
from agentcore.agents.loop import Ending
from agentcore.chat import TextDelta
from agentcore.errors import GuardrailBlocked, ProviderBadResponse
from agentcore.events import EventType
from agentcore.messages import Message, Role
from agentcore.middleware import Layer
from agentcore.testing import RecordingTool, ScriptedChatClient, call
from tests.kernel.watching import assert_paired, journal, run_of, shown, texts


def said(text: str) -> Message:
    return Message.of(Role.ASSISTANT, text)


async def answered(script: list[list[Any]], layer: Layer, run: RunContext) -> tuple[AgentResponse, RunCall]:
    agent = ChatAgent(ScriptedChatClient(script), tools=[RecordingTool("look").tool()], run_middleware=[layer])
    running = agent.call("?", run=run)
    return await agent.answer(running), running


def assert_stands(run: RunContext, response: AgentResponse, running: RunCall, *expected: str) -> None:
    """Those texts, and no other, are on the screen, in what is kept and in the answer."""
    kept = {message.id: message.text for message in running.output if message.text}
    assert list(kept.values()) == list(expected)
    assert {key: text for key, text in texts(run).items() if text} == kept
    assert list(response.messages) == running.output


async def test_reply_instead_is_shown_and_kept_and_the_model_is_not_called() -> None:
    async def instead(run_call: RunCall, call_next: Any) -> AgentResponse:
        return AgentResponse(messages=(said("Not here."),), finish_reason=Ending.GUARDRAIL)

    run = run_of()
    response, running = await answered([[ProviderBadResponse()]], instead, run)

    assert_stands(run, response, running, "Not here.")
    assert response.finish_reason is Ending.GUARDRAIL
    assert [kind for kind, _data in journal(run).events] == [EventType.TEXT_DELTA, EventType.MESSAGE_COMPLETED]


async def test_another_agent_may_answer_instead() -> None:
    async def instead(run_call: RunCall, call_next: Any) -> AgentResponse:
        return await ChatAgent(ScriptedChatClient([[TextDelta("No.")]])).answer(run_call)

    run = run_of()
    response, running = await answered([[ProviderBadResponse()]], instead, run)

    assert_stands(run, response, running, "No.")
    assert len(shown(run, EventType.MESSAGE_COMPLETED)) == 1


async def test_disclaimer_is_shown_and_kept_after_the_answer() -> None:
    async def disclaimer(run_call: RunCall, call_next: Any) -> AgentResponse:
        response = await call_next(run_call)
        return replace(response, messages=(*response.messages, said("No legal advice.")))

    run = run_of()
    response, running = await answered([[call("look")], [TextDelta("Sue them.")]], disclaimer, run)

    assert_stands(run, response, running, "Sue them.", "No legal advice.")
    assert_paired(run, running.output)


async def test_text_that_a_layer_changed_is_corrected_on_the_screen() -> None:
    async def shout(run_call: RunCall, call_next: Any) -> AgentResponse:
        response = await call_next(run_call)
        *before, last = response.messages
        return replace(response, messages=(*before, Message.of(last.role, last.text.upper(), id=last.id)))

    run = run_of()
    response, running = await answered([[TextDelta("quiet")]], shout, run)

    assert_stands(run, response, running, "QUIET")
    assert [data["text"] for data in shown(run, EventType.TEXT_DELTA)] == ["quiet"]


async def test_text_that_a_layer_blocked_does_not_stand_though_its_calls_do() -> None:
    async def block(run_call: RunCall, call_next: Any) -> AgentResponse:
        await call_next(replace(run_call))
        return AgentResponse(messages=(said("Blocked."),), finish_reason=Ending.GUARDRAIL)

    run = run_of()
    response, running = await answered([[TextDelta("How to"), call("look")], [TextDelta("do harm")]], block, run)

    assert_stands(run, response, running, "Blocked.")
    assert_paired(run, running.output)


async def test_failure_that_a_layer_turned_into_a_text_keeps_what_was_said() -> None:
    async def excuse(run_call: RunCall, call_next: Any) -> AgentResponse:
        try:
            return await call_next(run_call)
        except ProviderBadResponse:
            return AgentResponse(messages=(said("The model went away."),))

    run = run_of()
    response, running = await answered([[TextDelta("Half an "), ProviderBadResponse()]], excuse, run)

    assert_stands(run, response, running, "Half an ", "The model went away.")


async def test_layer_may_refuse_the_run() -> None:
    async def refuse(run_call: RunCall, call_next: Any) -> AgentResponse:
        raise GuardrailBlocked()

    with pytest.raises(GuardrailBlocked):
        await answered([[TextDelta("never")]], refuse, run_of())


async def test_stream_shows_what_the_layers_answered() -> None:
    async def instead(run_call: RunCall, call_next: Any) -> AgentResponse:
        return AgentResponse(messages=(said("Not here."),))

    agent = ChatAgent(ScriptedChatClient([[TextDelta("never")]]), run_middleware=[instead])

    updates = [update async for update in agent.stream("?")]

    assert [update.data["text"] for update in updates] == ["Not here.", "Not here."]

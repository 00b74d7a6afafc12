"""Run layers that a site could write, to be named in ``STEWARD["RUN_MIDDLEWARE"]``."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agentcore.agents.agent import AgentResponse, RunCall
from agentcore.agents.loop import Ending
from agentcore.errors import GuardrailBlocked, ProviderError
from agentcore.messages import Message, Role

INSTEAD, DISCLAIMER, EXCUSE = "I do not talk about that.", "This is no legal advice.", "Please come back later."


def _said(text: str) -> Message:
    return Message.of(Role.ASSISTANT, text)


async def reply_instead(call: RunCall, call_next: Any) -> AgentResponse:
    return AgentResponse(messages=(_said(INSTEAD),), finish_reason=Ending.GUARDRAIL)


async def disclaim(call: RunCall, call_next: Any) -> AgentResponse:
    response = await call_next(call)
    return replace(response, messages=(*response.messages, _said(DISCLAIMER)))


async def correct(call: RunCall, call_next: Any) -> AgentResponse:
    response = await call_next(call)
    changed = [replace(message, contents=_said(message.text.upper()).contents) for message in response.messages]
    return replace(response, messages=tuple(changed))


async def excuse(call: RunCall, call_next: Any) -> AgentResponse:
    try:
        return await call_next(call)
    except ProviderError:
        return AgentResponse(messages=(_said(EXCUSE),))


async def refuse(call: RunCall, call_next: Any) -> AgentResponse:
    raise GuardrailBlocked()


async def cancel_a_task_of_its_own(call: RunCall, call_next: Any) -> AgentResponse:
    task = asyncio.create_task(asyncio.Event().wait())
    task.cancel()
    await task
    raise AssertionError


async def leave_the_process(call: RunCall, call_next: Any) -> AgentResponse:
    raise SystemExit(3)


async def swallow_the_stop(call: RunCall, call_next: Any) -> AgentResponse:
    try:
        return await call_next(call)
    except asyncio.CancelledError:
        return AgentResponse(messages=(_said(EXCUSE),))


let_go = asyncio.Event()


async def hold_on(call: RunCall, call_next: Any) -> AgentResponse:
    while not let_go.is_set():
        with suppress(asyncio.CancelledError):
            await let_go.wait()
    return AgentResponse(messages=(_said(EXCUSE),))


async def make_a_fault_of_the_stop(call: RunCall, call_next: Any) -> AgentResponse:
    try:
        return await call_next(call)
    except asyncio.CancelledError:
        raise ConnectionError from None

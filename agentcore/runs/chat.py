"""Starting a chat without agent, and following it while it goes on."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from agentcore.bridge import achat_plan_load
from agentcore.chat import ChatOptions, ChatRequest, ModelEvent, Route
from agentcore.events import Event
from agentcore.runs.chat_request import ChatApiRequest
from agentcore.runs.direct import Direct
from agentcore.runs.runtime import Opening, runtime
from agentcore.runs.service import begin, follow
from agentcore.services.plans import Plan
from agentcore.services.runs import NewRun

PURPOSE = "chat_api"


async def start_chat(asked: ChatApiRequest, *, user: Any, locale: str) -> tuple[UUID, Direct]:
    """Open a run for ``user`` and start it; it is stopped when nobody follows it any more.

    Raises:
        AgentError: it was refused, and nothing was stored.
    """
    process = runtime()
    process.start()
    request = ChatRequest(model=asked.model, messages=asked.as_messages(), tools=asked.schemas(), options=ChatOptions())
    direct = Direct(request)

    async def load() -> Plan:
        route = Route(asked.provider_id, asked.model)
        return await achat_plan_load(route, tools=[tool.name for tool in request.tools], user=user, locale=locale)

    def new(plan: Plan) -> NewRun:
        return NewRun(
            input="",
            plan=plan,
            conversation_id=None,
            purpose=PURPOSE,
            send_id=None,
            send_hash="",
            owner=process.owner,
            in_conversation=False,
        )

    try:
        started = await begin(process, Opening(user.pk, None), load, new, direct.answering)
    except asyncio.CancelledError:
        # What is being opened is opened all the same.
        direct.leave()
        raise
    return started.run_id, direct


async def follow_chat(run_id: UUID, direct: Direct, *, silence_s: float) -> AsyncIterator[list[ModelEvent | Event]]:
    """What the model says, in batches, and last the run's last event; an empty batch after so much silence.

    Whoever leaves before the end stops the run.
    """
    ending = asyncio.create_task(_end_of(run_id, direct))
    try:
        while True:
            batch = await _batch(direct, silence_s)
            if not batch and ending.done():
                # Raises why it could not be followed: else the silence would have no end.
                ending.result()
            yield batch
            if batch and isinstance(batch[-1], Event):
                return
    finally:
        ending.cancel()
        direct.leave()


async def _end_of(run_id: UUID, direct: Direct) -> None:
    """Put the run's last event behind everything that its model said, once it is stored."""
    async for events in follow(run_id):
        if events[-1].is_terminal:
            direct.events.put_nowait(events[-1])


async def _batch(direct: Direct, silence_s: float) -> list[ModelEvent | Event]:
    """What is there, at least one event; nothing when none came for ``silence_s``."""
    try:
        async with asyncio.timeout(silence_s):
            batch = [await direct.events.get()]
    except TimeoutError:
        return []
    while not direct.events.empty():
        batch.append(direct.events.get_nowait())
    return batch

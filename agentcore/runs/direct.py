"""A chat without agent: one model call with what a program sent, and nothing of it stored."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from agentcore.agents.agent import AgentResponse, RunCall
from agentcore.agents.context import RunContext, enter_run
from agentcore.agents.loop import Ending
from agentcore.agents.session import AgentSession
from agentcore.chat import ChatCall, ChatOptions, ChatRequest, FinishReason, ModelEvent, Route, TextDelta
from agentcore.conf import loaded, steward
from agentcore.errors import CapabilityMissing, OutputTruncated
from agentcore.events import Event, EventType
from agentcore.messages import Content, FunctionCallContent, FunctionResultContent, Message, TextContent
from agentcore.middleware import compose
from agentcore.redaction import Redactor
from agentcore.runs.assembly import gateway_for, gateway_route
from agentcore.runs.runtime import runtime
from agentcore.services.plans import Plan
from agentcore.tools import CancelReason


@dataclass
class Direct:
    """What a program asked, and what comes back for it: model events as they arrive, then the run's last event.

    ``calls`` and ``finish`` are there when the answer is whole: nobody carries out a part of one.
    """

    request: ChatRequest
    events: "asyncio.Queue[ModelEvent | Event]" = field(default_factory=asyncio.Queue)
    finish: FinishReason = FinishReason.STOP
    calls: tuple[FunctionCallContent, ...] = ()
    has_asked: bool = False
    run_id: UUID | None = None
    is_left: bool = False

    def answering(self, plan: Plan, run: RunContext) -> "DirectAgent":
        """What the engine executes the run with."""
        self.run_id = run.run_id
        return DirectAgent(self, plan, run)

    def leave(self) -> None:
        """Nobody reads any more: stop the run, and with it the upstream. One that has ended stays as it is."""
        self.is_left = True
        if self.run_id is not None:
            runtime().engine.stop(self.run_id, CancelReason.USER)


class DirectAgent:
    """Answers with one model call: no instructions, history or context, and tools that somebody else runs.

    The site's run and chat layers are around it, as they are around an agent. The journal has the step and its usage,
    so that recovery knows what was billed, and no text.
    """

    def __init__(self, direct: Direct, plan: Plan, run: RunContext) -> None:
        settings = steward()
        self._direct, self._plan = direct, plan
        self._complete = compose(loaded(settings.CHAT_MIDDLEWARE), gateway_for(plan, run).complete)
        self._answer = compose(loaded(settings.RUN_MIDDLEWARE), self._ask)

    def call(self, text: str, *, session: AgentSession | None = None, run: RunContext | None = None) -> RunCall:
        """The messages are the program's; ``text`` is empty, since nothing is stored."""
        messages = [_without_keys(message, self._plan.redactor) for message in self._direct.request.messages]
        options = ChatOptions(max_output_tokens=self._plan.limits.max_output_tokens)
        return RunCall(run=run or RunContext(), messages=messages, options=options, session=session or AgentSession())

    async def answer(self, call: RunCall) -> AgentResponse:
        enter_run(call.run)
        if self._direct.is_left:
            # While the run was being opened: the stop arrives with the next switch of tasks.
            self._direct.leave()
            await asyncio.sleep(0)
        response: AgentResponse = await self._answer(call)
        if not self._direct.has_asked and response.text:
            # A layer's own reply. It is not stored either: ``call.output`` stays empty.
            self._direct.events.put_nowait(TextDelta(response.text))
        return response

    async def _ask(self, call: RunCall) -> AgentResponse:
        route = self._plan.routes[0].route
        request = replace(self._direct.request, messages=tuple(call.messages), options=call.options)
        _check_capabilities(self._plan, call.run, request)
        call.run.journal.emit(
            EventType.STEP_STARTED, {"step": 1, "provider_id": route.provider_id, "model": route.model}
        )
        self._direct.has_asked = True
        try:
            response = await self._complete(ChatCall(request=request, emit=self._direct.events.put_nowait))
        finally:
            call.run.journal.emit(EventType.USAGE_REPORTED, {"step": 1} | call.run.meter.total().as_json())
        call.run.answered = Route(response.provider_id, response.model)
        if response.has_cut_off_calls:
            raise OutputTruncated()
        clean = self._plan.redactor.without_credentials
        self._direct.calls = tuple(_call_cleaned(call, clean) for call in response.calls)
        self._direct.finish = response.finish_reason
        is_cut_off = response.finish_reason is FinishReason.LENGTH
        return AgentResponse(messages=(), finish_reason=Ending.LENGTH if is_cut_off else Ending.STOP)


def _check_capabilities(plan: Plan, run: RunContext, request: ChatRequest) -> None:
    """A program is told; only a person is served with less.

    Raises:
        CapabilityMissing: the model cannot take the tools or the pictures.
    """
    if gateway_route(plan.routes[0], run).omitted(request):
        raise CapabilityMissing()


def _without_keys(message: Message, redactor: Redactor) -> Message:
    """A person's words are theirs, but for the site's own keys."""
    return replace(
        message, contents=tuple(_cleaned(content, redactor.without_credentials) for content in message.contents)
    )


def _cleaned(content: Content, clean: Callable[[str], str]) -> Content:
    match content:
        case TextContent():
            return TextContent(clean(content.text))
        case FunctionResultContent(result=str() as text):
            return replace(content, result=clean(text))
        case FunctionCallContent():
            return _call_cleaned(content, clean)
        case _:
            return content


def _call_cleaned(call: FunctionCallContent, clean: Callable[[str], str]) -> FunctionCallContent:
    return replace(call, name=clean(call.name), arguments=_value_cleaned(call.arguments, clean))


def _value_cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    match value:
        case str():
            return clean(value)
        case list():
            return [_value_cleaned(item, clean) for item in value]
        case dict():
            return {clean(key): _value_cleaned(item, clean) for key, item in value.items()}
        case _:
            return value
